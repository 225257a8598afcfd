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
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

func responsesFixture(t *testing.T, dir string, server *loopback.Server) *fixture {
	return newFixture(t, openai.ResponsesAPI, openai.Responses, dir, server)
}

// items are the input items of a request.
func (f *fixture) items(at int) []map[string]any {
	var items []map[string]any
	for _, item := range f.Body(at)["input"].([]any) {
		items = append(items, item.(map[string]any))
	}
	return items
}

func TestResponsesWholeTurn(t *testing.T) {
	dir := t.TempDir()
	server := loopback.Serve(t, stream("responses-call"), stream("responses-done"), stream("responses-done"))
	f := responsesFixture(t, dir, server)
	var streamed strings.Builder
	f.OnChunk = func(c *message.Chunk) { streamed.WriteString(c.Text) }
	done := f.Ask(t.Context(), "When is high water?")
	require.Nil(t, done.Failure)
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Equal(t, int64(2), done.Steps)
	assert.Equal(t, message.Usage{Input: 40, CacheRead: 200, Output: 80, Reasoning: 32}, done.Usage)
	assert.Equal(t, []string{`{"port":"Brest"}`}, f.Ran)
	assert.Equal(t, "The tide matters.So I ask.Let me look at the tide.High water is at 14:10.", streamed.String())

	// What OpenAI gets: the prompt, the envelope where it belongs, the context files as the user's words.
	require.Len(t, server.Requests(), 2)
	first := server.Requests()[0]
	assert.Equal(t, "/v1/responses", first.Path)
	assert.Equal(t, "Bearer secret", first.Header.Get("Authorization"))
	body := f.Body(0)
	assert.Equal(t, "You are a coding agent.", body["instructions"])
	assert.Equal(t, false, body["store"])
	assert.Equal(t, true, body["stream"])
	assert.Equal(t, 512., body["max_output_tokens"])
	assert.Equal(t, []any{"reasoning.encrypted_content"}, body["include"])
	assert.Contains(t, compact(t, body["tools"]), `"name":"tide"`)
	items := f.items(0)
	var roles []string
	for _, item := range items {
		roles = append(roles, item["role"].(string))
	}
	assert.Equal(t, []string{"developer", "developer", "user", "user"}, roles)
	assert.Contains(t, compact(t, items[0]), "Use British spelling.")
	assert.Contains(t, compact(t, items[1]), `id=\"environment\"`)
	assert.Contains(t, compact(t, items[2]), "Quay A is ours.")
	assert.Contains(t, compact(t, items[3]), "When is high water?")

	// What goes back in the second request: the answer, as OpenAI gave it.
	assert.Equal(t, goesBack, itemsFrom(t, f.items(1), 4))
	assert.Equal(t, 1, strings.Count(server.Requests()[1].Body, "Use British spelling."))

	// What is kept, and what is not.
	messages := f.Session.Messages()
	require.Len(t, messages, 4)
	var kinds []string
	for _, b := range messages[1].Content {
		kinds = append(kinds, b.Type)
	}
	assert.Equal(t, []string{"reasoning", "reasoning", "text", "tool-call"}, kinds)
	assert.Contains(t, string(messages[1].Source.ReplayState), "gAAA-sealed")
	assert.Equal(t, "High water is at 14:10.", messages[3].Content[0].Text)
	for e, err := range f.Session.Events(t.Context(), 0) {
		require.NoError(t, err)
		assert.NotContains(t, string(e.Data), "Quay A is ours.")
		assert.NotContains(t, string(e.Data), "secret")
	}

	// Another process takes the session up: nothing that OpenAI wants to see again is lost.
	require.NoError(t, f.Session.Close())
	f = responsesFixture(t, dir, server)
	done = f.Ask(t.Context(), "And tomorrow?")
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Empty(t, done.Diagnostics)
	again := itemsFrom(t, f.items(2), 4)
	require.Greater(t, len(again), len(goesBack))
	assert.Equal(t, goesBack, again[:len(goesBack)])
	assert.Contains(t, again[len(goesBack)], `"id":"msg_2"`)
	assert.Contains(t, again[len(goesBack)+1], "And tomorrow?")
}

// goesBack are the items of the answer in responses-call.sse, and the result of its call.
var goesBack = []string{
	`{"encrypted_content":"gAAA-sealed","id":"rs_1","summary":[{"text":"The tide matters.","type":"summary_text"},{"text":"So I ask.","type":"summary_text"}],"type":"reasoning"}`,
	`{"content":[{"annotations":[],"text":"Let me look at the tide.","type":"output_text"}],"id":"msg_1","phase":"commentary","role":"assistant","status":"completed","type":"message"}`,
	`{"arguments":"{\"port\":\"Brest\"}","call_id":"call_1","id":"fc_1","name":"tide","type":"function_call"}`,
	`{"call_id":"call_1","output":"14:10","type":"function_call_output"}`,
}

func itemsFrom(t *testing.T, items []map[string]any, at int) []string {
	t.Helper()
	require.GreaterOrEqual(t, len(items), at)
	var out []string
	for _, item := range items[at:] {
		out = append(out, strings.TrimSpace(compact(t, item)))
	}
	return out
}

// Reasoning that did not come encrypted cannot go back, and what it led to goes as if nobody had thought.
func TestResponsesReasoningThatIsNotEncrypted(t *testing.T) {
	open := stream("responses-call")
	open.Body = strings.ReplaceAll(open.Body, `,"encrypted_content":"gAAA-sealed"`, "")
	server := loopback.Serve(t, open, stream("responses-done"))
	f := responsesFixture(t, t.TempDir(), server)
	require.Equal(t, turn.Completed, f.Ask(t.Context(), "When is high water?").Kind)
	assert.Equal(t, []string{
		`{"content":"Let me look at the tide.","role":"assistant"}`,
		`{"arguments":"{\"port\":\"Brest\"}","call_id":"call_1","name":"tide","type":"function_call"}`,
		goesBack[3],
	}, itemsFrom(t, f.items(1), 4))
	assert.Equal(t, "The tide matters.", f.Session.Messages()[1].Content[0].Text, "it is kept for people")
}

func TestResponsesCutAtTheLimit(t *testing.T) {
	server := loopback.Serve(t, stream("responses-cut"), stream("responses-done"))
	f := responsesFixture(t, t.TempDir(), server)
	done := f.Ask(t.Context(), "When is high water?")
	assert.Equal(t, turn.MaxTokens, done.Kind)
	assert.Empty(t, f.Ran, "a call that was cut does not run")
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Go on.").Kind)
	items := itemsFrom(t, f.items(1), 3)
	for _, item := range items {
		assert.NotContains(t, item, "function_call")
	}
	assert.Contains(t, items[len(items)-1], "Go on.")
}

func TestResponsesFailures(t *testing.T) {
	failed, begun := stream("responses-failed"), stream("responses-begun")
	dropped := begun
	dropped.Drop = true
	event := begun
	event.Body += "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Rate limit reached.\",\"param\":null,\"sequence_number\":9}\n\n"
	bare := begun
	bare.Body += "event: error\ndata: {\"type\":\"error\",\"code\":null,\"message\":\"Rate limit reached.\",\"param\":null,\"sequence_number\":9}\n\n"
	quota := loopback.Reply{Status: 429, Header: map[string]string{"x-should-retry": "false", "x-request-id": "req_9"},
		Body: `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota","param":null}}`}
	limited := loopback.Reply{Status: 429, Header: map[string]string{"x-should-retry": "false", "retry-after": "20"},
		Body: `{"error":{"message":"Rate limit reached.","type":"tokens","code":"rate_limit_exceeded","param":null}}`}
	long := loopback.Reply{Status: 400,
		Body: `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded","param":"input"}}`}
	for name, c := range map[string]struct {
		reply loopback.Reply
		want  message.Failure
	}{
		"failed on its way": {failed, message.Failure{Message: "The model has gone. (server_error)", Code: "SERVER"}},
		"error event":       {event, message.Failure{Message: "Rate limit reached. (rate_limit_exceeded)", Code: "RATE_LIMIT"}},
		"without a code":    {bare, message.Failure{Message: "Rate limit reached.", Code: "RATE_LIMIT"}},
		"cut":               {begun, message.Failure{Message: "The answer has ended without a finish: it may be incomplete.", Code: "TRANSPORT"}},
		"connection lost":   {dropped, message.Failure{Message: "unexpected EOF", Code: "TRANSPORT"}},
		"quota": {quota, message.Failure{
			Message: "429 Too Many Requests: You exceeded your current quota. (insufficient_quota)", Code: "QUOTA", Status: 429, RequestID: "req_9",
		}},
		"limit": {limited, message.Failure{
			Message: "429 Too Many Requests: Rate limit reached. (rate_limit_exceeded)", Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 20000,
		}},
		"too long": {long, message.Failure{
			Message: "400 Bad Request: Your input exceeds the context window of this model. (context_length_exceeded)",
			Code:    "CONTEXT_WINDOW_EXCEEDED", Status: 400,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := responsesFixture(t, t.TempDir(), loopback.Serve(t, c.reply, stream("responses-done")))
			done := f.Ask(t.Context(), "When is high water?")
			assert.Equal(t, turn.Failed, done.Kind)
			require.NotNil(t, done.Failure)
			assert.Equal(t, c.want, *done.Failure)
			assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Again?").Kind, "the session goes on")
		})
	}
}

// The SDK tries again on its own, with the envelope in each of its requests.
func TestResponsesRetriesOfTheSDK(t *testing.T) {
	busy := loopback.Reply{Status: 429, Header: map[string]string{"retry-after-ms": "1"}, Body: `{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}`}
	server := loopback.Serve(t, busy, loopback.Reply{Status: 503, Header: map[string]string{"retry-after-ms": "1"}}, stream("responses-done"))
	f := responsesFixture(t, t.TempDir(), server)
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "When is high water?").Kind)
	requests := server.Requests()
	require.Len(t, requests, 3)
	for _, r := range requests {
		assert.Equal(t, requests[0].Body, r.Body)
		assert.Equal(t, 1, strings.Count(r.Body, "Use British spelling."))
	}
	assert.Equal(t, "2", requests[2].Header.Get("X-Stainless-Retry-Count"), "it was the SDK that has tried again")
}

func TestResponsesCancelled(t *testing.T) {
	begun := stream("responses-begun")
	begun.Hang = true
	server := loopback.Serve(t, begun, stream("responses-done"))
	f := responsesFixture(t, t.TempDir(), server)
	ctx, cancel := context.WithCancelCause(t.Context())
	f.OnChunk = func(c *message.Chunk) {
		if c.Type == message.TextDelta {
			cancel(&turn.Cancel{Kind: "impatient"})
		}
	}
	done := f.Ask(ctx, "When is high water?")
	assert.Equal(t, turn.Aborted, done.Kind)
	server.WaitGone(t) // the request has ended with it
	assert.Equal(t, "High water is ", f.Last().Content[0].Text)
	ends := 0
	for e, err := range f.Session.Events(t.Context(), 0) {
		require.NoError(t, err)
		if e.Type == session.TurnEnd {
			ends++
			assert.Contains(t, string(e.Data), "impatient")
		}
	}
	assert.Equal(t, 1, ends)
	f.OnChunk = nil
	assert.Equal(t, turn.Completed, f.Ask(t.Context(), "Again.").Kind)
	assert.Contains(t, server.Requests()[1].Body, "High water is ")
}
