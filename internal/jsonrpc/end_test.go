package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEndOfInput(t *testing.T) {
	p := newPeer(t, patient(), oneMethod(echo))
	p.request(1, "")
	p.receive()
	require.NoError(t, p.out.Close())
	assert.NoError(t, receive(t, p.ended))
	_, err := p.r.Read()
	assert.Equal(t, io.EOF, err, "it closes its end")
}

func TestEndInsideAMessage(t *testing.T) {
	for _, cut := range []string{"Content-", "Content-Length: 20\r\n\r\n{", "Content-Length: 99999999999\r\n\r\n{"} {
		p := newPeer(t, patient(), oneMethod(echo))
		_, err := io.WriteString(p.out, cut)
		require.NoError(t, err)
		require.NoError(t, p.out.Close())
		assert.NoError(t, receive(t, p.ended), "the peer was killed: %s", cut)
	}
}

// At the end all is cancelled and awaited, and a peer that still reads is told.
func TestEndCancels(t *testing.T) {
	for name, end := range map[string]func(*rawPeer){
		"input":   func(p *rawPeer) { _ = p.out.Close() },
		"close":   func(p *rawPeer) { p.conn.Close() },
		"context": func(p *rawPeer) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			came, cause := make(chan struct{}, 2), make(chan error, 2)
			var left atomic.Int32
			limits := patient()
			limits.Workers = 2
			p := newPeer(t, limits, oneMethod(func(ctx context.Context, _ *Request) (any, error) {
				came <- struct{}{}
				<-ctx.Done()
				cause <- context.Cause(ctx)
				left.Add(1)
				return nil, ctx.Err()
			}))
			for id := 1; id <= 3; id++ {
				p.request(id, "s")
			}
			p.send(`{"jsonrpc":"2.0","method":"m","params":"s"}`)
			p.request(4, "")
			p.request(5, "")
			p.request(5, "") // whose answer comes when all the others have been taken
			p.wantsError("null", CodeInvalidRequest)
			receive(t, came)
			receive(t, came)
			end(p)
			told := map[string]int{}
			for range 5 {
				id, code := p.receiveError()
				told[id] = code
			}
			assert.Equal(t, map[string]int{"1": CodeCancelled, "2": CodeCancelled, "3": CodeCancelled, "4": CodeCancelled, "5": CodeCancelled}, told)
			assert.NoError(t, receive(t, p.ended))
			assert.EqualValues(t, 2, left.Load(), "what waited was not begun, and what was begun has ended")
			assert.ErrorIs(t, receive(t, cause), ErrClosed)
		})
	}
}

func TestBrokenFraming(t *testing.T) {
	p := newPeer(t, patient(), oneMethod(echo))
	go func() { _, _ = io.WriteString(p.out, "{\"jsonrpc\":\"2.0\"}\n") }()
	p.wantsError("null", CodeParse)
	err := receive(t, p.ended)
	assert.ErrorIs(t, err, ErrFraming)
	assert.EqualError(t, err, `read: broken framing: "{\"jsonrpc\":\"2.0\"}" is no line of a header, such as "Content-Length: 20"`)
}

// A brokenEnd fails with an error.
type brokenEnd struct{ err error }

func (b brokenEnd) Read([]byte) (int, error)  { return 0, b.err }
func (b brokenEnd) Write([]byte) (int, error) { return 0, b.err }
func (b brokenEnd) Close() error              { return b.err }

func TestBrokenStreams(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct{ err, want error }{
		{broken, broken}, {syscall.EPIPE, nil}, {syscall.ECONNRESET, nil}, {io.ErrClosedPipe, nil},
	} {
		silent, _ := io.Pipe()
		for name, conn := range map[string]*Conn{
			"read":  NewConn(brokenEnd{c.err}, brokenEnd{}, patient(), oneMethod(echo), slog.New(slog.DiscardHandler)),
			"write": NewConn(silent, brokenEnd{c.err}, patient(), oneMethod(echo), slog.New(slog.DiscardHandler)),
		} {
			ended := make(chan error, 1)
			go func() { ended <- conn.Serve(t.Context()) }()
			if name == "write" {
				_ = conn.Notify(t.Context(), "n", nil)
			}
			err := receive(t, ended)
			assert.ErrorIs(t, err, c.want, name)
			assert.Equal(t, c.want == nil, err == nil, name)
		}
	}
}

// A peer that does not read is read no further in the end, and loses nothing.
func TestBackPressure(t *testing.T) {
	const requests = 10_000
	limits := Limits{Message: 1 << 20, Waiting: 50, PerKey: 50, Bytes: 1 << 20, Workers: 3, Outgoing: 10_000}
	p := newPeer(t, limits, oneMethod(echo))
	var sent atomic.Int32
	go func() {
		for id := range requests {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m","params":%q}`, id, strings.Repeat("x", 100))
			if p.w.Write([]byte(body)) != nil || p.w.Flush() != nil {
				return
			}
			sent.Add(1)
		}
	}()
	full := func() bool {
		p.conn.outgoing.mu.Lock()
		defer p.conn.outgoing.mu.Unlock()
		return p.conn.outgoing.bytes >= limits.Outgoing && p.conn.outgoing.room != nil
	}
	require.Eventually(t, full, slack, time.Millisecond)
	most := 64 + 50 + 3 + (readBuffer+limits.Outgoing)/100 // of what is held, and of answers
	assert.Less(t, int(sent.Load()), most)
	for range requests {
		p.receive()
	}
}

// The end does not wait for ever for a peer that does not read.
func TestEndWithoutReader(t *testing.T) {
	for name, end := range map[string]func(*rawPeer){
		"close":  func(p *rawPeer) { p.conn.Close() },
		"killed": func(p *rawPeer) { _ = p.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			limits := patient()
			limits.Outgoing, limits.Flush = 10, time.Millisecond
			came := make(chan struct{}, 3)
			p := newPeer(t, limits, oneMethod(func(context.Context, *Request) (any, error) {
				came <- struct{}{}
				return strings.Repeat("x", 1<<20), nil
			}))
			for id := range 3 {
				p.request(id, "")
			}
			for range 3 {
				receive(t, came)
			}
			end(p)
			assert.NoError(t, receive(t, p.ended))
			assert.ErrorIs(t, p.conn.Notify(t.Context(), "n", nil), ErrClosed)
		})
	}
}
