package sidecar

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// alone serves calls without a connection: callbacks fail.
func alone(t testing.TB, adapters *stockAdapters) *call {
	p, _, err := openProcess(t.Context(), patient(Options{Logger: slog.New(slog.DiscardHandler)}),
		&initializeParams{AgentDir: t.TempDir(), Config: &configuration{Adapters: adapters}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.close(t.Context()) })
	return &call{server: &Server{process: p, log: slog.New(slog.DiscardHandler)}}
}

// Whatever the params of a turn are, they are refused or give a result that is JSON.
func FuzzTurnStart(f *testing.F) {
	for _, seed := range []string{
		`{"request":{"sessionId":"s","activeTools":["t"],"cwd":"/w","piSystemPrompt":"","systemPromptOptions":{"customPrompt":"\ud800","contextFiles":[{"path":"a","content":"b"}]}},` +
			`"contributions":[{"handle":1,"id":"a"},{"handle":2,"id":"\ud800","priority":1e308,"content":"\ud83d"},{"handle":3,"id":"b","priority":"-Infinity","providers":[],"activeTools":["t"]}],` +
			`"branch":[{"type":"custom","customType":"pi-developer-messages/group","data":{"entries":[{"role":"developer","id":"a","content":"x"}]}}]}`,
		`{"request":{"sessionId":null}}`, `{"request":{"sessionId":"s"},"branch":[null,{"data":[]}],"contributions":[null]}`, `{"contributions":{}}`,
	} {
		f.Add(seed)
	}
	c := alone(f, &stockAdapters{out: true})
	f.Fuzz(func(t *testing.T, params string) {
		if !jsonspan.Valid([]byte(params)) || params[strings.IndexFunc(params, func(r rune) bool { return r > ' ' })] != '{' {
			return
		}
		got, err := turnMethods["turn/start"].serve(t.Context(), c, json.RawMessage(params))
		if err != nil {
			return
		}
		raw, err := json.Marshal(got)
		require.NoError(t, err)
		var again turnStartResult
		require.NoError(t, json.Unmarshal(raw, &again))
		require.NotNil(t, again.SystemPrompt)
		require.NotNil(t, again.State)
	})
}

// A payload of 10 MB is adapted by a few small edits.
func TestLargePayload(t *testing.T) {
	body := testpayload.Large("openai-responses", "10MB")
	c := alone(t, nil)
	serve := func(table map[string]method, name string, params object) json.RawMessage {
		raw, err := json.Marshal(params)
		require.NoError(t, err)
		got, err := table[name].serve(t.Context(), c, raw)
		require.NoError(t, err)
		raw, err = json.Marshal(got)
		require.NoError(t, err)
		return raw
	}
	serve(turnMethods, "turn/start", object{"request": request("s", object{"piSystemPrompt": testpayload.SystemPrompt}),
		"contributions": []any{object{"handle": 1, "id": "a", "content": "A"}}})
	raw := serve(payloadMethods, "payload/adapt", object{"sessionId": "s", "provider": "p", "api": "openai-responses", "payload": json.RawMessage(body)})
	assert.Less(t, len(raw), 10_000)
	got := result[struct {
		Answered bool
		Edits    []wireEdit
	}](t, raw)
	assert.True(t, got.Answered)
	assert.Len(t, got.Edits, 3, "the prompt, and two messages")
	after, err := carryOut(body, got.Edits)
	require.NoError(t, err)
	assert.Contains(t, string(after[:5000]), "You are s.")
	assert.Greater(t, len(after), len(body)-len(testpayload.SystemPrompt))
}

// An option of another type is missing to the turn, and no more than that is.
func TestOptionsOfOtherTypes(t *testing.T) {
	c := alone(t, &stockAdapters{out: true})
	serve := func(name, params string) (any, error) {
		return methods[name].serve(t.Context(), c, json.RawMessage(params))
	}
	options := `"systemPromptOptions":{"customPrompt":"You are <Pilot>.","appendSystemPrompt":5,"contextFiles":"x","skills":[{"name":{}}]}`
	want := []string{"systemPromptOptions.appendSystemPrompt: want a string, got number",
		"systemPromptOptions.contextFiles: want an array, got string", "systemPromptOptions.skills.name: want a string, got object"}
	got, err := serve("turn/start", `{"request":{"prompt":"\ud83d","sessionId":"s",`+options+`}}`)
	require.NoError(t, err)
	turn := got.(*turnStartResult)
	assert.EqualValues(t, "You are <Pilot>.", *turn.SystemPrompt)
	assert.Equal(t, want, turn.Report.Options)

	got, err = serve("envelope/capture", `{"request":{"sessionId":"s",`+options+`}}`)
	require.NoError(t, err)
	assert.Equal(t, want, got.(*envelopeCaptureResult).Report.Options)
	got, err = serve("envelope/render", `{"context":{"systemPromptOptions":[]}}`)
	require.NoError(t, err)
	assert.Equal(t, []string{"systemPromptOptions: want an object, got array"}, got.(envelopeRenderResult).Report.Options)
	_, err = serve("session/start", `{"sessionId":"s","restore":{"request":{`+options+`}}}`)
	require.NoError(t, err)
	got, err = serve("envelope/current", `{"sessionId":"s"}`)
	require.NoError(t, err)
	assert.Equal(t, "You are <Pilot>.", got.(envelopeCurrentResult).Envelope.SystemPrompt)
}

// The message has the way to what does not fit, also in objects that read themselves.
func TestPathOfWrongParams(t *testing.T) {
	c := alone(t, &stockAdapters{out: true})
	for params, want := range map[string]string{
		`turn/start {"request":{"sessionId":"s","activeTools":"x"}}`:                                "request.activeTools: want an array, got string",
		`turn/start {"request":{"sessionId":"s","cwd":5,"systemPromptOptions":{"cwd":5}}}`:          "request.cwd: want a string, got number",
		`turn/start {"request":{"sessionId":"s","systemPromptOptions":{"cwd":5},"cwd":5}}`:          "request.cwd: want a string, got number",
		`envelope/render {"context":{"provider":5}}`:                                                "context.provider: want a string, got number",
		`envelope/current {"sessionId":"s","overrides":{"activeTools":[5]}}`:                        "overrides.activeTools: want a string, got number",
		`envelope/current {"sessionId":"s","overrides":{"cwd":{}}}`:                                 "overrides.cwd: want a string, got object",
		`session/start {"sessionId":"s","restore":{"state":{"messages":[{"id":"a","content":1}]}}}`: "restore.state.messages.content: want a string, got number",
		`session/start {"sessionId":"s","restore":{"request":{"activeTools":[1]}}}`:                 "restore.request.activeTools: want a string, got number",
	} {
		name, given, _ := strings.Cut(params, " ")
		_, err := methods[name].serve(t.Context(), c, json.RawMessage(given))
		var fault *jsonrpc.Error
		if assert.ErrorAs(t, err, &fault, params) {
			assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code, params)
			assert.Equal(t, "params."+want, fault.Message)
		}
	}
}
