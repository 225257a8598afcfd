package envelope

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/registry"
	guests "github.com/pintle-wasm/pintle/runtime"
)

// ErrPanicked is wrapped by the error of a contribution that panicked.
var ErrPanicked = errors.New("contribution panicked")

// Render renders the developer messages for one turn, without the environment message: filters, order,
// evaluation, trimming. The error is a *BuildError; it wraps a *ContributionError if a contribution
// with policy Fail failed, or ctx's error. Last-good texts of the session are used but not recorded.
func (s *Service) Render(ctx context.Context, rc *registry.RenderContext) ([]registry.Message, Report, error) {
	start := time.Now()
	messages, outcomes, _, err := s.render(ctx, rc)
	report := Report{Contributions: outcomes, Duration: time.Since(start)}
	if err != nil {
		return nil, report, &BuildError{report, err}
	}
	return messages, report, nil
}

// job is one contribution in evaluation.
type job struct {
	*registry.Contribution
	policy  registry.FailurePolicy
	text    string
	err     error
	elapsed time.Duration
	usage   guests.Usage
	ran     bool // or was remembered
	// remembered says that no guest ran for the text.
	remembered bool
}

// render returns the messages, an outcome for every contribution, and the texts to be remembered for
// policy LastGood.
func (s *Service) render(ctx context.Context, rc *registry.RenderContext) ([]registry.Message, []Outcome, goodTexts, error) {
	var snap registry.Snapshot
	if s.Registry != nil {
		var release func()
		snap, release = s.Registry.Hold()
		defer release()
	}
	chosen, excluded := snap.Select(rc)
	jobs := make([]job, len(chosen))
	for i, c := range chosen {
		jobs[i] = job{Contribution: c, policy: c.OnFailure}
		if jobs[i].policy == registry.DefaultPolicy {
			jobs[i].policy = s.Policy
		}
	}
	s.evaluate(ctx, jobs, rc)

	good := s.lastGood(rc.SessionID)
	messages, outcomes, fresh, err := settle(jobs, good)
	for _, x := range excluded {
		outcomes = append(outcomes, Outcome{
			ID: x.Contribution.ID, Source: SourceName(x.Contribution.Source), Reason: x.Reason, Tools: x.Tools,
		})
		if content, ok := good[x.Contribution]; ok {
			fresh.add(x.Contribution, content)
		}
	}
	for _, x := range snap.Replaced {
		outcomes = append(outcomes, Outcome{ID: x.ID, Source: SourceName(x.Source), Reason: Replaced, By: SourceName(x.By)})
	}
	// A turn that is called off must not look like one whose contributions failed.
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return messages, outcomes, fresh, err
}

// evaluate runs the jobs. Texts that are remembered are looked up first; the rest run, those that allow
// it on a few workers, the others one after the other in order. Once a job with policy Fail has failed no
// job behind it is started, so the first failure in order is always known.
func (s *Service) evaluate(ctx context.Context, jobs []job, rc *registry.RenderContext) {
	var alone, beside []int
	for i := range jobs {
		switch {
		case jobs[i].recall(rc):
		case jobs[i].Concurrent && !s.Sequential:
			beside = append(beside, i)
		default:
			alone = append(alone, i)
		}
	}
	if len(beside) == 0 || len(beside)+len(alone) == 1 {
		alone, beside = append(alone, beside...), nil
	}
	e := evaluation{ctx: ctx, rc: rc, jobs: jobs}
	e.failed.Store(int64(len(jobs)))
	if len(beside) > 0 {
		var wg sync.WaitGroup
		defer wg.Wait()
		workers := min(len(beside), runtime.GOMAXPROCS(0))
		if len(alone) == 0 {
			workers-- // this goroutine has nothing else to do
		}
		for range workers {
			wg.Go(func() { e.share(beside) })
		}
	}
	for _, i := range alone {
		e.run(i)
	}
	e.share(beside)
}

// evaluation is one pass over the jobs that have to run.
type evaluation struct {
	ctx    context.Context
	rc     *registry.RenderContext
	jobs   []job
	failed atomic.Int64 // the first job that ended the render; the number of jobs if none did
	next   atomic.Int64 // of the shared ones
}

// share runs jobs, beside others that do the same, until all are taken.
func (e *evaluation) share(jobs []int) {
	for at := e.next.Add(1) - 1; at < int64(len(jobs)); at = e.next.Add(1) - 1 {
		e.run(jobs[at])
	}
}

func (e *evaluation) run(i int) {
	if int64(i) > e.failed.Load() || e.ctx.Err() != nil {
		return
	}
	j := &e.jobs[i]
	j.run(e.ctx, e.rc)
	if j.err != nil && j.policy == registry.Fail {
		for at := e.failed.Load(); int64(i) < at && !e.failed.CompareAndSwap(at, int64(i)); {
			at = e.failed.Load()
		}
	}
}

// recall takes a text that is remembered. If that panics the contribution is rendered.
func (j *job) recall(rc *registry.RenderContext) (known bool) {
	if j.Recall == nil {
		return false
	}
	defer func() {
		_ = recover()
		j.ran, j.remembered = known, known
	}()
	j.text, known = j.Recall(rc)
	return known
}

func (j *job) run(ctx context.Context, rc *registry.RenderContext) {
	if j.Source != "" {
		ctx = guests.WithUsage(ctx, &j.usage)
	}
	start := time.Now()
	j.ran = true
	defer func() {
		if v := recover(); v != nil {
			j.text, j.err = "", fmt.Errorf("%w: %v", ErrPanicked, v)
		}
		j.elapsed = time.Since(start)
		j.remembered = j.usage.Calls > 0 && j.usage.Remembered == j.usage.Calls
	}()
	if j.Render != nil {
		j.text, j.err = j.Render(ctx, rc)
	}
}

// settle turns finished jobs into messages and outcomes.
func settle(jobs []job, good goodTexts) ([]registry.Message, []Outcome, goodTexts, error) {
	messages := make([]registry.Message, 0, len(jobs)+1)
	outcomes := make([]Outcome, 0, len(jobs))
	var fresh goodTexts
	var first error
	for i := range jobs {
		j := &jobs[i]
		o := Outcome{ID: j.ID, Source: SourceName(j.Source), Duration: j.elapsed, Fuel: j.usage.Fuel, Remembered: j.remembered}
		content := ecma.Trim(j.text)
		remembered, known := good[j.Contribution]
		switch {
		case !j.ran:
			o.Reason = NotReached
			content = ""
		case j.err != nil && j.policy == registry.Fail:
			o.fail(Failed, j.err)
			content = ""
			if first == nil {
				first = &ContributionError{j.ID, j.Source, j.err}
			}
		case j.err != nil && j.policy == registry.LastGood && known:
			o.fail(LastGoodUsed, j.err)
			content = remembered
		case j.err != nil:
			o.fail(Failed, j.err)
			content = ""
		case content == "":
			o.Reason = Blank
		}
		if j.policy == registry.LastGood && (j.ran && j.err == nil || known) {
			fresh.add(j.Contribution, content)
		}
		if content != "" {
			messages = append(messages, registry.Message{ID: j.ID, Content: content})
			o.Included, o.Bytes = true, len(content)
		}
		outcomes = append(outcomes, o)
	}
	return messages, outcomes, fresh, first
}

// goodTexts are the last texts of contributions with policy LastGood, by registration: a replacement
// does not inherit its predecessor's text.
type goodTexts map[*registry.Contribution]string

// The bounds of what one session remembers.
const (
	maxGoodTexts = 256
	maxGoodBytes = 1 << 20 // of one text
)

func (g *goodTexts) add(c *registry.Contribution, content string) {
	if *g == nil {
		*g = goodTexts{}
	}
	if len(*g) < maxGoodTexts && len(content) <= maxGoodBytes {
		(*g)[c] = content
	}
}
