package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

const cancelMethod = "$/cancelRequest"

// A Request is a request or, without an id, a notification of the peer.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage // nil if there are none; any JSON otherwise; not to be changed

	// AtOnce is for a [Router] to set: the request is for the answer to one of ours, and does not wait for a
	// worker, as all of them may be waiting for such answers.
	AtOnce bool
	// Taken is for a [Router] to set: it is called when the request has been taken, before another one is read.
	Taken func()
}

// A Handler serves a request. Its context ends when the peer cancels the request or the connection ends. The
// result is anything that becomes JSON; a json.RawMessage is sent as it is. An error that is or wraps an
// [Error] is sent as that, any other one as an internal error.
type Handler func(ctx context.Context, req *Request) (result any, err error)

// A Router finds what serves a request, and its key: those with one key are served one after the other, in
// the order of their arrival; "" is no key. It is called in the order of arrival, and nothing is read until
// it returns. Its error is the answer. A notification without a handler is ignored.
type Router func(req *Request) (serve Handler, key string, err error)

// A Conn is one end of a connection. Its methods may be called by several goroutines at once.
type Conn struct {
	limits Limits
	in     io.ReadCloser
	out    io.WriteCloser
	route  Router
	log    *slog.Logger

	queue    *queue
	outgoing *outgoing
	ctx      context.Context // of everything that happens on the connection
	end      context.CancelCauseFunc

	mu      sync.Mutex
	lastID  uint64
	pending map[ID]chan message
}

// NewConn makes an end that reads from in and writes to out. Nothing is read before [Conn.Serve].
func NewConn(in io.ReadCloser, out io.WriteCloser, limits Limits, route Router, log *slog.Logger) *Conn {
	c := &Conn{limits: limits, in: in, out: out, route: route, log: log, pending: map[ID]chan message{}}
	c.outgoing = newOutgoing(limits.Outgoing)
	c.queue = newQueue(limits, c.answer)
	c.ctx, c.end = context.WithCancelCause(context.Background())
	return c
}

// Close ends the connection: [Conn.Serve] returns nil. It does not wait for that.
func (c *Conn) Close() { c.end(ErrClosed) }

// Holds tells whether a request of the peer with an id waits or is being served.
func (c *Conn) Holds(id ID) bool {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return c.queue.byID[id] != nil
}

// AwaitOthers is for a handler: it waits until no other request is being served or waits.
func (c *Conn) AwaitOthers(ctx context.Context) error {
	select {
	case <-c.queue.alone():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Serve reads and writes until the peer ends the connection or is gone, [Conn.Close], or the context's end,
// which are no errors. Then everything is cancelled and awaited, what is left to say is written for as long as the
// limits allow, and in and out are closed. A Read or a Write that does not return when its file is closed may go on.
func (c *Conn) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, c.Close)
	defer stop()
	written, read := make(chan error, 1), make(chan error, 1)
	go func() { written <- c.outgoing.write(NewWriter(c.out)) }()
	go func() { read <- c.read() }()

	var err error
	flushed := false
	select {
	case err = <-read:
	case err = <-written:
		flushed = true
		if !isGone(err) {
			err = fmt.Errorf("write: %w", err)
		}
	case <-c.ctx.Done():
	}
	if isGone(err) {
		c.log.Debug("the peer is gone", "error", err)
		err = nil
	}
	c.end(ErrClosed)
	for _, in := range c.queue.close() {
		_, _ = c.outgoing.offer(errorParts(in.ID, Errorf(CodeCancelled, "%v", ErrClosed)), false)
	}
	c.outgoing.close()
	if !flushed {
		select {
		case <-written: // an error changes nothing any more
		case <-time.After(c.limits.Flush):
		}
	}
	_, _ = c.in.Close(), c.out.Close()
	return err
}

// isGone tells the errors of a peer whose process has ended from others.
func isGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrClosedPipe)
}

// read takes what the peer sends until it sends no more.
func (c *Conn) read() error {
	in := NewReader(c.in, c.limits.Message)
	for {
		body, err := in.Read()
		if long := (*TooLongError)(nil); errors.As(err, &long) {
			err = c.tell(ID{}, Errorf(CodeInvalidRequest, "%v", long).With(map[string]int64{"limit": long.Limit}))
		} else if err == nil {
			err = c.take(body)
			// A worker that was begun has this goroutine's processor next. When the read of a file blocks, it is
			// some time until the scheduler sees that, and the worker would wait for it: half of a short call.
			runtime.Gosched()
		}
		switch {
		case err == nil:
		case err == io.EOF || c.ctx.Err() != nil:
			return nil
		case err == io.ErrUnexpectedEOF:
			c.log.Warn("the input ended inside a message")
			return nil
		default:
			if errors.Is(err, ErrFraming) {
				_, _ = c.outgoing.offer(errorParts(ID{}, Errorf(CodeParse, "%v", err)), false)
			}
			return fmt.Errorf("read: %w", err)
		}
	}
}

// take deals with one message. It errs only at the end of the connection.
func (c *Conn) take(body []byte) error {
	m, fault := parse(body)
	switch {
	case fault != nil:
		return c.tell(m.id, fault)
	case m.isAnswer:
		c.deliver(m)
		return nil
	case m.method == cancelMethod && m.id == ID{}:
		return c.cancelled(m.params)
	}
	return c.admit(&incoming{Request: Request{ID: m.id, Method: m.method, Params: m.params}, size: len(body)})
}

func (c *Conn) admit(in *incoming) error {
	serve, key, err := c.route(&in.Request)
	if err != nil {
		return c.refuse(in, asError(err))
	}
	if serve == nil {
		c.log.Debug("a notification was ignored", "method", in.Method)
		return nil
	}
	in.serve = serve
	in.ctx, in.cancel = context.WithCancelCause(c.ctx)
	if fault := c.queue.add(in, key); fault != nil {
		in.cancel(nil)
		return c.refuse(in, fault)
	}
	if in.Taken != nil {
		in.Taken()
	}
	return nil
}

// refuse answers a request that was not taken. To a notification there is no answer.
func (c *Conn) refuse(in *incoming, fault *Error) error {
	if in.ID == (ID{}) {
		c.log.Warn("a notification was refused", "method", in.Method, "error", fault.Message)
		return nil
	}
	id := in.ID
	if fault == errInUse {
		id = ID{} // the answer with the id is still to come
		fault = Errorf(fault.Code, "id %s: %s", in.ID, fault.Message)
	}
	return c.tell(id, fault)
}

func (c *Conn) cancelled(params json.RawMessage) error {
	id, ok := ParseID(jsonvalue.Pick(params, "id")[0])
	if !ok {
		c.log.Warn("a cancellation without an id was ignored")
		return nil
	}
	if in := c.queue.cancel(id); in != nil {
		return c.tell(in.ID, Errorf(CodeCancelled, "%v", errCancelled))
	}
	return nil
}

// tell sends an error. It waits while the peer reads nothing.
func (c *Conn) tell(id ID, fault *Error) error {
	return c.outgoing.put(c.ctx, errorParts(id, fault))
}

// answer serves a request, in a worker.
func (c *Conn) answer(in *incoming) {
	result, err := c.call(in)
	if in.ID == (ID{}) {
		if err != nil {
			c.log.Warn("a notification failed", "method", in.Method, "error", err)
		}
		return
	}
	parts := resultParts(in.ID, result)
	switch {
	case err != nil && in.ctx.Err() != nil:
		parts = errorParts(in.ID, Errorf(CodeCancelled, "%v", context.Cause(in.ctx)))
	case err != nil:
		parts = errorParts(in.ID, asError(err))
	}
	if n := size(parts); n > c.limits.Message {
		parts = errorParts(in.ID, Errorf(CodeInternal, "the answer has %d bytes: at most %d are sent", n, c.limits.Message))
	}
	c.queue.served(in)
	_ = c.outgoing.put(c.ctx, parts) // it errs at the end of the connection
}

// call calls the handler. A panic in it is an error of that request.
func (c *Conn) call(in *incoming) (encoded json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic", "method", in.Method, "panic", p, "stack", string(debug.Stack()))
			encoded, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	if err := in.ctx.Err(); err != nil {
		return nil, err
	}
	result, err := in.serve(in.ctx, &in.Request)
	if err != nil || in.ID == (ID{}) {
		return nil, err
	}
	return encode(result)
}

func asError(err error) *Error {
	if known := (*Error)(nil); errors.As(err, &known) {
		return known
	}
	return Errorf(CodeInternal, "%v", err)
}
