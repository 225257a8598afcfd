package runtime

import (
	"context"
	"runtime"
	"sync"
)

// A pool hands out instances of a guest without state. An instance that has run is never handed out
// again: what it learned in one call must not reach the next. To hide the time of starting, the pool
// keeps one instance that has not run yet.
type pool struct {
	start func(context.Context) (*instance, error)
	slots chan struct{} // one token per instance in use

	mu     sync.Mutex
	spare  *instance
	closed bool
	// Making the next spare runs beside the turn; stop ends it and done waits for it.
	ctx    context.Context
	stop   context.CancelFunc
	making bool
	done   sync.WaitGroup
}

func newPool(start func(context.Context) (*instance, error)) *pool {
	ctx, stop := context.WithCancel(context.Background())
	return &pool{start: start, slots: make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0))), ctx: ctx, stop: stop}
}

// take returns an instance that has not run yet. It waits while too many are in use. The caller gives
// it back with put.
func (p *pool) take(ctx context.Context) (*instance, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if ctx.Err() != nil { // both were ready: the spare is not wasted on a call that cannot run
		<-p.slots
		return nil, ctx.Err()
	}
	p.mu.Lock()
	in := p.spare
	p.spare = nil
	p.mu.Unlock()
	if in != nil {
		return in, nil
	}
	in, err := p.start(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return in, nil
}

// put takes back an instance that has run. It is dirty, so it goes; a new spare is started.
func (p *pool) put(in *instance) {
	in.close(p.ctx)
	<-p.slots
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.making || p.spare != nil {
		return
	}
	p.making = true
	p.done.Go(p.prepare)
}

func (p *pool) prepare() {
	in, err := p.start(p.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.making = false
	switch {
	case err != nil: // the next take meets the same error and reports it
	case p.closed:
		in.close(p.ctx)
	default:
		p.spare = in
	}
}

// close ends the pool after the last put.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	p.stop()
	p.done.Wait()
	if spare != nil {
		spare.close(p.ctx)
	}
}
