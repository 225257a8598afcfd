package jsonrpc

import (
	"context"
	"sync"
)

// outgoing holds messages until they are written. It takes messages while it holds fewer bytes than its
// limit, so it holds one message more than that at most.
type outgoing struct {
	limit int

	mu       sync.Mutex
	messages [][][]byte
	bytes    int           // of those and of the one that is being written
	room     chan struct{} // closed when there is room; nil if nobody waits for it
	closed   bool          // nothing is taken any more
	more     chan struct{} // holds a token after messages came or it was closed
}

func newOutgoing(limit int) *outgoing {
	return &outgoing{limit: limit, more: make(chan struct{}, 1)}
}

// put waits for room, until the context is done.
func (o *outgoing) put(ctx context.Context, parts [][]byte) error {
	for {
		room, err := o.offer(parts, false)
		if room == nil {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// force takes a small message even if there is no room.
func (o *outgoing) force(parts [][]byte) { _, _ = o.offer(parts, true) }

// offer takes a message, or returns what is closed when there is room.
func (o *outgoing) offer(parts [][]byte, force bool) (room <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, ErrClosed
	}
	if o.bytes >= o.limit && !force {
		if o.room == nil {
			o.room = make(chan struct{})
		}
		return o.room, nil
	}
	o.messages = append(o.messages, parts)
	o.bytes += size(parts)
	o.signal()
	return nil, nil
}

func (o *outgoing) signal() {
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// close takes nothing any more. What is held will be written.
func (o *outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.wake()
	o.signal()
}

func (o *outgoing) wake() {
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// write writes until the queue is closed and empty, or an error.
func (o *outgoing) write(w *Writer) error {
	for {
		parts, closed := o.next()
		if parts == nil {
			if err := w.Flush(); err != nil || closed {
				return err
			}
			<-o.more
			continue
		}
		if err := w.Write(parts...); err != nil {
			return err
		}
		o.wrote(size(parts))
	}
}

func (o *outgoing) next() (parts [][]byte, closed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.messages) == 0 {
		o.messages = nil
		return nil, o.closed
	}
	parts, o.messages[0] = o.messages[0], nil
	o.messages = o.messages[1:]
	return parts, o.closed
}

func (o *outgoing) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	if o.bytes < o.limit {
		o.wake()
	}
}
