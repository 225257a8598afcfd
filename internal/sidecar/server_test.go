package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// quiet are params of a handshake in which nothing of this machine is loaded.
func quiet(t *testing.T) map[string]any {
	return map[string]any{"agentDir": t.TempDir(), "cwd": t.TempDir(), "config": map[string]any{"adapters": false}}
}

func TestHandshake(t *testing.T) {
	c := newTestClient(t, Options{Version: "1.2.3"}, nil)
	refused := c.refused("session/end", map[string]string{"sessionId": "s"})
	assert.Equal(t, codeNotInitialized, refused.Code)
	assert.Equal(t, codeNotInitialized, c.refused("shutdown", nil).Code)
	assert.Equal(t, jsonrpc.CodeMethodNotFound, c.refused("session/nothing", nil).Code)

	refused = c.refused("initialize", map[string]any{"protocol": []int{2, 0}})
	assert.Equal(t, codeNoVersion, refused.Code)
	assert.JSONEq(t, `{"supported":[1]}`, string(refused.Data))
	assert.Equal(t, codeNoVersion, c.refused("initialize", nil).Code)
	refused = c.refused("initialize", map[string]any{"protocol": "1"})
	assert.Equal(t, jsonrpc.CodeInvalidParams, refused.Code)
	assert.Equal(t, "params.protocol: want an array, got string", refused.Message)
	for _, params := range []any{[]int{1}, 1, "x", true} {
		assert.Equal(t, jsonrpc.CodeInvalidParams, c.refused("initialize", params).Code)
	}

	params := quiet(t)
	params["protocol"], params["unknown"] = []int{3, 1}, []int{1} // a newer client
	var result initializeResult
	require.NoError(t, json.Unmarshal(c.initialize(params), &result))
	assert.Equal(t, 1, result.Protocol)
	assert.Equal(t, "pintle 1.2.3", result.Server.Name+" "+result.Server.Version)
	assert.Contains(t, result.Server.Engine, "wazero")
	assert.Equal(t, limitsInfo{Message: 64 << 20, Queue: 64, Window: streamWindow}, result.Limits)
	assert.Empty(t, result.Guests)
	assert.Empty(t, result.Problems)

	again := c.refused("initialize", params)
	assert.Equal(t, jsonrpc.CodeInvalidRequest, again.Code)
	assert.Equal(t, "{}", string(c.must("session/end", map[string]string{"sessionId": "s"})))
	assert.Equal(t, "{}", string(c.must("shutdown", nil)))
	assert.Equal(t, jsonrpc.CodeInvalidRequest, c.refused("session/end", map[string]string{"sessionId": "s"}).Code)
	assert.Equal(t, jsonrpc.CodeInvalidRequest, c.refused("shutdown", nil).Code)
	require.NoError(t, c.Notify(t.Context(), "exit", nil))
	assert.NoError(t, receive(t, c.ended))
}

// A handshake that is still being answered, by a client that does not wait.
func TestHandshakeTakesItsTime(t *testing.T) {
	entered, open := make(chan struct{}), make(chan struct{})
	defer swapMethod("initialize", handle(func(ctx context.Context, c *call, p *initializeParams) (*initializeResult, error) {
		assert.True(t, c.server.become(initializing, fresh))
		close(entered)
		<-open
		assert.True(t, c.server.become(fresh, initializing))
		return initialize(ctx, c, p)
	}))()
	c := newTestClient(t, Options{}, nil)
	done := make(chan error, 1)
	params := quiet(t)
	params["protocol"], params["client"] = []int{1}, map[string]string{"name": "test", "version": "1"}
	go func() { done <- c.Call(t.Context(), "initialize", params, nil) }()
	receive(t, entered)
	assert.Equal(t, codeNotInitialized, c.refused("session/end", nil).Code)
	assert.Equal(t, jsonrpc.CodeInvalidRequest, c.refused("initialize", params).Code)
	close(open)
	require.NoError(t, receive(t, done))
	c.must("shutdown", nil)
}

// swapMethod puts a method in the place of another one, or beside all, and returns what undoes that.
func swapMethod(name string, m method) (undo func()) {
	before, known := methods[name]
	methods[name] = m
	return func() {
		delete(methods, name)
		if known {
			methods[name] = before
		}
	}
}

func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*testClient)
		want error
	}{
		"end of input":          {func(c *testClient) { c.Close() }, nil},
		"exit without shutdown": {func(c *testClient) { assert.NoError(c.t, c.Notify(c.t.Context(), "exit", nil)) }, ErrNoShutdown},
	} {
		for _, ready := range []bool{false, true} {
			client := newTestClient(t, Options{}, nil)
			if ready {
				client.initialize(quiet(t))
			}
			c.end(client)
			assert.ErrorIs(t, receive(t, client.ended), c.want, name)
		}
	}
}

// What was sent before shutdown is served before it is answered; exit does not wait.
func TestShutdownWaits(t *testing.T) {
	entered, open := make(chan string, 3), make(chan struct{})
	defer swapMethod("test/hold", handle(func(ctx context.Context, _ *call, p *struct{ SessionID string }) (struct{}, error) {
		entered <- p.SessionID
		select {
		case <-open:
		case <-ctx.Done():
		}
		return struct{}{}, ctx.Err()
	}).inOrderOf("sessionId"))()
	waiting := make(chan struct{}, 1)
	defer swapMethod("shutdown", handle(func(ctx context.Context, c *call, p *struct{}) (struct{}, error) {
		waiting <- struct{}{}
		return shutdown(ctx, c, p)
	}))()
	for _, waits := range []bool{true, false} {
		c := newTestClient(t, Options{}, nil)
		c.initialize(quiet(t))
		held, done := make(chan error, 1), make(chan error, 1)
		go func() { held <- c.Call(t.Context(), "test/hold", map[string]string{"sessionId": "s"}, nil) }()
		assert.Equal(t, "s", receive(t, entered))
		// The second of its session waits behind the first. A notification is on its way when Notify returns; of a
		// call in a goroutine nobody knows whether it was sent before the shutdown.
		assert.NoError(t, c.Notify(t.Context(), "test/hold", map[string]string{"sessionId": "s"}))
		assert.NoError(t, c.Notify(t.Context(), "test/hold", map[string]string{"sessionId": "n"}))
		assert.Equal(t, "n", receive(t, entered))
		go func() { done <- c.Call(t.Context(), "shutdown", nil, nil) }()
		receive(t, waiting)
		assert.Equal(t, jsonrpc.CodeInvalidRequest, c.refused("session/end", nil).Code)
		assert.Empty(t, done)
		if waits {
			close(open)
			assert.NoError(t, receive(t, held))
			assert.NoError(t, receive(t, done))
			assert.Len(t, entered, 1, "the second of the session was served")
			assert.Equal(t, "s", receive(t, entered))
			open = make(chan struct{})
		}
		assert.NoError(t, c.Notify(t.Context(), "exit", nil))
		assert.NoError(t, receive(t, c.ended))
		if !waits {
			assert.Error(t, receive(t, held))
		}
	}
}

// A shutdown that is not taken, here because its id is in use, has shut down nothing.
func TestShutdownRefused(t *testing.T) {
	open := make(chan struct{})
	defer swapMethod("test/hold", handle(func(ctx context.Context, _ *call, _ *struct{}) (struct{}, error) {
		select {
		case <-open:
		case <-ctx.Done():
		}
		return struct{}{}, ctx.Err()
	}))()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), in, out, patient(Options{})) }()
	to, from := jsonrpc.NewWriter(toServer), jsonrpc.NewReader(fromServer, 1<<20)
	send := func(id int, method, params string) {
		require.NoError(t, to.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)))
		require.NoError(t, to.Flush())
	}
	answer := func() string {
		body, err := from.Read()
		require.NoError(t, err)
		return string(body)
	}
	send(1, "initialize", fmt.Sprintf(`{"protocol":[1],"agentDir":%q,"config":{"adapters":false}}`, t.TempDir()))
	assert.Contains(t, answer(), `"id":1,"result"`)
	send(2, "test/hold", "{}")
	send(2, "shutdown", "{}")
	assert.Contains(t, answer(), `"id":null,"error":{"code":-32600`)
	send(3, "session/end", `{"sessionId":"s"}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{}}`, answer())
	close(open)
	assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, answer())
	send(4, "shutdown", "{}")
	assert.Equal(t, `{"jsonrpc":"2.0","id":4,"result":{}}`, answer())
	_ = toServer.Close()
	assert.NoError(t, receive(t, ended))
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	_, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, in, out, patient(Options{})) }()
	cancel()
	assert.NoError(t, receive(t, ended))
}

func TestNotAStreamOfMessages(t *testing.T) {
	in := io.NopCloser(strings.NewReader("initialize\n"))
	outIn, out := io.Pipe()
	told := make(chan []byte, 1)
	go func() {
		frame, _ := jsonrpc.NewReader(outIn, 1<<20).Read()
		told <- frame
		_, _ = io.Copy(io.Discard, outIn)
	}()
	err := Serve(t.Context(), in, out, patient(Options{}))
	assert.ErrorIs(t, err, jsonrpc.ErrFraming)
	assert.Contains(t, string(receive(t, told)), `"code":-32700`)
}

// A panic is the end of one request.
func TestPanic(t *testing.T) {
	defer swapMethod("test/panic", handle(func(context.Context, *call, *struct{}) (struct{}, error) { panic("no") }))()
	var log strings.Builder
	c := newTestClient(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	c.initialize(quiet(t))
	assert.Equal(t, jsonrpc.CodeInternal, c.refused("test/panic", nil).Code)
	c.must("shutdown", nil)
	assert.NoError(t, c.Notify(t.Context(), "exit", nil))
	assert.NoError(t, receive(t, c.ended))
	assert.Contains(t, log.String(), "server_test.go", "where it was")
}

func TestClientGetsLog(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		got := make(chan logged, 10)
		c := newTestClient(t, Options{}, map[string]jsonrpc.Handler{"log": func(_ context.Context, req *jsonrpc.Request) (any, error) {
			var l logged
			err := json.Unmarshal(req.Params, &l)
			got <- l
			return nil, err
		}})
		undo := swapMethod("test/log", handle(func(_ context.Context, c *call, _ *struct{}) (struct{}, error) {
			log := c.server.log.With("guest", "g@1", "n", 1)
			log.Warn("look", "session", "s", "more", "x")
			log.Debug("not this")
			log.Error(strings.Repeat("é", maxLogged))
			return struct{}{}, nil
		}))
		params := quiet(t)
		params["capabilities"] = map[string]bool{"log": wanted}
		c.initialize(params)
		c.must("test/log", nil)
		undo()
		if !wanted {
			c.must("shutdown", nil)
			assert.Empty(t, got)
			continue
		}
		assert.Equal(t, logged{Level: "warn", Message: "look (n=1, more=x)", Guest: "g@1", Session: "s"}, receive(t, got))
		long := receive(t, got)
		assert.Equal(t, "error", long.Level)
		assert.Equal(t, strings.Repeat("é", maxLogged/2)+"…", long.Message)
	}
}

func TestKeys(t *testing.T) {
	m := method{}.inOrderOf("request", "sessionId")
	for params, want := range map[string]string{
		`{"request":{"sessionId":"a"}}`:               "sessionId a",
		`{"request":{"x":{},"sessionId":"\u0061"}}`:   "sessionId a",
		`{"sessionId":"a"}`:                           "",
		`{"request":{"sessionId":""}}`:                "",
		`{"request":{"sessionId":1}}`:                 "",
		`{"request":[{"sessionId":"a"}]}`:             "",
		`{"request":null}`:                            "",
		`{"request":{"sessionId":"\ud83d"}}`:          "sessionId \xed\xa0\xbd",
		`{"request":1,"request":{"sessionId":"b"}}`:   "sessionId b",
		`{"request":{"sessionId":{"sessionId":"a"}}}`: "",
	} {
		key, within := m.keyOf([]byte(params))
		assert.Equal(t, want, key, params)
		assert.Nil(t, within)
	}
	key, within := method{}.inOrderOf("sessionId").keyOf([]byte(`{"within":7,"sessionId":"a"}`))
	assert.Equal(t, "sessionId a", key)
	assert.Equal(t, "7", string(within))
	key, within = method{}.inOrderOf("stream").keyOf([]byte(`{"within":7,"stream":"a"}`))
	assert.Equal(t, "stream a", key)
	assert.Nil(t, within, "two pushes of one stream are never served at a time")
	key, _ = method{}.keyOf([]byte(`{"stream":"a"}`))
	assert.Empty(t, key)
}

// Every method but those of the connection belongs to a session or a stream, or changes nothing.
func TestWhichMethodsAreOrdered(t *testing.T) {
	free := []string{"initialize", "shutdown", "stream/open", "audit/view", "audit/settings", "response/assemble", "history/options", "history/read"}
	for name, m := range methods {
		assert.Equal(t, m.key == nil, slices.Contains(free, name), name)
	}
}

func TestParamsOfWrongTypes(t *testing.T) {
	type params struct {
		Text   *string `json:"text"`
		Inner  struct{ List []int }
		Number float64
		Flag   bool
		Map    map[string]int
	}
	for in, want := range map[string]string{
		`{"text":1}`:                 "params.text: want a string, got number",
		`{"Inner":[]}`:               "params.Inner: want an object, got array",
		`{"Inner":{"List":{}}}`:      "params.Inner.List: want an array, got object",
		`{"Inner":{"List":[1,"a"]}}`: "params.Inner.List: want a whole number, got string",
		`{"Inner":{"List":[1.5]}}`:   "params.Inner.List: want a whole number, got number 1.5",
		`{"Number":"a"}`:             "params.Number: want a number, got string",
		`{"Flag":0}`:                 "params.Flag: want a boolean, got number",
		`{"Map":true}`:               "params.Map: want an object, got bool",
	} {
		err := decode([]byte(in), new(params))
		var fault *jsonrpc.Error
		if assert.ErrorAs(t, err, &fault, in) {
			assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code)
			assert.Equal(t, want, fault.Message)
		}
	}
	err := decode([]byte(`{"Inner":{"List":[1`+strings.Repeat("0", 1<<20)+`]}}`), new(params))
	assert.Less(t, len(err.Error()), 400, "what is wrong is not repeated whole")
	_, err = hostProfile(strings.Repeat("x", 1<<20))
	assert.Less(t, len(err.Error()), 400)
	assert.NoError(t, decode([]byte(`{"text":null,"more":[]}`), new(params)))
	raw := json.RawMessage(`{"a":1}`)
	var got json.RawMessage
	require.NoError(t, decode(raw, &got))
	assert.Same(t, &raw[0], &got[0], "not copied")
}

// A guest that cannot be loaded does not keep the sidecar from serving.
func TestHandshakeWithProblems(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	params := quiet(t)
	params["config"] = map[string]any{"adapters": false, "guests": []string{"nowhere.wasm"}}
	var result initializeResult
	require.NoError(t, json.Unmarshal(c.initialize(params), &result))
	require.Len(t, result.Problems, 1)
	assert.Equal(t, filepath.Join(params["cwd"].(string), "nowhere.wasm"), result.Problems[0].Where)
}
