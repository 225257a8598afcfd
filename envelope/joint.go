package envelope

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/registry"
)

var errNoAnswer = errors.New("it was rendered together with others, and there is no answer for it")

// neighbours counts the jobs at the start of a list that one call can render: those with the same Joint
// for which a failure means the same.
func (e *evaluation) neighbours(list []int) int {
	first, n := &e.jobs[list[0]], 1
	for first.Joint != nil && n < len(list) {
		j := &e.jobs[list[n]]
		if j.Joint != first.Joint || (j.policy == registry.Fail) != (first.policy == registry.Fail) {
			break
		}
		n++
	}
	return n
}

// together runs jobs with one Joint by one call. Each is said to have taken an equal share of its time.
func (e *evaluation) together(list []int) {
	chosen := make([]*registry.Contribution, 0, len(list))
	for _, i := range list {
		if e.ended(i) {
			break
		}
		chosen = append(chosen, e.jobs[i].Contribution)
	}
	if len(chosen) == 0 {
		return
	}
	start := time.Now()
	stop := e.jobs[list[0]].policy == registry.Fail
	answers := answersOf(e.ctx, e.rc, chosen, stop)
	share := time.Since(start) / time.Duration(len(chosen))
	for k, i := range list[:len(chosen)] {
		j := &e.jobs[i]
		j.ran, j.elapsed = true, share
		if k < len(answers) {
			j.text, j.err = answers[k].Text, answers[k].Err
		} else {
			j.err = errNoAnswer
		}
		if e.note(i); stop && j.err != nil {
			return
		}
	}
}

func answersOf(
	ctx context.Context, rc *registry.RenderContext, list []*registry.Contribution, stop bool,
) (answers []registry.Rendered) {
	defer func() {
		if v := recover(); v != nil {
			answers = make([]registry.Rendered, len(list))
			for i := range answers {
				answers[i].Err = fmt.Errorf("%w: %v", ErrPanicked, v)
			}
		}
	}()
	if joint := list[0].Joint; joint.Render != nil {
		return joint.Render(ctx, rc, list, stop)
	}
	return make([]registry.Rendered, len(list))
}
