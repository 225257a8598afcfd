package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A turnstile lets a number of calls run at the same time and the next ones wait in order. Where nobody
// waits it costs two atomic operations, so that calls on many cores do not queue for a lock.
type turnstile struct {
	limit   int64
	inside  atomic.Int64
	waiting atomic.Int64

	mu    sync.Mutex
	queue []chan struct{} // one closes when its owner is inside
}

// enter waits for a place and fails if the context ends first or too many wait already. A context that
// has ended never gets a place.
func (t *turnstile) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.waiting.Load() == 0 && t.push() {
		return nil
	}
	turn, err := t.join()
	if turn == nil {
		return err
	}
	select {
	case <-turn:
	case <-ctx.Done():
		t.giveUp(turn)
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		t.leave()
		return err
	}
	return nil
}

// push takes a free place, if there is one.
func (t *turnstile) push() bool {
	for {
		n := t.inside.Load()
		if n >= t.limit {
			return false
		}
		if t.inside.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// join enters the queue. Without a turn to wait for, the caller is inside already or was refused.
func (t *turnstile) join() (turn chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) >= maxWaiting {
		return nil, errTooManyWaiting
	}
	// Whoever leaves from now on sees that somebody waits; whoever left before has left a free place.
	t.waiting.Add(1)
	if len(t.queue) == 0 && t.push() {
		t.waiting.Add(-1)
		return nil, nil
	}
	turn = make(chan struct{})
	t.queue = append(t.queue, turn)
	return turn, nil
}

func (t *turnstile) giveUp(turn chan struct{}) {
	t.mu.Lock()
	i := slices.Index(t.queue, turn)
	if i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		t.waiting.Add(-1)
	}
	t.mu.Unlock()
	if i < 0 { // it was let in at the same time
		t.leave()
	}
}

func (t *turnstile) leave() {
	t.inside.Add(-1)
	if t.waiting.Load() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queue) > 0 && t.push() {
		close(t.queue[0])
		t.queue = t.queue[1:]
		t.waiting.Add(-1)
	}
}
