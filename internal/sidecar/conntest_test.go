package sidecar

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/sidecar/wiretest"
)

// slack is how long a test waits for what must come.
const slack = 2 * time.Minute

// A testClient is the other end of a connection that is being served. Everything ends with the test.
type testClient struct {
	*jsonrpc.Conn
	t     *testing.T
	ended <-chan error // gets what Serve returned
}

// newTestClient serves a client that answers the server's requests with the handlers; none are needed.
func newTestClient(t *testing.T, o Options, handlers map[string]jsonrpc.Handler) *testClient {
	fromClient, toRelay := io.Pipe()
	relayed, serverIn := io.Pipe()
	fromServer, serverOut := io.Pipe()
	clientIn, back := io.Pipe()
	w := newWire(t)
	go relay(w, wiretest.ToServer, fromClient, serverIn)
	go relay(w, wiretest.ToClient, fromServer, back)

	ended, served, clientEnded := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(served)
		ended <- Serve(ctx, relayed, serverOut, patient(o))
	}()
	route := func(req *jsonrpc.Request) (jsonrpc.Handler, string, error) {
		if h, ok := handlers[req.Method]; ok && req.ID == (jsonrpc.ID{}) {
			return h, "notifications", nil // which have an order
		} else if ok {
			return h, "", nil
		}
		return nil, "", jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the test has no %s", req.Method)
	}
	c := &testClient{t: t, ended: ended}
	c.Conn = jsonrpc.NewConn(clientIn, toRelay, jsonrpc.DefaultLimits(), route, slog.New(slog.DiscardHandler))
	go func() { clientEnded <- c.Conn.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		receive(t, served)
		assert.NoError(t, receive(t, clientEnded))
	})
	return c
}

// relay passes frames on, and shows them to the wire.
func relay(w *wiretest.Wire, direction wiretest.Direction, from *io.PipeReader, to *io.PipeWriter) {
	in, out := jsonrpc.NewReader(from, jsonrpc.DefaultLimits().Message), jsonrpc.NewWriter(to)
	for {
		frame, err := in.Read()
		if err == nil {
			w.Frame(direction, frame)
			err = out.Write(frame)
		}
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			_ = from.CloseWithError(io.ErrClosedPipe)
			_ = to.Close()
			return
		}
	}
}

// initialize does the handshake with what the test says about the client.
func (c *testClient) initialize(params map[string]any) json.RawMessage {
	all := map[string]any{"protocol": []int{protocolVersion}, "client": map[string]string{"name": "test", "version": "1"}}
	for key, value := range params {
		all[key] = value
	}
	return c.must("initialize", all)
}

// must calls a method that has to succeed.
func (c *testClient) must(method string, params any) json.RawMessage {
	var result json.RawMessage
	require.NoError(c.t, c.Call(c.t.Context(), method, params, &result), method)
	return result
}

// refused calls a method that has to fail, and returns the error.
func (c *testClient) refused(method string, params any) *jsonrpc.Error {
	err := c.Call(c.t.Context(), method, params, nil)
	var fault *jsonrpc.Error
	require.ErrorAs(c.t, err, &fault, method)
	return fault
}

// receive waits for what a channel has to get.
func receive[T any](t *testing.T, from <-chan T) T {
	select {
	case value := <-from:
		return value
	case <-time.After(slack):
		assert.FailNow(t, "nothing came")
		panic("unreachable")
	}
}
