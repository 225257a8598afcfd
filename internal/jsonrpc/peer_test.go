package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slack is how long a test waits for what must come.
const slack = 2 * time.Minute

// patient returns limits with which what a connection has still to say at its end reaches a test that reads,
// however busy the machine is.
func patient() Limits {
	limits := DefaultLimits()
	limits.Flush = slack
	return limits
}

// A rawPeer is the other end of a connection, message by message.
type rawPeer struct {
	t     *testing.T
	conn  *Conn
	stop  context.CancelFunc
	in    *io.PipeReader
	out   *io.PipeWriter
	r     *Reader
	w     *Writer
	ended chan error
}

// newPeer serves a connection until the test ends.
func newPeer(t *testing.T, limits Limits, route Router) *rawPeer {
	in, connOut := io.Pipe()
	connIn, out := io.Pipe()
	p := &rawPeer{t: t, in: in, out: out, r: NewReader(in, 1<<30), w: NewWriter(out), ended: make(chan error, 1)}
	p.conn = NewConn(connIn, connOut, limits, route, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.ended <- p.conn.Serve(ctx)
	}()
	t.Cleanup(func() {
		stop()
		_, _ = in.Close(), out.Close()
		receive(t, ended)
	})
	return p
}

// oneMethod routes every request to one handler, by the text that is its params.
func oneMethod(serve Handler) Router {
	return func(req *Request) (Handler, string, error) {
		var key string
		_ = json.Unmarshal(req.Params, &key)
		return serve, key, nil
	}
}

func (p *rawPeer) send(format string, args ...any) {
	p.t.Helper()
	require.NoError(p.t, p.w.Write([]byte(fmt.Sprintf(format, args...))))
	require.NoError(p.t, p.w.Flush())
}

func (p *rawPeer) request(id int, key string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":%d,"method":"m","params":%q}`, id, key)
}

func (p *rawPeer) cancel(id int) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, id)
}

// receive returns the next message of the connection.
func (p *rawPeer) receive() string {
	p.t.Helper()
	body, err := p.r.Read()
	require.NoError(p.t, err)
	return string(body)
}

func (p *rawPeer) wants(want string) {
	p.t.Helper()
	require.JSONEq(p.t, want, p.receive())
}

// receiveError returns the id and the code of the next message, an error.
func (p *rawPeer) receiveError() (id string, code int) {
	p.t.Helper()
	text := p.receive()
	var m struct {
		ID    json.RawMessage
		Error *Error
	}
	require.NoError(p.t, json.Unmarshal([]byte(text), &m))
	require.NotNil(p.t, m.Error, text)
	return string(m.ID), m.Error.Code
}

func (p *rawPeer) wantsError(id string, code int) {
	p.t.Helper()
	gotID, gotCode := p.receiveError()
	require.Equal(p.t, id, gotID)
	require.Equal(p.t, code, gotCode)
}

// receive waits for what a channel has to get.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(slack):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}
