package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"time"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A meter pays for what a guest does, from a budget of fuel that each run gets. The guest's own code
// takes its fuel from a global. Only a slice of the budget is in there: when it is spent, the guest calls
// tick, which looks at the clock and the context and lets Go's garbage collector in. Host functions take
// from the budget directly.
//
// How the budget is cut into slices does not show: a run is out of fuel when all that was taken is more
// than its budget, however it was handed out.
type meter struct {
	fuel  Global // what is left of the slice; negative when more was taken than was there
	depth Global // bytes of frames in use

	ctx      context.Context
	limit    time.Duration
	deadline time.Time // zero until somebody looks at the clock
	granted  int64     // the budget, with the reserve
	rest     int64     // of the budget, not handed out yet
	slice    int64     // what is handed out next
	largest  int64     // slice that may be handed out with as much memory as there is now
	lastTick time.Time // when the guest went on
	lastRest time.Time // when others were let in
	unseen   int64     // taken by host functions since the last look

	// A reserve above what the guest may use is for its last words: it is told to stop when it has used its
	// own, and stopped when it has used both. Most guests have none.
	spareFuel int64
	spareTime time.Duration
}

// Sizes of slices. A unit of fuel is about a nanosecond, but not always: four loads are a unit, and each
// of them takes a hundred times as long where no cache has what it reads. Neither the clock nor the garbage
// collector may wait for long then. So no slice is larger than largestSlice, of which a guest in a small
// memory makes ten milliseconds at most, or coldSlice, of which one in a large memory does. They are made
// smaller for a guest that is slow all the time.
const (
	firstSlice   = 16_000
	minSlice     = 4_000
	largestSlice = 200_000
	coldSlice    = 16_000
	cachedMemory = 1 << 20 // bytes of memory that are near enough

	shortSlice = time.Millisecond
	longSlice  = 2 * time.Millisecond

	// restEvery is how long others wait at most.
	restEvery = time.Millisecond / 2
)

// Why a meter ends a run.
var errStackFull = errors.New("stack overflow: the guest's frames take more than " +
	fmt.Sprint(wasmbin.StackBytes>>10) + " KiB")

// An outOfFuel ends a run that has used its budget.
type outOfFuel struct{ granted uint64 }

func (e *outOfFuel) Error() string { return fmt.Sprintf("it used up its fuel of %d units", e.granted) }

// An outOfTime ends a run that took too long. It is not the caller's deadline, for which the guest is
// not to blame.
type outOfTime struct{ limit time.Duration }

func (e *outOfTime) Error() string { return "it did not return within " + e.limit.String() }

// watch sets the context and the time of what comes, before there is anything that could be paid.
func (m *meter) watch(ctx context.Context, limit time.Duration) {
	m.ctx, m.limit, m.deadline, m.lastTick, m.lastRest = ctx, limit, time.Time{}, time.Time{}, time.Time{}
}

// has tells how much memory there is now.
func (m *meter) has(memory uint64) {
	m.largest = largestSlice
	if memory > cachedMemory {
		m.largest = coldSlice
	}
	m.slice = min(m.slice, m.largest)
	if m.fuel == nil {
		return // nothing ran yet
	}
	if left := int64(m.fuel.Get()); left > m.largest {
		m.rest += left - m.largest
		m.fuel.Set(uint64(m.largest))
	}
}

// begin starts a run with a budget of its own.
func (m *meter) begin(ctx context.Context, fuel uint64, limit time.Duration) {
	m.watch(ctx, limit)
	m.granted = int64(min(fuel, math.MaxInt64/4)) + m.spareFuel
	m.slice, m.unseen = firstSlice, 0
	m.rest = m.granted
	m.hand(firstSlice)
}

// end returns what was taken from the budget since begin. The error is that of a run whose last piece of
// code, behind the last check, took more than there was.
func (m *meter) end() (used uint64, err error) {
	left := m.rest + int64(m.fuel.Get())
	if left < m.spareFuel {
		err = m.spent()
	}
	return uint64(m.granted - left), err
}

// spent is the error of a run that has used its fuel.
func (m *meter) spent() error { return &outOfFuel{uint64(m.granted - m.spareFuel)} }

// overdue answers why the guest has to stop, if it has used what it may use itself.
func (m *meter) overdue() error {
	if m.rest+int64(m.fuel.Get()) < m.spareFuel {
		return m.spent()
	}
	if !m.deadline.IsZero() && time.Now().After(m.deadline.Add(-m.spareTime)) {
		return &outOfTime{m.limit}
	}
	return nil
}

// tick is called by the guest when its slice is spent or its stack is full.
func (m *meter) tick(reason uint32) error {
	if reason == wasmbin.TickStack {
		return errStackFull
	}
	left := int64(m.fuel.Get())
	if left+m.rest < 0 {
		return m.spent()
	}
	now := time.Now()
	m.adapt(now)
	if err := m.look(now); err != nil {
		return err
	}
	if m.lastTick = now; m.lastRest.After(now) { // others ran in between
		m.lastTick = m.lastRest
	}
	m.rest += left
	m.hand(m.slice)
	return nil
}

// hand gives the guest a slice of the rest, but not of what the guest may use itself and of the reserve at
// once: where one ends and the other begins is where it is told to stop.
func (m *meter) hand(slice int64) {
	if own := m.rest - m.spareFuel; own >= 0 {
		slice = min(slice, own)
	}
	slice = min(slice, m.rest)
	m.rest -= slice
	m.fuel.Set(uint64(slice))
}

// adapt chooses the size of the next slice by the time that the last one took until now.
func (m *meter) adapt(now time.Time) {
	switch took := now.Sub(m.lastTick); {
	case m.lastTick.IsZero() || took < shortSlice:
		m.slice = min(2*m.slice, m.largest)
	case took > longSlice:
		m.slice = max(m.slice/2, minSlice)
	}
}

// charge takes fuel for work of the host. An error ends the run.
func (m *meter) charge(units int) error {
	n := int64(units)
	left := int64(m.fuel.Get())
	if m.rest += left - n; m.rest < 0 {
		m.rest -= left
		return m.spent()
	}
	// The guest keeps what it has of its slice as long as the rest can pay. Where it has used its own by
	// now, it keeps nothing, so that it is told at once.
	keep := min(left, m.rest)
	if own := m.rest - m.spareFuel; own+n >= 0 {
		keep = min(keep, max(0, own))
	}
	if keep != left {
		m.fuel.Set(uint64(keep))
	}
	m.rest -= keep
	if m.unseen += n; m.unseen < firstSlice {
		return nil
	}
	m.unseen = 0
	return m.look(time.Now())
}

// look answers why the run has to end, if it has to.
func (m *meter) look(now time.Time) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if m.deadline.IsZero() {
		// The first look comes within a fraction of a millisecond; most runs end without one.
		m.deadline = now.Add(m.limit + m.spareTime)
	}
	if now.After(m.deadline) {
		return &outOfTime{m.limit}
	}
	// The collector was let in by coming here. Others want to run as well, and would wait ten milliseconds
	// for Go to take the processor away.
	if now.Sub(m.lastRest) > restEvery {
		goruntime.Gosched()
		m.lastRest = time.Now()
	}
	return nil
}
