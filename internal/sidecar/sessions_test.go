package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// rendering answers render with what a function says of each handle.
func rendering(answer func(handle int64) any) map[string]jsonrpc.Handler {
	return map[string]jsonrpc.Handler{"render": func(_ context.Context, req *jsonrpc.Request) (any, error) {
		var params renderParamsOnWire
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, err
		}
		results := []any{}
		for _, handle := range params.Handles {
			results = append(results, answer(handle))
		}
		return object{"results": results}, nil
	}}
}

type renderParamsOnWire struct {
	Call        json.RawMessage
	Handles     []int64
	StopOnError bool
}

// bare is a handshake without anything of this machine and without adapters.
func bare(t *testing.T, more object) object {
	params := object{"agentDir": t.TempDir(), "cwd": "/w", "capabilities": object{"render": true},
		"environment": object{"timezone": "Europe/Lisbon", "currentDate": "2026-03-09", "shell": "/bin/zsh", "platform": "linux"},
		"config":      object{"adapters": false}}
	for key, value := range more {
		params[key] = value
	}
	return params
}

func request(session string, more object) object {
	req := object{"sessionId": session, "activeTools": []string{}, "cwd": "/w", "piSystemPrompt": "BASE", "provider": "p",
		"systemPromptOptions": object{"cwd": "/w", "customPrompt": "You are " + session + "."}}
	for key, value := range more {
		req[key] = value
	}
	return req
}

func result[T any](t *testing.T, raw json.RawMessage) (r T) {
	require.NoError(t, json.Unmarshal(raw, &r), "%s", raw)
	return r
}

func said(e *envelope.Envelope) (out []string) {
	for _, m := range e.DeveloperMessages[:len(e.DeveloperMessages)-1] { // without the environment
		out = append(out, m.ID+": "+m.Content)
	}
	return out
}

// Twenty callbacks are one round trip, and texts that do not change none.
func TestCallbacksAreAskedTogether(t *testing.T) {
	var asked [][]int64
	c := newTestClient(t, Options{}, map[string]jsonrpc.Handler{"render": func(_ context.Context, req *jsonrpc.Request) (any, error) {
		params := result[renderParamsOnWire](t, req.Params)
		asked = append(asked, params.Handles)
		assert.False(t, params.StopOnError)
		assert.JSONEq(t, "2", string(params.Call), "the id of the request behind the handshake")
		results := []any{}
		for _, handle := range params.Handles {
			results = append(results, object{"text": fmt.Sprint("text ", handle)})
		}
		return object{"results": results}, nil
	}})
	c.initialize(bare(t, nil))
	list := []any{}
	var want []int64
	for i := range 20 {
		list = append(list, object{"handle": i + 1, "id": fmt.Sprint("c", i), "priority": i})
		want = append(want, int64(i+1))
	}
	list = append(list, object{"handle": 90, "id": "fixed", "priority": 9.5, "content": " as it is "},
		object{"handle": 91, "id": "last", "priority": "Infinity", "content": "at the end"},
		object{"handle": 92, "id": "other", "providers": []string{"q"}}, object{"handle": 93, "id": "tool", "activeTools": []string{"x"}})
	got := result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "contributions": list}))
	assert.Equal(t, [][]int64{want}, asked)
	texts := said(got.Envelope)
	require.Len(t, texts, 22)
	assert.Equal(t, "c9: text 10", texts[9])
	assert.Equal(t, "fixed: as it is", texts[10])
	assert.Equal(t, "last: at the end", texts[21])
	assert.Equal(t, "client", got.Report.Contributions[0].Source)

	asked = nil
	c.must("envelope/current", object{"sessionId": "s", "contributions": list[20:22]})
	assert.Empty(t, asked)
}

func TestTurnsSurviveTheirCallbacks(t *testing.T) {
	fail := false
	c := newTestClient(t, Options{}, rendering(func(handle int64) any {
		switch {
		case handle == 2 && fail:
			return object{"error": object{"message": "no index"}}
		case handle == 3:
			return object{"error": object{"message": "text.trim is no function", "kind": "not-text"}}
		case handle == 4:
			return object{"text": nil}
		}
		return object{"text": fmt.Sprint("text ", handle)}
	}))
	c.initialize(bare(t, object{"config": object{"adapters": false, "policy": "last-good"}}))
	list := []any{object{"handle": 1, "id": "a"}, object{"handle": 2, "id": "b"}, object{"handle": 3, "id": "c"}, object{"handle": 4, "id": "d"}}
	turn := func() turnStartResult {
		return result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "contributions": list}))
	}
	assert.Equal(t, []string{"a: text 1", "b: text 2"}, said(turn().Envelope))
	fail = true
	got := turn()
	assert.Equal(t, []string{"a: text 1", "b: text 2"}, said(got.Envelope), "its last good text")
	assert.Nil(t, got.Error)
	assert.Equal(t, envelope.LastGoodUsed, got.Report.Contributions[1].Reason)
	assert.Equal(t, "text.trim is no function", got.Report.Contributions[2].Error)
	assert.Equal(t, envelope.Blank, got.Report.Contributions[3].Reason)
}

func TestPolicyFail(t *testing.T) {
	fault := object{"message": "no index"}
	c := newTestClient(t, Options{}, rendering(func(handle int64) any {
		if handle == 2 {
			return object{"error": fault}
		}
		return object{"text": "text"}
	}))
	c.initialize(bare(t, object{"config": object{"adapters": false, "policy": "fail"}}))
	good := []any{object{"handle": 1, "id": "a"}}
	bad := []any{object{"handle": 1, "id": "a"}, object{"handle": 2, "id": "b"}, object{"handle": 3, "id": "c"}}
	params := object{"request": request("s", nil), "contributions": bad}
	got := result[turnStartResult](t, c.must("turn/start", params))
	assert.Nil(t, got.SystemPrompt)
	assert.Equal(t, &buildFault{Message: "no index", Kind: faultCallback, Contribution: "b", Source: "client"}, got.Error)
	assert.Equal(t, []notification{{"System prompt build failed: no index", "error"}}, got.Notifications)
	assert.Equal(t, envelope.NotReached, got.Report.Contributions[2].Reason)

	refused := c.refused("envelope/capture", params)
	assert.Equal(t, codeBuildFailed, refused.Code)
	assert.Equal(t, "no index", refused.Message)
	data := result[buildFailedData](t, refused.Data)
	assert.Equal(t, faultCallback, data.Kind)
	assert.EqualValues(t, "b", data.Contribution)
	assert.Len(t, data.Report.Contributions, 3)
	fault["kind"] = kindNotText
	assert.Equal(t, faultNotText, result[buildFailedData](t, c.refused("envelope/current", object{"sessionId": "s", "contributions": bad}).Data).Kind)
	assert.Equal(t, codeBuildFailed, c.refused("envelope/render", object{"context": request("s", nil), "contributions": bad}).Code)

	c.must("turn/start", object{"request": request("s", nil), "contributions": good})
	got = result[turnStartResult](t, c.must("turn/start", params))
	require.NotNil(t, got.SystemPrompt)
	assert.EqualValues(t, "You are s.", *got.SystemPrompt)
	assert.True(t, got.Fallback)
}

// A request that the client gives up ends what it is asked for itself.
func TestAClientThatGivesUp(t *testing.T) {
	entered, cancelled := make(chan struct{}, 1), make(chan struct{}, 1)
	c := newTestClient(t, Options{}, map[string]jsonrpc.Handler{"render": func(ctx context.Context, _ *jsonrpc.Request) (any, error) {
		entered <- struct{}{}
		<-ctx.Done()
		cancelled <- struct{}{}
		return nil, context.Cause(ctx)
	}})
	c.initialize(bare(t, nil))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Call(ctx, "turn/start", object{"request": request("s", nil), "contributions": []any{object{"handle": 1, "id": "a"}}}, nil)
	}()
	receive(t, entered)
	cancel()
	require.ErrorIs(t, receive(t, ended), context.Canceled)
	receive(t, cancelled)
	c.must("session/end", object{"sessionId": "s", "reason": "quit"}) // its turn has come
}

// A client that does not answer costs its contributions a bounded time, and nothing else.
func TestASilentClient(t *testing.T) {
	toClient, in := io.Pipe()
	c := alone(t, &stockAdapters{out: true})
	c.server.process.renders, c.server.process.patience = true, 10*time.Millisecond
	c.conn = jsonrpc.NewConn(io.NopCloser(strings.NewReader("")), in, jsonrpc.DefaultLimits(), nil, c.server.log)
	go func() { _, _ = io.Copy(io.Discard, toClient) }() // which ends with the test
	t.Cleanup(func() { _ = in.Close() })
	raw, err := json.Marshal(object{"request": request("s", nil),
		"contributions": []any{object{"handle": 1, "id": "a"}, object{"handle": 2, "id": "b", "content": "B"}}})
	require.NoError(t, err)
	got, err := turnMethods["turn/start"].serve(t.Context(), c, raw)
	require.NoError(t, err)
	turn := got.(*turnStartResult)
	assert.Equal(t, []string{"b: B"}, said(turn.Envelope))
	assert.Equal(t, "the client did not answer in time: 10ms", turn.Report.Contributions[0].Error)
	assert.Nil(t, turn.Error)
}

func TestAClientWithoutRender(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, object{"capabilities": object{}}))
	list := []any{object{"handle": 1, "id": "a"}}
	got := result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "contributions": list}))
	assert.Equal(t, errNoRender.Error(), got.Report.Contributions[0].Error)

	c = newTestClient(t, Options{}, map[string]jsonrpc.Handler{"render": func(context.Context, *jsonrpc.Request) (any, error) {
		return object{"results": []any{}}, nil
	}})
	c.initialize(bare(t, nil))
	got = result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "contributions": list}))
	assert.Equal(t, errUnanswered.Error(), got.Report.Contributions[0].Error)
}

// Fifty sessions at once do not see each other, and leave nothing behind.
func TestManySessions(t *testing.T) {
	var renders atomic.Int64
	c := newTestClient(t, Options{}, rendering(func(handle int64) any {
		renders.Add(1)
		return object{"text": fmt.Sprint("text ", handle)}
	}))
	c.initialize(bare(t, nil))
	run := func() {
		var wg sync.WaitGroup
		for n := range 50 {
			wg.Go(func() {
				id := fmt.Sprint("session ", n)
				for turn := range 5 {
					handle := n*10 + turn
					var got turnStartResult
					err := c.Call(t.Context(), "turn/start", object{"request": request(id, object{"prompt": id}),
						"contributions": []any{object{"handle": handle, "id": "a"}}, "branch": []any{}}, &got)
					if !assert.NoError(t, err) {
						return
					}
					assert.Equal(t, []string{fmt.Sprint("a: text ", handle)}, said(got.Envelope))
					assert.EqualValues(t, "You are "+id+".", *got.SystemPrompt)
					assert.Len(t, got.Audit, 1)
				}
				assert.NoError(t, c.Call(t.Context(), "session/end", object{"sessionId": id, "reason": "quit"}, nil))
			})
		}
		wg.Wait()
	}
	run()
	assert.EqualValues(t, 250, renders.Load())
	for n := range 50 {
		got := result[envelopeCurrentResult](t, c.must("envelope/current", object{"sessionId": fmt.Sprint("session ", n)}))
		assert.Nil(t, got.Envelope)
	}
}

// What sessions of large prompts held is free again when they have ended.
func TestEndedSessionsAreReleased(t *testing.T) {
	c := alone(t, &stockAdapters{out: true})
	large := strings.Repeat("a", 1<<18)
	used := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	serve := func(table map[string]method, name string, params object) {
		raw, err := json.Marshal(params)
		require.NoError(t, err)
		_, err = table[name].serve(t.Context(), c, raw)
		require.NoError(t, err)
	}
	start := func(n int, end bool) {
		id := fmt.Sprint("session ", n)
		serve(turnMethods, "turn/start", object{"request": request(id, object{"prompt": large}),
			"contributions": []any{object{"handle": 1, "id": "a", "content": large}}})
		if end {
			serve(sessionMethods, "session/end", object{"sessionId": id, "reason": "quit"})
		}
	}
	start(0, true)
	before := used()
	for n := range 20 {
		start(n, true)
	}
	ended := used()
	assert.Less(t, ended-before, int64(5<<20), "20 sessions of at least half a MiB have ended")
	for n := range 20 {
		start(n, false)
	}
	assert.Greater(t, used()-ended, int64(8<<20), "or else the test sees nothing")
	runtime.KeepAlive(c)
}

// A guest with state of its own loses it with the session.
func TestEndedSessionsOfGuests(t *testing.T) {
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	const and = 0x71
	counting := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add,
		wasmtest.I32Const(0x7f), and, wasmtest.I32Store8(), wasmtest.Answer(16, uint32(len(answer)))))
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, object{"agentDir": agentDir(t, map[string][]byte{"g.wasm": counting})}))
	turn := func(session string) []string {
		return said(result[turnStartResult](t, c.must("turn/start", object{"request": request(session, nil)})).Envelope)
	}
	assert.Equal(t, []string{"a: 1"}, turn("s"))
	assert.Equal(t, []string{"a: 2"}, turn("s"))
	assert.Equal(t, []string{"a: 1"}, turn("other"))
	c.must("session/end", object{"sessionId": "s", "reason": "new"})
	assert.Equal(t, []string{"a: 1"}, turn("s"))
	assert.Equal(t, []string{"a: 2"}, turn("other"))
}
