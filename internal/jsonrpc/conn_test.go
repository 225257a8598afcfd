package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func echo(_ context.Context, req *Request) (any, error) { return req.Params, nil }

// A result that panics when it is encoded.
type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no") }

func TestServe(t *testing.T) {
	p := newPeer(t, patient(), func(req *Request) (Handler, string, error) {
		switch req.Method {
		case "echo":
			return echo, "", nil
		case "fail":
			return func(context.Context, *Request) (any, error) { return nil, errors.New("no") }, "", nil
		case "refuse":
			return func(context.Context, *Request) (any, error) {
				return nil, fmt.Errorf("in short: %w", Errorf(-5, "no").With([]int{1}))
			}, "", nil
		case "panic":
			return func(context.Context, *Request) (any, error) { panic("no") }, "", nil
		case "panic later":
			return func(context.Context, *Request) (any, error) { return panics{}, nil }, "", nil
		case "unsayable":
			return func(context.Context, *Request) (any, error) { return func() {}, nil }, "", nil
		}
		return nil, "", Errorf(CodeMethodNotFound, "no such method")
	})
	for _, id := range []string{`1`, `"a"`, `null`, `-1.5`} {
		p.send(`{"jsonrpc":"2.0","id":%s,"method":"echo","params":{"a":[1]}}`, id)
		p.wants(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"a":[1]}}`, id))
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"result":null}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"fail"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"refuse"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no","data":[1]}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"panic"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"panic: no"}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"panic later"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"panic: no"}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"unsayable"}`)
	p.wantsError("1", CodeInternal)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"else"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`)
	p.send(`[{"jsonrpc":"2.0","id":1,"method":"echo"}]`)
	p.wantsError("null", CodeInvalidRequest)
	p.send(`{"jsonrpc":"2.0","id":`)
	p.wantsError("null", CodeParse)
	p.send(``)
	p.wantsError("null", CodeParse)

	// None of these is answered.
	for _, quiet := range []string{
		`{"jsonrpc":"2.0","method":"echo"}`, `{"jsonrpc":"2.0","method":"else"}`, `{"jsonrpc":"2.0","method":"fail"}`,
		`{"jsonrpc":"2.0","method":"panic"}`, `{"jsonrpc":"2.0","id":77,"result":1}`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}}`,
	} {
		p.send("%s", quiet)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"echo"}`)
	p.wants(`{"jsonrpc":"2.0","id":2,"result":null}`)
}

func TestLongMessages(t *testing.T) {
	limits := patient()
	limits.Message = 4 << 10
	p := newPeer(t, limits, oneMethod(func(_ context.Context, req *Request) (any, error) {
		return strings.Repeat("x", 2*len(req.Params)), nil
	}))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":"%s"}`, strings.Repeat("x", 8<<10))
	got := p.receive()
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"data":{"limit":4096},
		"message":"a message of 8241 bytes: at most 4096 are read"}}`, got)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"m","params":"%s"}`, strings.Repeat("x", 3<<10))
	p.wantsError("2", CodeInternal) // the answer would be too long
	p.request(3, "")
	p.wants(`{"jsonrpc":"2.0","id":3,"result":"xxxx"}`)
	assert.ErrorContains(t, p.conn.Notify(t.Context(), "n", strings.Repeat("x", 8<<10)), "at most 4096 are sent")
	assert.ErrorContains(t, p.conn.Call(t.Context(), "n", strings.Repeat("x", 8<<10), nil), "at most 4096 are sent")
}

func TestCall(t *testing.T) {
	p := newPeer(t, patient(), oneMethod(echo))
	type answer struct {
		value int
		err   error
	}
	got := make(chan answer, 1)
	call := func(ctx context.Context, params any) {
		go func() {
			var a answer
			a.err = p.conn.Call(ctx, "ask", params, &a.value)
			got <- a
		}()
	}
	call(t.Context(), map[string]int{"a": 1})
	p.wants(`{"jsonrpc":"2.0","id":1,"method":"ask","params":{"a":1}}`)
	p.send(`{"jsonrpc":"2.0","id":"1","result":1}`) // another id
	p.send(`{"jsonrpc":"2.0","id":1,"result":2}`)
	assert.Equal(t, answer{value: 2}, receive(t, got))

	call(t.Context(), nil)
	p.wants(`{"jsonrpc":"2.0","id":2,"method":"ask"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-5,"message":"no","data":1}}`)
	err := receive(t, got).err
	var fault *Error
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, &Error{Code: -5, Message: "no", Data: json.RawMessage("1")}, fault)
	assert.EqualError(t, err, "ask: no (code -5)")

	call(t.Context(), nil)
	p.wants(`{"jsonrpc":"2.0","id":3,"method":"ask"}`)
	p.send(`{"jsonrpc":"2.0","id":3,"result":"no number"}`)
	assert.ErrorContains(t, receive(t, got).err, "ask: the answer")

	because := errors.New("because")
	ctx, cancel := context.WithCancelCause(t.Context())
	call(ctx, nil)
	p.wants(`{"jsonrpc":"2.0","id":4,"method":"ask"}`)
	cancel(because)
	assert.ErrorIs(t, receive(t, got).err, because)
	p.wants(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4}}`)
	p.send(`{"jsonrpc":"2.0","id":4,"result":1}`) // too late

	go func() { got <- answer{err: p.conn.Notify(t.Context(), "said", []int{1})} }()
	p.wants(`{"jsonrpc":"2.0","method":"said","params":[1]}`)
	require.NoError(t, receive(t, got).err)

	var raw json.RawMessage
	rawGot := make(chan error, 1)
	go func() { rawGot <- p.conn.Call(t.Context(), "ask", nil, &raw) }()
	p.wants(`{"jsonrpc":"2.0","id":5,"method":"ask"}`)
	p.send(`{"jsonrpc":"2.0","id":5,"result":{ "a" : 1 }}`)
	require.NoError(t, receive(t, rawGot))
	assert.Equal(t, `{ "a" : 1 }`, string(raw))

	call(t.Context(), nil)
	p.wants(`{"jsonrpc":"2.0","id":6,"method":"ask"}`)
	p.conn.Close()
	assert.ErrorIs(t, receive(t, got).err, ErrClosed)
	assert.NoError(t, receive(t, p.ended))
	assert.ErrorIs(t, p.conn.Call(t.Context(), "ask", nil, nil), ErrClosed)
	assert.ErrorIs(t, p.conn.Notify(t.Context(), "ask", nil), ErrClosed)
}

// connected are two ends of a connection that are being served.
func connected(ctx context.Context, routeA, routeB Router) (a, b *Conn, ended <-chan error) {
	aIn, bOut := io.Pipe()
	bIn, aOut := io.Pipe()
	log := slog.New(slog.DiscardHandler)
	a = NewConn(aIn, aOut, patient(), routeA, log)
	b = NewConn(bIn, bOut, patient(), routeB, log)
	both := make(chan error, 2)
	for _, c := range []*Conn{a, b} {
		go func() { both <- c.Serve(ctx) }()
	}
	return a, b, both
}

// Two connections that serve each other, each in the midst of a request of the other one.
func TestBothWays(t *testing.T) {
	var a, b *Conn // each asks on its own end
	halve := func(conn **Conn) Router {
		return oneMethod(func(ctx context.Context, req *Request) (any, error) {
			var n, rest int
			if err := json.Unmarshal(req.Params, &n); err != nil || n == 0 {
				return 0, err
			}
			err := (*conn).Call(ctx, "m", n/2, &rest)
			return rest + 1, err
		})
	}
	var ended <-chan error
	a, b, ended = connected(t.Context(), halve(&a), halve(&b))
	var depth int
	require.NoError(t, a.Call(t.Context(), "m", 1<<40, &depth))
	assert.Equal(t, 41, depth)
	a.Close()
	assert.NoError(t, receive(t, ended))
	assert.NoError(t, receive(t, ended), "one end ends the other")
}

// A large message is read into one place at each end, and copied nowhere.
func TestLargeMessagesAreNotCopied(t *testing.T) {
	client, _, ended := connected(t.Context(), oneMethod(echo), func(*Request) (Handler, string, error) { return echo, "", nil })
	params := json.RawMessage(`{"a":"` + strings.Repeat("x", 10<<20) + `"}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var result json.RawMessage
	require.NoError(t, client.Call(t.Context(), "echo", params, &result))
	runtime.ReadMemStats(&after)
	assert.Len(t, result, len(params))
	assert.Less(t, float64(after.TotalAlloc-before.TotalAlloc), 2.2*float64(len(params)))
	client.Close()
	assert.NoError(t, receive(t, ended))
	assert.NoError(t, receive(t, ended))
}
