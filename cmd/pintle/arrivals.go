package main

import (
	"bytes"
	"context"
	"io"
)

// arrivals is an input of lines that is read ahead, so that whoever reads from it knows when there is
// nothing yet and is not kept from ending. A line longer than maxLine ends it. It is for one goroutine.
type arrivals struct {
	// idle is called before every wait for input. Its error ends the input.
	idle func() error

	ctx  context.Context
	full chan arrived
	free chan []byte
	now  arrived
	rest []byte // of now
	line int    // bytes since the last end of a line
}

// arrived is what one read has given, in a buffer that goes round.
type arrived struct {
	buffer []byte
	n      int
	err    error
}

// newArrivals starts to read. The reader ends with the input or the context: if it waits for a silent input then,
// it waits on, and ends with the input or the process.
func newArrivals(ctx context.Context, r io.Reader, idle func() error) *arrivals {
	const size, buffers = 128 << 10, 3
	a := &arrivals{idle: idle, ctx: ctx, full: make(chan arrived, buffers), free: make(chan []byte, buffers)}
	for range buffers {
		a.free <- make([]byte, size)
	}
	go func() {
		for {
			var buffer []byte
			select {
			case buffer = <-a.free:
			case <-ctx.Done():
				return
			}
			n, err := r.Read(buffer)
			a.full <- arrived{buffer, n, err} // there is room for all buffers
			if err != nil {
				return
			}
		}
	}()
	return a
}

// Read implements [io.Reader]. Its error is the context's, if that ends while nothing comes.
func (a *arrivals) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.buffer != nil {
			a.free <- a.now.buffer
			a.now.buffer = nil
		}
		if err := a.next(); err != nil {
			a.now.err = err
			return 0, err
		}
		a.rest = a.now.buffer[:a.now.n]
		if a.line += len(a.rest); bytes.IndexByte(a.rest, '\n') >= 0 {
			a.line = len(a.rest) - 1 - bytes.LastIndexByte(a.rest, '\n')
		}
		if a.line > maxLine {
			a.now.err, a.rest = errLongLine, nil
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func (a *arrivals) next() error {
	select {
	case a.now = <-a.full:
		return nil
	default:
	}
	if err := a.idle(); err != nil {
		return err
	}
	select {
	case a.now = <-a.full:
		return nil
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
}
