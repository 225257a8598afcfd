package anthropic_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

// messages are those of a request, as "role: content".
func (f *fixture) messages(at int) []string {
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	requests := f.Server.Requests()
	require.Less(f.T, at, len(requests))
	require.NoError(f.T, json.Unmarshal([]byte(requests[at].Body), &body))
	var out []string
	for _, m := range body.Messages {
		out = append(out, m.Role+": "+string(m.Content))
	}
	return out
}

func TestWholeTurn(t *testing.T) {
	dir := t.TempDir()
	server := loopback.Serve(t, stream("call"), stream("done"), stream("done"))
	f := newFixture(t, dir, server)
	var streamed strings.Builder
	f.OnChunk = func(c *message.Chunk) { streamed.WriteString(c.Text) }
	done := f.Ask(t.Context(), "When is high water?")
	require.Nil(t, done.Failure)
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Equal(t, int64(2), done.Steps)
	assert.Equal(t, message.Usage{Input: 61, CacheRead: 401, CacheWrite: 24, Output: 57}, done.Usage)
	assert.Equal(t, []string{`{"port":"Brest"}`, `{}`}, f.Ran)
	assert.Equal(t, "The tide matters.Let me look at the tide.High water is at 14:10.", streamed.String())

	// What Anthropic gets: the envelope in the system blocks, the context files as the user's words.
	first := server.Requests()[0]
	assert.Equal(t, "/v1/messages", first.Path)
	assert.Equal(t, "secret", first.Header.Get("X-Api-Key"))
	body := f.Body(0)
	assert.Equal(t, 2048., body["max_tokens"])
	assert.Equal(t, map[string]any{"type": "enabled", "budget_tokens": 1024.}, body["thinking"])
	assert.Equal(t, []any{map[string]any{
		"name": "tide", "description": "The next high water at a port.",
		"input_schema": map[string]any{"type": "object", "properties": map[string]any{"port": map[string]any{"type": "string"}}},
	}}, body["tools"])
	system := body["system"].([]any)
	require.Len(t, system, 3)
	for at, want := range []string{"You are a coding agent.", "Use British spelling.", `id="environment"`} {
		assert.Contains(t, system[at].(map[string]any)["text"], want)
	}
	asked := f.messages(0)
	require.Len(t, asked, 1)
	assert.Regexp(t, `^user: \[\{"text":"# AGENTS.md[^}]*Quay A is ours\.[^}]*\},\{"text":"When is high water\?"`, asked[0])

	// What goes back: the thoughts as they were signed, and the results in one message.
	assert.Equal(t, goesBack, f.messages(1)[1:])

	messages := f.Session.Messages()
	require.Len(t, messages, 5)
	assert.Equal(t, "The tide matters.", messages[1].Content[0].Text)
	assert.Contains(t, string(messages[1].Source.ReplayState), "EqQB-sig")
	for e, err := range f.Session.Events(t.Context(), 0) {
		require.NoError(t, err)
		assert.NotContains(t, string(e.Data), "Quay A is ours.")
	}

	require.NoError(t, f.Session.Close())
	f = newFixture(t, dir, server)
	done = f.Ask(t.Context(), "And tomorrow?")
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Empty(t, done.Diagnostics)
	again := f.messages(2)[1:]
	require.Len(t, again, len(goesBack)+2)
	assert.Equal(t, goesBack, again[:len(goesBack)])
}

// goesBack are the messages of the answer in call.sse and the results of its calls.
var goesBack = []string{
	`assistant: [{"signature":"EqQB-sig","thinking":"The tide matters.","type":"thinking"},{"data":"Eow-hidden","type":"redacted_thinking"},` +
		`{"text":"Let me look at the tide.","type":"text"},{"id":"toolu_1","input":{"port":"Brest"},"name":"tide","type":"tool_use"},` +
		`{"id":"toolu_2","input":{},"name":"tide","type":"tool_use"}]`,
	`user: [{"tool_use_id":"toolu_1","is_error":false,"content":[{"text":"14:10","type":"text"}],"type":"tool_result"},` +
		`{"tool_use_id":"toolu_2","is_error":false,"content":[{"text":"14:10","type":"text"}],"type":"tool_result"}]`,
}

func TestCutAtTheLimit(t *testing.T) {
	server := loopback.Serve(t, stream("cut"), stream("done"))
	f := newFixture(t, t.TempDir(), server)
	assert.Equal(t, turn.MaxTokens, f.Ask(t.Context(), "When is high water?").Kind)
	assert.Empty(t, f.Ran, "a call that was cut does not run")
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Go on.").Kind)
	assert.NotContains(t, server.Requests()[1].Body, "tool_use")
	assert.Contains(t, server.Requests()[1].Body, "EqQB-cut")
}

func TestFailures(t *testing.T) {
	begun := stream("begun")
	dropped := begun
	dropped.Drop = true
	refuse := func(status int, kind, text string) loopback.Reply {
		return loopback.Reply{Status: status, Header: map[string]string{"x-should-retry": "false", "request-id": "req_9", "retry-after": "7"},
			Body: `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"}}`}
	}
	for name, c := range map[string]struct {
		reply loopback.Reply
		want  message.Failure
	}{
		"failed on its way": {stream("failed"), message.Failure{Code: "SERVER"}},
		"cut":               {begun, message.Failure{Code: "TRANSPORT"}},
		"connection lost":   {dropped, message.Failure{Code: "TRANSPORT"}},
		"limit": {refuse(429, "rate_limit_error", "Too many tokens per minute."),
			message.Failure{Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 7000, RequestID: "req_9"}},
		"overloaded": {refuse(529, "overloaded_error", "Overloaded"),
			message.Failure{Code: "SERVER", Status: 529, RetryAfterMS: 7000, RequestID: "req_9"}},
		"too long": {refuse(400, "invalid_request_error", "prompt is too long: 212000 tokens > 200000 maximum"),
			message.Failure{Code: "CONTEXT_WINDOW_EXCEEDED", Status: 400, RetryAfterMS: 7000, RequestID: "req_9"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, t.TempDir(), loopback.Serve(t, c.reply, stream("done")))
			done := f.Ask(t.Context(), "When is high water?")
			assert.Equal(t, turn.Failed, done.Kind)
			require.NotNil(t, done.Failure)
			c.want.Message = done.Failure.Message
			assert.Equal(t, c.want, *done.Failure)
			assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Again?").Kind, "the session goes on")
		})
	}
}

// The SDK tries again on its own, with the envelope in each of its requests.
func TestRetriesOfTheSDK(t *testing.T) {
	header := map[string]string{"retry-after-ms": "1"}
	server := loopback.Serve(t, loopback.Reply{Status: 529, Header: header, Body: `{"type":"error"}`},
		loopback.Reply{Status: 429, Header: header, Body: `{"type":"error"}`}, stream("done"))
	f := newFixture(t, t.TempDir(), server)
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "When is high water?").Kind)
	requests := server.Requests()
	require.Len(t, requests, 3)
	for _, r := range requests {
		assert.Equal(t, requests[0].Body, r.Body)
		assert.Equal(t, 1, strings.Count(r.Body, "Use British spelling."))
	}
	assert.Equal(t, "2", requests[2].Header.Get("X-Stainless-Retry-Count"), "it was the SDK that has tried again")
}

func TestCancelled(t *testing.T) {
	begun := stream("begun")
	begun.Hang = true
	server := loopback.Serve(t, begun, stream("done"))
	f := newFixture(t, t.TempDir(), server)
	ctx, cancel := context.WithCancel(t.Context())
	f.OnChunk = func(c *message.Chunk) {
		if c.Type == message.TextDelta {
			cancel()
		}
	}
	assert.Equal(t, turn.Aborted, f.Ask(ctx, "When is high water?").Kind)
	server.WaitGone(t)
	assert.Equal(t, "High water is ", f.Last().Content[0].Text)
	f.OnChunk = nil
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Again.").Kind)
}

// The API refuses blank texts, although it gives them at times.
func TestBlankTextsDoNotGoBack(t *testing.T) {
	blank := stream("call")
	blank.Body = strings.NewReplacer(`"text":"Let me look"`, `"text":"\n"`, `"text":" at the tide."`, `"text":"\n"`).Replace(blank.Body)
	f := newFixture(t, t.TempDir(), loopback.Serve(t, blank, stream("done")))
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "When is high water?").Kind)
	assert.Equal(t, strings.Replace(goesBack[0], `{"text":"Let me look at the tide.","type":"text"},`, "", 1), f.messages(1)[1])
}
