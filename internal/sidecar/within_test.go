package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// A client may call a method of the same session while it answers what a call asks. Without saying so it
// would wait for itself.
func TestCallsWithinCalls(t *testing.T) {
	defer swapMethod("test/ask", handle(func(ctx context.Context, c *call, _ *struct{}) (json.RawMessage, error) {
		var answer json.RawMessage
		err := c.conn.Call(ctx, "render", map[string]any{"call": c.id, "handles": []int{1}, "stopOnError": false}, &answer)
		return answer, err
	}).inOrderOf("sessionId"))()
	defer swapMethod("test/tell", handle(func(context.Context, *call, *struct{}) (string, error) { return "told", nil }).inOrderOf("sessionId"))()
	var c *testClient
	c = newTestClient(t, Options{}, map[string]jsonrpc.Handler{"render": func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		var asked struct{ Call json.RawMessage }
		if err := json.Unmarshal(req.Params, &asked); err != nil {
			return nil, err
		}
		var answer string
		err := c.Call(ctx, "test/tell", map[string]any{"sessionId": "s", "within": asked.Call}, &answer)
		return map[string]any{"results": []any{map[string]string{"text": answer}}}, err
	}})
	c.initialize(quiet(t))
	assert.JSONEq(t, `{"results":[{"text":"told"}]}`, string(c.must("test/ask", map[string]string{"sessionId": "s"})))
	// A call that is not being served is nothing to be within.
	assert.Equal(t, `"told"`, string(c.must("test/tell", map[string]any{"sessionId": "s", "within": 99})))
}

// As many calls as there are workers, all of them waiting for answers for which the client asks something.
func TestCallsWithinAllCalls(t *testing.T) {
	defer swapMethod("test/ask", handle(func(ctx context.Context, c *call, _ *struct{}) (json.RawMessage, error) {
		var answer json.RawMessage
		err := c.conn.Call(ctx, "render", map[string]any{"call": c.id, "handles": []int{1}, "stopOnError": false}, &answer)
		return answer, err
	}).inOrderOf("sessionId"))()
	calls := jsonrpc.DefaultLimits().Workers
	var asked sync.WaitGroup
	asked.Add(calls)
	var c *testClient
	c = newTestClient(t, Options{}, map[string]jsonrpc.Handler{"render": func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		asked.Done()
		asked.Wait()
		params := result[renderParamsOnWire](t, req.Params)
		err := c.Call(ctx, "session/end", map[string]any{"sessionId": "s", "within": params.Call}, nil)
		return map[string]any{"results": []any{map[string]string{"text": "told"}}}, err
	}})
	c.initialize(quiet(t))
	done := make(chan error, calls)
	for i := range calls {
		go func() { done <- c.Call(t.Context(), "test/ask", map[string]string{"sessionId": fmt.Sprint(i)}, nil) }()
	}
	for range calls {
		assert.NoError(t, receive(t, done))
	}
}
