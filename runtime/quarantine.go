package runtime

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A quarantine keeps an operation of a guest's offer that fails again and again from costing every turn
// its deadline. After a few failures in a row the offer is not called for a while, longer each time;
// then calls may try again. One that succeeds ends it.
type quarantine struct {
	now func() time.Time

	failing atomic.Int64 // len(offers): nearly always 0, and then there is nothing to lock

	mu     sync.Mutex
	offers map[offerKey]*offerHealth // those that failed
}

// Operations are counted apart: an adapter that reads a prompt in no time must not be taken for healthy
// when it then hangs replacing it.
type offerKey struct{ offer, op string }

type offerHealth struct {
	failures int // in a row
	until    time.Time
	last     *Error
	session  string // of the last
}

const (
	quarantineAfter = 3
	quarantineFirst = time.Second
	quarantineMax   = 5 * time.Minute
)

// check returns an error while the offer is not to be called.
func (q *quarantine) check(guest string, c Call) error {
	if q.failing.Load() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	h, ok := q.offers[offerKey{c.Offer, c.Op}]
	if !ok {
		return nil
	}
	wait := h.until.Sub(q.now())
	if wait <= 0 {
		return nil
	}
	e := &Error{Kind: KindQuarantined, Guest: guest, Func: c.Op, Reason: fmt.Sprintf(
		"not called for another %s after %d failures in a row, the last one: %s",
		wait.Round(time.Millisecond), h.failures, h.last.Kind)}
	if c.Session == h.session { // the guest's words may be about the session in which it failed
		e.Reason, e.Err = e.Reason+": "+h.last.Reason, h.last
	}
	return e
}

// note takes the outcome of a call, nil for success. Errors that say nothing about the offer's health
// are not counted.
func (q *quarantine) note(c Call, err *Error) {
	if err == nil && q.failing.Load() == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	key := offerKey{c.Offer, c.Op}
	if err == nil {
		delete(q.offers, key)
		q.failing.Store(int64(len(q.offers)))
		return
	}
	switch err.Kind {
	case KindFuel, KindTimeout, KindMemory, KindTrap, KindAnswerTooLarge, KindBadAnswer:
	default:
		return
	}
	h, ok := q.offers[key]
	if !ok {
		h = &offerHealth{}
		if q.offers == nil {
			q.offers = map[offerKey]*offerHealth{}
		}
		q.offers[key] = h
		q.failing.Store(int64(len(q.offers)))
	}
	h.failures++
	h.last, h.session = err, c.Session
	if over := h.failures - quarantineAfter; over >= 0 {
		wait := quarantineMax
		if over < 9 { // 1 s doubled nine times is beyond the maximum
			wait = min(wait, quarantineFirst<<over)
		}
		h.until = q.now().Add(wait)
	}
}
