package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A budget counts the bytes that a runtime holds for its guests: memories of instances, what an engine
// needs beside them, and images. What is idle gives way to what is needed now.
type budget struct {
	limit   uint64
	reclaim func() bool // releases something idle; false if nothing is

	used    atomic.Uint64
	waiting atomic.Int64
	clock   atomic.Uint64 // counts uses of sessions, to tell which one was idle the longest

	mu    sync.Mutex
	freed chan struct{} // closed when something was released or became idle, then made anew
}

// maxWaiting bounds those who wait for memory or for their turn. More would only be late.
const maxWaiting = 1024

var errTooManyWaiting = errors.New("too many calls wait already; make fewer at the same time")

func newBudget(limit uint64, reclaim func() bool) *budget {
	return &budget{limit: limit, reclaim: reclaim, freed: make(chan struct{})}
}

// take takes n bytes, if need be from what is idle, or answers false.
func (b *budget) take(n uint64) bool {
	if n > b.limit {
		return false
	}
	for {
		used := b.used.Load()
		if n > b.limit-used {
			if !b.reclaim() {
				return false
			}
		} else if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// wait takes n bytes as soon as they are there, within a time.
func (b *budget) wait(ctx context.Context, n uint64, patience time.Duration) error {
	if b.take(n) {
		return nil
	}
	if n > b.limit {
		return fmt.Errorf("it needs %d KiB, and the host has %d KiB for all guests", (n+1023)>>10, b.limit>>10)
	}
	defer b.waiting.Add(-1)
	if b.waiting.Add(1) > maxWaiting {
		return errTooManyWaiting
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		freed := b.freed
		b.mu.Unlock()
		if b.take(n) {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return errors.New(b.full())
		}
	}
}

// give gives back n bytes.
func (b *budget) give(n uint64) {
	b.used.Add(-n)
	b.wake()
}

// wake lets those who wait try again.
func (b *budget) wake() {
	if b.waiting.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.freed)
	b.freed = make(chan struct{})
}

// roomy reports whether there is enough for what is only convenient.
func (b *budget) roomy() bool { return b.used.Load() < b.limit-b.limit/8 }

// full says that there is nothing left.
func (b *budget) full() string {
	return fmt.Sprintf("the %d KiB that the host has for all guests are in use", b.limit>>10)
}
