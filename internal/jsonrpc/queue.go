package jsonrpc

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Limits bound what one connection holds.
type Limits struct {
	Message  int // bytes of a message, in either direction
	Waiting  int // requests that wait
	PerKey   int // requests that wait with one key
	Bytes    int // bytes of requests that wait or are being served
	Workers  int // requests that are being served at a time, beside those at once; at least 2
	Outgoing int // bytes that wait to be written; one message may go beyond

	// Flush is how long the end of a connection waits for a peer that does not read.
	Flush time.Duration
}

// DefaultLimits are those of the sidecar.
func DefaultLimits() Limits {
	return Limits{
		Message:  64 << 20,
		Waiting:  1024,
		PerKey:   64,
		Bytes:    256 << 20,
		Workers:  64,
		Outgoing: 16 << 20,
		Flush:    time.Second,
	}
}

// An incoming is a request or notification of the peer, from its arrival until it has been answered.
type incoming struct {
	Request
	serve  Handler
	lane   *lane
	size   int
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// A lane is an order of requests. One of them is served at a time.
type lane struct {
	key     string // "": this lane is for one request only
	waiting []*incoming
	busy    bool
}

// A queue holds incoming requests and has workers serve them. A worker lives while there is something to
// serve, and takes the lanes in turn.
type queue struct {
	limits Limits
	serve  func(*incoming)

	mu      sync.Mutex
	lanes   map[string]*lane // by key
	ready   []*lane          // those that wait and are not busy
	byID    map[ID]*incoming
	held    int // requests that wait or are being served
	waiting int
	bytes   int
	workers int
	last    chan struct{} // closed when one request is left; nil: nobody waits for that
	closed  bool
	working sync.WaitGroup
}

func newQueue(limits Limits, serve func(*incoming)) *queue {
	return &queue{limits: limits, serve: serve, lanes: map[string]*lane{}, byID: map[ID]*incoming{}}
}

// add takes a request, or says why not.
func (q *queue) add(in *incoming, key string) *Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return Errorf(CodeCancelled, "%v", ErrClosed)
	}
	if _, ok := q.byID[in.ID]; ok && in.ID != (ID{}) {
		return errInUse
	}
	l := q.lanes[key]
	if l == nil {
		l = &lane{key: key}
	}
	in.AtOnce = in.AtOnce && q.workers < q.limits.Workers+q.limits.Waiting
	if err := q.full(in, l); err != nil {
		return err
	}
	if key != "" {
		q.lanes[key] = l
	}
	if in.ID != (ID{}) {
		q.byID[in.ID] = in
	}
	in.lane = l
	q.held++
	l.waiting = append(l.waiting, in)
	q.waiting++
	q.bytes += in.size
	if len(l.waiting) == 1 && !l.busy {
		if in.AtOnce { // in front, where one of the workers that have just begun will find it
			q.ready = slices.Insert(q.ready, 0, l)
		} else {
			q.ready = append(q.ready, l)
		}
	}
	if (q.workers < q.limits.Workers || in.AtOnce) && len(q.ready) > 0 {
		q.workers++
		q.working.Go(q.work)
	}
	return nil
}

var errInUse = Errorf(CodeInvalidRequest, "the id is that of a request that has not been answered yet")

func (q *queue) full(in *incoming, l *lane) *Error {
	tooMuch := func(limit int, what string) *Error {
		return Errorf(CodeTooMuch, "too much at once: at most %d %s; wait for answers", limit, what).
			With(map[string]int{"limit": limit})
	}
	switch {
	case len(l.waiting) >= q.limits.PerKey:
		return tooMuch(q.limits.PerKey, "requests wait for one session or stream")
	case q.waiting >= q.limits.Waiting && !in.AtOnce:
		return tooMuch(q.limits.Waiting, "requests wait")
	case q.bytes > 0 && q.bytes+in.size > q.limits.Bytes:
		return tooMuch(q.limits.Bytes, "bytes of requests are held")
	}
	return nil
}

// work serves until nothing is ready.
func (q *queue) work() {
	for in := q.next(nil); in != nil; in = q.next(in) {
		q.serve(in)
		in.cancel(nil)
	}
}

// next ends one request, if it is not nil, and begins another one. Without another one the worker ends, and
// so does one that has served if there are more than usual.
func (q *queue) next(ended *incoming) *incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ended != nil {
		ended.lane.busy = false
		q.forget(ended)
		q.ended()
		q.requeue(ended.lane)
	}
	if len(q.ready) == 0 || ended != nil && q.workers > q.limits.Workers {
		q.workers--
		return nil
	}
	l := q.ready[0]
	q.ready = slices.Delete(q.ready, 0, 1)
	in := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	l.busy = true
	q.waiting--
	return in
}

func (q *queue) requeue(l *lane) {
	if len(l.waiting) > 0 {
		q.ready = append(q.ready, l)
	} else {
		q.drop(l)
	}
}

// drop forgets a lane in which nothing is left.
func (q *queue) drop(l *lane) {
	if l.key != "" {
		delete(q.lanes, l.key)
	}
}

// served is told when a request has been served and before it is answered: after the answer the peer may use
// its id again.
func (q *queue) served(in *incoming) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget(in)
}

// forget takes a request out of what is bounded, once.
func (q *queue) forget(in *incoming) {
	q.bytes -= in.size
	in.size = 0
	if q.byID[in.ID] == in {
		delete(q.byID, in.ID)
	}
}

// ended is told at the end of a request, when it has been answered.
func (q *queue) ended() {
	q.held--
	q.tellLast()
}

// alone returns what is closed when one request is left.
func (q *queue) alone() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := q.last
	if last == nil {
		last = make(chan struct{})
		q.last = last
	}
	q.tellLast()
	return last
}

func (q *queue) tellLast() {
	if q.last != nil && q.held <= 1 {
		close(q.last)
		q.last = nil
	}
}

// cancel ends a request. It returns one that was still waiting, which nobody will serve.
func (q *queue) cancel(id ID) *incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	in := q.byID[id]
	if in == nil {
		return nil
	}
	in.cancel(errCancelled)
	at := slices.Index(in.lane.waiting, in)
	if at < 0 {
		return nil
	}
	in.lane.waiting = slices.Delete(in.lane.waiting, at, at+1)
	q.waiting--
	q.forget(in)
	q.ended()
	if !in.lane.busy && len(in.lane.waiting) == 0 {
		q.ready = slices.DeleteFunc(q.ready, func(l *lane) bool { return l == in.lane })
		q.drop(in.lane)
	}
	return in
}

// close takes nothing any more and waits for what is being served. It returns the requests that nobody will
// serve.
func (q *queue) close() []*incoming {
	q.mu.Lock()
	q.closed = true
	var unserved []*incoming
	for _, in := range q.byID {
		if slices.Contains(in.lane.waiting, in) {
			unserved = append(unserved, in)
		}
	}
	for _, l := range q.lanes {
		l.waiting = nil
	}
	q.ready = nil
	q.mu.Unlock()
	q.working.Wait()
	return unserved
}
