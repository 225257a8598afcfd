package sidecar

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

func TestSessionMethods(t *testing.T) {
	first := newTestClient(t, Options{}, nil)
	first.initialize(bare(t, nil))
	files := object{"systemPromptOptions": object{"contextFiles": []any{object{"path": "/w/AGENTS.md", "content": wideText("Read \xed\xa0\xbd me.")}}}}
	got := result[turnStartResult](t, first.must("turn/start", object{"request": request("s", files)}))
	require.NotNil(t, got.State)
	assert.Contains(t, got.State.ContextText, "Read \xed\xa0\xbd me.")

	// Another process goes on with what the client kept.
	second := newTestClient(t, Options{}, nil)
	second.initialize(bare(t, nil))
	second.must("session/start", object{"sessionId": "s", "restore": object{"request": request("s", files), "state": got.State}})
	message := func(c *testClient) string { return string(c.must("context/message", object{"sessionId": "s"})) }
	assert.Equal(t, message(first), message(second))
	current := func(c *testClient) string {
		return string(c.must("envelope/current", object{"sessionId": "s", "overrides": object{"provider": nil, "activeTools": []string{"t"}}}))
	}
	assert.Equal(t, current(first), current(second))

	second.must("session/end", object{"sessionId": "s", "reason": "quit"})
	assert.Contains(t, message(second), `"message":null`)
	second.must("session/start", object{"sessionId": "s"})
	assert.JSONEq(t, `{"envelope":null}`, current(second))
	for _, method := range []string{"session/start", "session/end", "context/message", "envelope/current", "envelope/clear", "payload/adapt"} {
		assert.Equal(t, jsonrpc.CodeInvalidParams, second.refused(method, object{}).Code, method)
	}
	assert.Contains(t, second.refused("turn/start", object{}).Message, "params.request.sessionId")
}

func TestEnvelopeMethods(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, nil))
	list := []any{object{"handle": 1, "id": "a", "content": "A"}}
	captured := result[envelopeCaptureResult](t, c.must("envelope/capture", object{"request": request("s", nil), "contributions": list, "branch": []any{}}))
	assert.Equal(t, []string{"a: A"}, said(captured.Envelope))
	assert.Equal(t, "You are s.", captured.Envelope.SystemPrompt)
	assert.Equal(t, "BASE", *captured.State.Base)
	require.Len(t, captured.Audit, 1)
	// The branch tells what is recorded already; without it nothing is looked at.
	entry := object{"type": "custom", "customType": captured.Audit[0].CustomType, "data": captured.Audit[0].Data}
	again := result[envelopeCaptureResult](t, c.must("envelope/capture", object{"request": request("s", nil), "contributions": list, "branch": []any{entry}}))
	assert.Empty(t, again.Audit)
	assert.Equal(t, 2, again.Report.Audit.Current)
	none := result[envelopeCaptureResult](t, c.must("envelope/capture", object{"request": request("s", nil), "contributions": list}))
	assert.Empty(t, none.Audit)
	assert.Zero(t, none.Report.Audit)

	current := result[envelopeCurrentResult](t, c.must("envelope/current", object{"sessionId": "s", "overrides": object{"cwd": "/elsewhere"}}))
	require.Len(t, current.Envelope.DeveloperMessages, 1, "the contributions are those of the call")
	assert.Contains(t, current.Envelope.DeveloperMessages[0].Content, "<cwd>/elsewhere</cwd>\n  <shell>zsh</shell>\n  <current_date>2026-03-09</current_date>\n  <timezone>Europe/Lisbon</timezone>")
	rendered := result[envelopeRenderResult](t, c.must("envelope/render", object{"context": object{"sessionId": "x", "activeTools": []string{}}, "contributions": list}))
	assert.Len(t, rendered.Messages, 1)
	assert.Len(t, rendered.Report.Contributions, 1)
	c.must("envelope/clear", object{"sessionId": "s"})
	assert.JSONEq(t, `{"envelope":null}`, string(c.must("envelope/current", object{"sessionId": "s"})))
}

func TestWrongParamsAreNamed(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, nil))
	for _, wrong := range []struct {
		method string
		params object
		at     string
	}{
		{"turn/start", object{"request": object{"sessionId": 7}}, "request.sessionId"},
		{"turn/start", object{"request": object{"sessionId": "s", "activeTools": "t"}}, "request.activeTools"},
		{"turn/start", object{"request": request("s", nil), "contributions": []any{object{"handle": "1"}}}, "contributions.handle"},
		{"turn/start", object{"request": request("s", nil), "contributions": []any{object{"handle": 1, "id": nil, "priority": "high"}}}, "contributions.priority"},
		{"turn/start", object{"request": request("s", nil), "branch": object{}}, "branch"},
		{"session/start", object{"sessionId": "s", "restore": object{"state": object{"messages": 1}}}, "restore.state.messages"},
		{"session/end", object{"sessionId": []string{}}, "sessionId"},
		{"envelope/current", object{"sessionId": "s", "overrides": object{"cwd": 1}}, "cwd"},
		{"payload/adapt", object{"sessionId": "s", "provider": 1, "payload": object{}}, "params.provider"},
		{"payload/adapt", object{"sessionId": "s"}, "params.payload"},
		{"audit/settings", object{"auditEntries": "developer"}, "auditEntries"},
		{"audit/view", object{"columns": "80"}, "columns"},
	} {
		fault := c.refused(wrong.method, wrong.params)
		assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code, wrong.method)
		assert.Contains(t, fault.Message, wrong.at, wrong.method)
	}
}

func TestPayloadAdapt(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, object{"config": object{}}))
	adapt := func(payload string) payloadAdaptResult {
		params := object{"sessionId": "s", "provider": "p", "api": "anthropic-messages", "model": nil, "payload": json.RawMessage(payload)}
		return result[payloadAdaptResult](t, c.must("payload/adapt", params))
	}
	got := adapt(`{"system":"BASE"}`)
	assert.False(t, got.Answered)
	assert.EqualValues(t, "no-captured-state", got.Reason)

	list := []any{object{"handle": 1, "id": "a", "content": "Keep <this>."}}
	c.must("turn/start", object{"request": request("s", nil), "contributions": list})
	var wire struct{ Edits []wireEdit }
	raw := c.must("payload/adapt", object{"sessionId": "s", "provider": "p", "api": "anthropic-messages",
		"payload": json.RawMessage(`{"n":12345678901234567890,"system":[{"type":"text","text":"BASE","cache_control":{}}],"messages":[]}`)})
	wire = result[struct{ Edits []wireEdit }](t, raw)
	after, err := carryOut(json.RawMessage(`{"n":12345678901234567890,"system":[{"type":"text","text":"BASE","cache_control":{}}],"messages":[]}`), wire.Edits)
	require.NoError(t, err)
	assert.Contains(t, string(after), `{"n":12345678901234567890,"system":[{"type":"text","text":"You are s.","cache_control":{}},{"type":"text","text":"<pi_developer_prompt_message id=\"a\">\nKeep <this>.`)
	assert.NotContains(t, string(raw), `\u003c`, "nothing is escaped for HTML")

	got = adapt(string(after))
	assert.False(t, got.Answered, "it is as it should be")
	assert.Empty(t, got.Edits)
	assert.EqualValues(t, "provider-changed", result[payloadAdaptResult](t, c.must("payload/adapt",
		object{"sessionId": "s", "provider": "q", "api": "anthropic-messages", "payload": object{}})).Reason)
}

func TestAuditMethods(t *testing.T) {
	c := newTestClient(t, Options{}, nil)
	c.initialize(bare(t, nil))
	turn := func() turnStartResult {
		return result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "branch": []any{}}))
	}
	got := turn()
	require.Len(t, got.Audit, 1)
	view := result[auditViewResult](t, c.must("audit/view", object{"customType": got.Audit[0].CustomType, "data": got.Audit[0].Data, "expanded": true, "columns": 30}))
	require.Len(t, view.View.Rows, 1)
	assert.EqualValues(t, "[developer] developer · envir…", view.View.Rows[0].Heading)
	assert.True(t, view.View.Rows[0].Expanded)
	assert.Nil(t, result[auditViewResult](t, c.must("audit/view", object{"customType": "other", "data": 1})).View)
	assert.Equal(t, "Invalid prompt audit entry", result[auditViewResult](t, c.must("audit/view", object{"customType": envelope.TypeAuditGroup})).View.Invalid)

	c.must("audit/settings", object{"auditEntries": []string{"context-user"}})
	assert.Empty(t, turn().Audit)
	c.must("audit/settings", object{"auditEntries": nil})
	assert.Len(t, turn().Audit, 1)
}
