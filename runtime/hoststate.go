package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// A HostState is what the host holds for one instance. It is made and used by this package; engines
// carry it to the host functions and ask it whether the run may go on. Like its instance it is not safe
// for concurrent use.
type HostState struct {
	meter  meter
	system *wasi.System
	logs   *logBuffer
	config map[string]string // declared keys only
	kv     *kvCall           // of the call that runs; nil without the grant
	reason string            // given to panic

	budget      *budget
	memoryBytes uint64 // that linear memory may have
	held        uint64 // bytes taken from the budget for the instance
	denied      string // why it was refused memory; empty if it never was
	refused     uint64 // the least that the budget did not have in this call; 0: it had all
	over        error  // what Err last answered: the call has to end, whatever the guest still does

	interrupts // of a guest in JavaScript
}

// newHostState returns the state of a new instance. The seed decides its random numbers.
func newHostState(seed [32]byte, config map[string]string, granted capabilities, logBytes int) *HostState {
	s := &HostState{logs: &logBuffer{limit: logBytes}, config: config}
	s.system = wasi.NewSystem(wasi.Config{
		Seed: seed, Charge: s.charge, HostClock: granted.clock, HostRandom: granted.random,
		Sink: func(fd int, text []byte) { s.logs.stream(fd, text) },
	})
	return s
}

// begin starts a call with a budget of fuel and time of its own. Nothing of the last call is left.
func (s *HostState) begin(ctx context.Context, fuel uint64, limit time.Duration) {
	s.reason, s.denied, s.refused, s.over = "", "", 0, nil
	s.stop, s.calm, s.greedy, s.patience = nil, false, false, 0
	s.meter.begin(ctx, fuel, limit)
}

// Context returns the context of the call that runs. A host function that may block returns when it ends.
func (s *HostState) Context() context.Context {
	if s.meter.ctx == nil { // nothing runs
		return context.Background()
	}
	return s.meter.ctx
}

// Err returns why the call that runs has to end: the error of its context, or that its time is over. It
// is nil while the call may go on.
func (s *HostState) Err() error {
	if s.meter.ctx == nil {
		return nil
	}
	s.over = s.meter.look(time.Now())
	return s.over
}

// charge takes units of fuel for what a host function is about to do; an error ends the run. Copying a
// byte costs one unit.
func (s *HostState) charge(units int) error { return s.meter.charge(units) }

// waiting returns the context for a host function that waits for something. It also ends with the time
// of the call.
func (s *HostState) waiting() (context.Context, context.CancelFunc) {
	_ = s.Err() // sets the deadline
	return context.WithDeadlineCause(s.meter.ctx, s.meter.deadline, &outOfTime{s.meter.limit})
}

// grow decides whether memory may become larger by a number of pages. What the budget has not is refused
// like what the guest may not have.
func (s *HostState) grow(size uint64, pages uint32) bool {
	more := uint64(pages) << 16
	fits := size+more <= s.memoryBytes
	// The budget looks at every guest for something idle, so it is not asked twice for the same.
	asks := fits && (s.refused == 0 || more < s.refused)
	if asks && s.budget.take(more) {
		s.held += more
		s.meter.has(size + more)
		s.greedy = s.greedy || size+more > s.memoryBytes-s.spareBytes
		return true
	}
	if asks {
		s.refused = more
	}
	switch {
	case s.denied != "": // a guest may ask a million times
	case fits:
		s.denied = s.budget.full()
	default:
		s.denied = fmt.Sprintf("it wanted more than its %d KiB of memory", s.memoryBytes>>10)
	}
	return false
}

// hold gives back what was taken for memory that did not grow.
func (s *HostState) hold(bytes uint64) {
	if bytes < s.held {
		s.budget.give(s.held - bytes)
		s.held = bytes
	}
}
