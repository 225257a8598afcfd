package runtime

import (
	"context"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// A pool keeps the idle instances of a guest without state. With an image, an instance that has run is
// handed out again once it is put back; without one it is not, and a new one is started ahead to hide the
// time of starting.
type pool struct {
	turnstile
	budget *budget
	start  func(context.Context) (*instance, error)
	again  func(*instance) bool // whether an instance that has run can be put back
	ahead  bool                 // keep one that has not run

	idle []seat

	// Starting one ahead runs beside the turn; stop ends it and done waits for it.
	ctx    context.Context
	stop   context.CancelFunc
	making atomic.Bool
	done   sync.WaitGroup
}

// A seat is empty or has an instance. Seats of different cores do not share a cache line.
type seat struct {
	atomic.Pointer[instance]
	_ [56]byte
}

func newPool(b *budget, start func(context.Context) (*instance, error), again func(*instance) bool) *pool {
	limit := max(4, 2*goruntime.GOMAXPROCS(0))
	p := &pool{budget: b, start: start, again: again, idle: make([]seat, limit)}
	p.limit = int64(limit)
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// take returns an instance, which the caller gives back with put. It waits while too many are in use.
func (p *pool) take(ctx context.Context) (*instance, error) {
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	in := p.pop()
	if in == nil {
		var err error
		if in, err = p.start(ctx); err != nil {
			p.leave()
			return nil, err
		}
	}
	return in, nil
}

// put takes back an instance that has run.
func (p *pool) put(in *instance) {
	if in.broken || !p.again(in) || !p.keep(in) {
		in.close()
	}
	p.leave()
	if p.ahead && p.making.CompareAndSwap(false, true) {
		p.done.Go(p.prepare)
	}
}

// pop returns an idle instance or nil.
func (p *pool) pop() *instance {
	first := rand.IntN(len(p.idle))
	for i := range p.idle {
		s := &p.idle[(first+i)%len(p.idle)]
		if s.Load() != nil {
			if in := s.Swap(nil); in != nil {
				return in
			}
		}
	}
	return nil
}

// keep makes an instance idle; false if there are enough.
func (p *pool) keep(in *instance) bool {
	first := rand.IntN(len(p.idle))
	for i := range p.idle {
		if p.idle[(first+i)%len(p.idle)].CompareAndSwap(nil, in) {
			p.budget.wake() // it could give way now
			return true
		}
	}
	return false
}

// prepare starts an instance ahead if there is none and nobody needs the memory.
func (p *pool) prepare() {
	defer p.making.Store(false)
	if in := p.pop(); in != nil {
		if !p.keep(in) {
			in.close()
		}
		return
	}
	if !p.budget.roomy() {
		return
	}
	in, err := p.start(p.ctx)
	if err != nil {
		return // the next take meets the same error and reports it
	}
	if !p.keep(in) { // close, which waits for this, empties the pool
		in.close()
	}
}

// evict closes an idle instance; false if there is none.
func (p *pool) evict() bool {
	in := p.pop()
	if in != nil {
		in.close()
	}
	return in != nil
}

// close ends the pool after the last put.
func (p *pool) close() {
	p.stop()
	p.done.Wait()
	for p.evict() {
	}
}
