package openai_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

func chatFixture(t *testing.T, dir string, server *loopback.Server) *fixture {
	return newFixture(t, openai.ChatAPI, openai.Chat, dir, server)
}

// messages are those of a request.
func (f *fixture) messages(at int) []string {
	var out []string
	for _, m := range f.Body(at)["messages"].([]any) {
		out = append(out, strings.TrimSpace(compact(f.T, m)))
	}
	return out
}

func TestChatWholeTurn(t *testing.T) {
	dir := t.TempDir()
	server := loopback.Serve(t, stream("chat-call"), stream("chat-done"), stream("chat-done"))
	f := chatFixture(t, dir, server)
	done := f.Ask(t.Context(), "When is high water?")
	require.Nil(t, done.Failure)
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Equal(t, message.Usage{Input: 52, CacheRead: 128, Output: 40}, done.Usage)
	assert.Equal(t, []string{`{"port":"Brest"}`, `{}`}, f.Ran)

	assert.Equal(t, "/v1/chat/completions", server.Requests()[0].Path)
	assert.Equal(t, map[string]any{"include_usage": true}, f.Body(0)["stream_options"])
	first := f.messages(0)
	require.Len(t, first, 3)
	for _, want := range []string{`"content":"You are a coding agent.\n\n`, "Use British spelling.", `id=\"environment\"`, `"role":"system"`} {
		assert.Contains(t, first[0], want, "servers that speak this API may not know developers")
	}
	assert.Contains(t, first[1], "Quay A is ours.")
	assert.JSONEq(t, `{"role":"user","content":"When is high water?"}`, first[2])

	want := []string{
		`{"content":"Let me look.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"port\":\"Brest\"}","name":"tide"},"id":"call_1","type":"function"},{"function":{"arguments":"{}","name":"tide"},"id":"call_2","type":"function"}]}`,
		`{"content":"14:10","role":"tool","tool_call_id":"call_1"}`,
		`{"content":"14:10","role":"tool","tool_call_id":"call_2"}`,
	}
	assert.Equal(t, want, f.messages(1)[3:])

	require.NoError(t, f.Session.Close())
	f = chatFixture(t, dir, server)
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "And tomorrow?").Kind)
	assert.Equal(t, append(want, `{"content":"At 14:10.","role":"assistant"}`, `{"content":"And tomorrow?","role":"user"}`), f.messages(2)[3:])
}

func TestChatEndings(t *testing.T) {
	begun := stream("chat-begun")
	dropped, broken := begun, begun
	dropped.Drop = true
	broken.Body += "data: {\"error\":{\"message\":\"The server is overloaded.\",\"type\":\"server_error\"}}\n\n"
	for name, c := range map[string]struct {
		reply loopback.Reply
		kind  turn.Kind
		code  string
	}{
		"cut at the limit":  {stream("chat-cut"), turn.MaxTokens, ""},
		"cut":               {begun, turn.Failed, "TRANSPORT"},
		"connection lost":   {dropped, turn.Failed, "TRANSPORT"},
		"failed on its way": {broken, turn.Failed, "SERVER"},
		"refused": {loopback.Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key provided."}}`},
			turn.Failed, "AUTH"},
	} {
		t.Run(name, func(t *testing.T) {
			f := chatFixture(t, t.TempDir(), loopback.Serve(t, c.reply, stream("chat-done")))
			done := f.Ask(t.Context(), "When is high water?")
			assert.Equal(t, c.kind, done.Kind)
			if c.code != "" {
				require.NotNil(t, done.Failure)
				assert.Equal(t, c.code, done.Failure.Code, done.Failure.Message)
			}
			assert.Empty(t, f.Ran)
			assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Again?").Kind, "the session goes on")
		})
	}
}

func TestChatRetriesAndCancels(t *testing.T) {
	begun := stream("chat-begun")
	begun.Hang = true
	busy := loopback.Reply{Status: 429, Header: map[string]string{"retry-after-ms": "1"}, Body: `{"error":{"message":"Slow down."}}`}
	server := loopback.Serve(t, busy, begun)
	f := chatFixture(t, t.TempDir(), server)
	ctx, cancel := context.WithCancel(t.Context())
	f.OnChunk = func(c *message.Chunk) {
		if c.Type == message.TextDelta {
			cancel()
		}
	}
	assert.Equal(t, turn.Aborted, f.Ask(ctx, "When is high water?").Kind)
	server.WaitGone(t)
	assert.Equal(t, "High water is ", f.Last().Content[0].Text)
	requests := server.Requests()
	require.Len(t, requests, 2)
	assert.Equal(t, requests[0].Body, requests[1].Body)
	assert.Equal(t, 1, strings.Count(requests[1].Body, "Use British spelling."))
}
