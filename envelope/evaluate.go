package envelope

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pintle-wasm/pintle/registry"
	guests "github.com/pintle-wasm/pintle/runtime"
)

// evaluate runs the jobs. Texts that are remembered are looked up first; the rest run, those that allow
// it on a few workers, the others one after the other in order. Once a job with policy Fail has failed no
// job behind it is started, so the first failure in order is always known.
func (s *Service) evaluate(ctx context.Context, jobs []job, rc *registry.RenderContext) {
	var alone, beside []int
	for i := range jobs {
		switch {
		case jobs[i].recall(rc):
		case jobs[i].Concurrent && jobs[i].Joint == nil && !s.Sequential:
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
	for len(alone) > 0 {
		n := e.neighbours(alone)
		if e.jobs[alone[0]].Joint != nil {
			e.together(alone[:n])
		} else {
			e.run(alone[0])
		}
		alone = alone[n:]
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
	if e.ended(i) {
		return
	}
	j := &e.jobs[i]
	j.run(e.ctx, e.rc)
	e.note(i)
}

// ended tells whether a job is not to be started.
func (e *evaluation) ended(i int) bool { return int64(i) > e.failed.Load() || e.ctx.Err() != nil }

// note ends the render if a job that has run failed and has policy Fail.
func (e *evaluation) note(i int) {
	if j := &e.jobs[i]; j.err == nil || j.policy != registry.Fail {
		return
	}
	for at := e.failed.Load(); int64(i) < at && !e.failed.CompareAndSwap(at, int64(i)); {
		at = e.failed.Load()
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
