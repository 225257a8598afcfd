package sidecar

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

var acme = object{"provider": "acme", "model": "m-1"}

// wholeMessage is what the tests look at of an answer that was assembled.
type wholeMessage struct {
	Message *struct {
		ID      string
		Content []struct{ Text string }
		Source  struct {
			Provider, Model string
			Answered        object
			ReplayState     json.RawMessage
		}
	}
	Keep      bool
	Finish    struct{ Kind string }
	Discarded *struct{ Reason string }
	Violation *struct{ Kind string }
}

func (c *testClient) assemble(finish object, more object) wholeMessage {
	params := object{"requested": acme, "chunks": []any{
		object{"type": "block-start", "index": 0, "blockType": "text"},
		object{"type": "text-delta", "index": 0, "text": "Quay A."},
		object{"type": "block-end", "index": 0, "block": object{"type": "text", "text": "Quay A."}},
		finish,
	}}
	for key, value := range more {
		params[key] = value
	}
	var got wholeMessage
	require.NoError(c.t, json.Unmarshal(c.must("response/assemble", params), &got))
	return got
}

func finishChunk(kind string, state any) object {
	chunk := object{"type": "finish", "reason": object{"kind": kind}}
	if kind == "error" || kind == "aborted" {
		chunk["reason"] = object{"kind": kind, "failure": object{"message": "gone", "code": "SERVER"}}
	}
	if state != nil {
		chunk["replayState"] = state
	}
	return chunk
}

func TestResponseAssemble(t *testing.T) {
	c := newStreamClient(t)
	fits := object{"response": object{}, "blocks": []any{object{}}}

	got := c.assemble(finishChunk("stop", fits), object{"id": "a"})
	assert.True(t, got.Keep)
	assert.Nil(t, got.Violation)
	assert.Equal(t, "a", got.Message.ID)
	assert.JSONEq(t, `{"response":{},"blocks":[{}]}`, string(got.Message.Source.ReplayState))
	assert.Equal(t, "acme m-1", got.Message.Source.Provider+" "+got.Message.Source.Model)
	assert.Nil(t, got.Message.Source.Answered)

	got = c.assemble(finishChunk("stop", object{"response": object{}, "blocks": []any{}}), nil)
	assert.True(t, got.Keep)
	assert.Nil(t, got.Message.Source.ReplayState)
	assert.Equal(t, "entry-count", got.Discarded.Reason)
	assert.NotEmpty(t, got.Message.ID)
	assert.NotEqual(t, got.Message.ID, c.assemble(finishChunk("stop", nil), nil).Message.ID)

	assert.False(t, c.assemble(finishChunk("error", nil), nil).Keep)
	assert.False(t, c.assemble(finishChunk("aborted", nil), nil).Keep)

	got = c.assemble(finishChunk("aborted", fits), object{"interrupted": true})
	assert.True(t, got.Keep, "the caller has seen a text")
	assert.Nil(t, got.Message.Source.ReplayState)
	assert.False(t, c.assemble(finishChunk("aborted", nil), object{"interrupted": true, "chunks": []any{}}).Keep)

	assert.Equal(t, object{"provider": "acme", "model": "m-2"},
		c.assemble(finishChunk("stop", nil), object{"answered": object{"provider": "acme", "model": "m-2"}}).Message.Source.Answered)
	assert.Nil(t, c.assemble(finishChunk("stop", nil), object{"answered": acme}).Message.Source.Answered)

	fault := c.refused("response/assemble", object{"requested": acme, "chunks": []any{object{"type": "text-delta"}}})
	assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code)
	assert.Contains(t, fault.Message, "params.chunks.0")
}

// An answer that failed is not kept, and of one that was aborted only what the caller has seen.
func TestAssembledStreamThatFails(t *testing.T) {
	c := newStreamClient(t)
	for name, in := range map[string]struct {
		push  object
		kind  string
		keep  bool
		texts int
	}{
		"failed":  {object{"error": object{"message": "cut"}}, "error", false, 1},
		"aborted": {object{"aborted": true, "end": true}, "aborted", true, 1},
		"whole":   {object{"parts": []any{part("text-delta", "a", "x"), finishPart}}, "stop", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			push := object{"stream": c.openStream(object{"assemble": true}), "parts": []any{part("text-delta", "a", "x")}}
			for key, value := range in.push {
				push[key] = value
			}
			var got wholeMessage
			require.NoError(t, json.Unmarshal(c.push(push).Assembled, &got))
			assert.Equal(t, in.kind, got.Finish.Kind)
			assert.Equal(t, in.keep, got.Keep)
			assert.Len(t, got.Message.Content, in.texts)
		})
	}
}

func TestRouteOfAnAssembledStream(t *testing.T) {
	c := newStreamClient(t)
	id := c.openStream(object{"assemble": true, "requested": object{"provider": "other", "model": "m-9"}})
	var got wholeMessage
	require.NoError(t, json.Unmarshal(c.push(object{"stream": id, "parts": []any{part("text-delta", "a", "x"), finishPart}}).Assembled, &got))
	assert.Equal(t, "other m-9", got.Message.Source.Provider+" "+got.Message.Source.Model)
	assert.Equal(t, object{"provider": "acme", "model": "m-1"}, got.Message.Source.Answered)
}

func TestHistoryRead(t *testing.T) {
	c := newStreamClient(t)
	image := object{"type": "image", "attachment": object{"attachmentId": "sha256:00", "mediaType": "image/png"}}
	messages := []any{
		object{"id": "1", "role": "user", "content": []any{object{"type": "text", "text": "?"}, image}, "source": object{"kind": "user"}},
		object{"id": "2", "role": "assistant", "content": []any{object{"type": "text", "text": "!"}}, "source": object{
			"kind": "model", "provider": "acme", "model": "m-1", "replayState": object{"response": object{"kind": "other"}},
		}},
	}
	read := func(more object) (got struct {
		Context     json.RawMessage
		Diagnostics []struct{ MessageID string }
		Reports     []struct{ Code, MessageID string }
	}) {
		params := object{"messages": messages, "route": acme}
		for key, value := range more {
			params[key] = value
		}
		require.NoError(t, json.Unmarshal(c.must("history/read", params), &got))
		return got
	}
	got := read(object{"system": "s", "tools": []any{object{"name": "read", "description": "d", "parameters": object{}}}})
	assert.Contains(t, string(got.Context), `"systemPrompt":"s"`)
	assert.Contains(t, string(got.Context), `"tools":[{"name":"read"`)
	require.Len(t, got.Diagnostics, 1)
	assert.Equal(t, "2", got.Diagnostics[0].MessageID)
	require.Len(t, got.Reports, 1)
	assert.Equal(t, "IMAGE_UNAVAILABLE", got.Reports[0].Code)

	assert.Len(t, read(object{"owned": []string{"acme"}}).Diagnostics, 1)
	got = read(object{"owned": []string{}})
	assert.Empty(t, got.Diagnostics, "the state is not looked at")
	assert.Equal(t, "REPLAY_STATE_NOT_OWNED", got.Reports[0].Code)

	fault := c.refused("history/read", object{"route": acme, "messages": []any{object{}, 7}})
	assert.Contains(t, fault.Message, "params.messages.1")
}

func TestHistoryOptions(t *testing.T) {
	c := newStreamClient(t)
	type answer struct {
		Options struct {
			Prompt     []json.RawMessage
			ToolChoice object
			Headers    object
		}
		Tools []struct{ Name string }
		Todos []object
	}
	options := func(more object) (got answer) {
		params := object{"host": "omp", "model": harbour}
		for key, value := range more {
			params[key] = value
		}
		require.NoError(t, json.Unmarshal(c.must("history/options", params), &got))
		return got
	}
	tool := object{"name": "read", "parameters": object{"type": "object"}}
	// The tools of a transcript are found in its messages.
	got := options(object{
		"context": object{"messages": []any{object{"role": "system", "content": "s", "toolsAdded": []any{tool}}, object{"role": "user", "content": "q"}}},
		"call":    object{"sessionId": "x", "headers": object{"a": "b"}, "toolChoice": "required"},
	})
	require.Len(t, got.Tools, 1)
	assert.Equal(t, "read", got.Tools[0].Name)
	assert.Equal(t, object{"a": "b", "x-opencode-session-id": "x"}, got.Options.Headers)
	assert.Equal(t, object{"type": "required"}, got.Options.ToolChoice)
	got = options(object{"context": object{}, "call": object{"sessionId": "x"}, "readme": true})
	assert.Equal(t, object{"x-opencode-session": "x"}, got.Options.Headers)
	assert.Nil(t, got.Todos)
	assert.Empty(t, options(object{"context": object{}}).Options.Prompt)

	// Work that was delegated, and files, of which each version of the protocol has its own form.
	result := object{"role": "toolResult", "toolCallId": "c", "toolName": "task", "isError": false, "content": []any{
		object{"type": "image", "data": "aGk=", "mimeType": "image/png"},
	}}
	history := object{"messages": []any{object{"role": "assistant", "content": []any{object{"type": "toolCall", "id": "c", "name": "task", "arguments": object{}}}}, result}}
	for version, want := range map[string]string{"v2": `"media"`, "v3": `"file-data"`, "v4": `"file"`} {
		assert.Contains(t, string(options(object{"context": history, "version": version}).Options.Prompt[1]), want)
	}
	got = options(object{"context": history, "outcomes": object{"c": object{"text": "all done", "failed": true}}})
	assert.Contains(t, string(got.Options.Prompt[1]), "all done")

	// Tools that are private to another package are withheld, unless the client says which are.
	private := object{"tools": []any{tool, object{"name": "plan_exit"}}, "messages": []any{}}
	assert.Len(t, options(object{"context": private}).Tools, 1)
	assert.Len(t, options(object{"context": private, "package": "cursor-opencode-provider@latest"}).Tools, 2)
	assert.Len(t, options(object{"context": private, "exclude": []string{"read"}}).Tools, 1)
	assert.Len(t, options(object{"context": private, "exclude": []string{}}).Tools, 2)

	for want, more := range map[string]object{
		"params.host":    {"host": "vi", "context": object{}},
		"params.context": {"context": []any{}},
		"params.version": {"context": object{}, "version": "v9"},
	} {
		params := object{"host": "omp", "model": harbour}
		for key, value := range more {
			params[key] = value
		}
		fault := c.refused("history/options", params)
		assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code)
		assert.Contains(t, fault.Message, want)
	}
}

// A push that was cancelled before its turn has taken no part.
func TestCancelledPushTakesNothing(t *testing.T) {
	s := &Server{}
	c := &call{server: s}
	opened, err := streamOpen(t.Context(), c, &streamOpenParams{Host: "pi", Unchecked: true})
	require.NoError(t, err)
	var p streamPushParams
	require.NoError(t, p.UnmarshalJSON([]byte(`{"stream":"`+opened.Stream+`","parts":[{"type":"text-delta","id":"a","delta":"x"}]}`)))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = streamPush(cancelled, c, &p)
	assert.ErrorIs(t, err, context.Canceled)
	result, err := streamPush(t.Context(), c, &p)
	require.NoError(t, err)
	assert.Contains(t, string(result), `"start"`)
	s.streams.close()
	_, err = streamPush(t.Context(), c, &p)
	assert.Error(t, err)
	_, err = streamOpen(t.Context(), c, &streamOpenParams{Host: "pi"})
	assert.Error(t, err, "the connection has ended")
}
