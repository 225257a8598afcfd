package replay

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

const usageJSON = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// withState is a message of the route north/large.
func withState(t testing.TB, content, state string) message.Message {
	return parse(t, `{"id":"m-1","role":"assistant","content":`+content+
		`,"source":{"kind":"model","provider":"north","model":"large","replayState":`+state+`}}`)
}

// A hooks collects what a reader tells.
type hooks struct {
	diagnostics []Diagnostic
	reports     []Report
}

func (h *hooks) reader(reference bool) *Reader {
	return &Reader{
		Reference:    reference,
		Route:        message.Route{Provider: "now", Model: "here"},
		OnDiagnostic: func(d Diagnostic) { h.diagnostics = append(h.diagnostics, d) },
		OnReport:     func(r Report) { h.reports = append(h.reports, r) },
	}
}

func TestAssistantNative(t *testing.T) {
	m := withState(t, storedContent, `{"response":{"kind":"pi-ai","version":2,"api":"chat","provider":"north","model":"large",`+
		`"stopReason":"length","responseId":"","responseModel":"\ud83e"},"blocks":[`+
		`{"type":"reasoning","thinkingSignature":"s1","redacted":false,"textSignature":"no"},`+
		`{"type":"text","textSignature":"","redacted":true},{"type":"tool-call","thoughtSignature":"s<3"}]}`)
	var h hooks
	got, native, err := h.reader(false).Assistant(m)
	require.NoError(t, err)
	assert.True(t, native)
	assert.Empty(t, h.diagnostics)
	// The order of keys and the escapes are those that JavaScript would write.
	assert.Equal(t, `{"role":"assistant","content":[`+
		`{"type":"thinking","thinking":"hm","thinkingSignature":"s1","redacted":false},`+
		`{"type":"text","text":"yes","textSignature":""},`+
		`{"type":"toolCall","id":"c1","name":"look","arguments":{"a":1},"thoughtSignature":"s<3"}],`+
		`"api":"chat","provider":"north","model":"large","responseModel":"\ud83e","responseId":"",`+
		usageJSON+`,"stopReason":"length","timestamp":0}`, string(got.AppendJSON(nil)))
}

func TestAssistantForeign(t *testing.T) {
	for source, route := range map[string]string{
		`{"kind":"model","provider":"north","model":"large"}`: `"provider":"north","model":"large"`,
		// A foreign message goes under the requested route, whoever has answered.
		`{"kind":"model","provider":"north","model":"large","answered":{"provider":"x","model":"y"}}`: `"provider":"north","model":"large"`,
		`{"kind":"plugin","plugin":"notes"}`:        `"provider":"dsh-foreign","model":"dsh-foreign"`,
		`{"kind":"user","replayState":7}`:           `"provider":"dsh-foreign","model":"dsh-foreign"`,
		`{"kind":"model","provider":"","model":""}`: `"provider":"","model":""`,
		`{"kind":"model"}`:                          `"provider":"dsh-foreign","model":"dsh-foreign"`,
		`{"kind":"tool","callId":"c"}`:              `"provider":"dsh-foreign","model":"dsh-foreign"`,
	} {
		m := parse(t, `{"id":"m-1","role":"assistant","content":[{"type":"chart"},{"type":"reasoning","text":"hm"},`+
			`{"type":"tool-result","toolCallId":"c","content":[{"type":"image"}]},{"type":"text","text":"yes"}],"source":`+source+`}`)
		var h hooks
		got, native, err := h.reader(false).Assistant(m)
		require.NoError(t, err)
		assert.False(t, native)
		assert.Empty(t, h.diagnostics, source)
		assert.Empty(t, h.reports, source)
		assert.Equal(t, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}],`+
			`"api":"dsh-foreign",`+route+`,`+usageJSON+`,"stopReason":"stop","timestamp":0}`, string(got.AppendJSON(nil)))
	}
}

func TestAssistantDegrades(t *testing.T) {
	// Two entries for one block: what a cut answer has left behind in old logs.
	m := withState(t, `[{"type":"text","text":"yes"}]`, `{"kind":"pi-ai","version":1,"api":"chat","provider":"north",`+
		`"model":"large","stopReason":"length","blocks":[{"type":"text","textSignature":"s"},{"type":"tool-call"}]}`)
	for _, reference := range []bool{false, true} {
		var h hooks
		r := h.reader(reference)
		for range 2 {
			got, native, err := r.Assistant(m)
			require.NoError(t, err)
			assert.False(t, native)
			assert.Equal(t, Foreign, got.API)
			assert.Equal(t, []Part{{Type: PartText, Text: "yes"}}, got.Content)
		}
		want := Diagnostic{Code: InvalidState, Reason: ResponseNotObject, MessageID: "m-1", Route: r.Route}
		assert.Equal(t, []Diagnostic{want, want}, h.diagnostics)
	}
	// Hooks are not needed.
	_, native, err := new(Reader).Assistant(m)
	require.NoError(t, err)
	assert.False(t, native)
}

func TestAssistantNullState(t *testing.T) {
	var h hooks
	_, native, err := h.reader(false).Assistant(withState(t, `[]`, `null`))
	require.NoError(t, err)
	assert.False(t, native)
	require.Len(t, h.diagnostics, 1)
	assert.Equal(t, EnvelopeNotObject, h.diagnostics[0].Reason)
}

func TestAssistantListAsStopReasonOfReference(t *testing.T) {
	m := withState(t, `[]`, `{"response":{"kind":"pi-ai","version":2,"api":"chat","provider":"north","model":"large",`+
		`"stopReason":["stop"]},"blocks":[]}`)
	got, native, err := (&Reader{Reference: true}).Assistant(m)
	require.NoError(t, err)
	assert.True(t, native)
	assert.Contains(t, string(got.AppendJSON(nil)), `"stopReason":["stop"]`)
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		``:                          `{}`,
		` `:                         `{}`,
		`null`:                      `{}`,
		`[1]`:                       `{}`,
		`"{}"`:                      `{}`,
		`12`:                        `{}`,
		`{"a":1`:                    `{}`,
		`{"a":1} x`:                 `{}`,
		`{"a":1}{}`:                 `{}`,
		"\ufeff{\"a\":1}":           `{}`,
		"\u00a0{\"a\":1}":           `{}`,
		"{\"a\":1}\v":               `{}`,
		" \r\n\t{\"a\" : 1} \n":     `{"a":1}`,
		`{"b":1,"1":2,"b":3}`:       `{"1":2,"b":3}`,
		`{"n":123456789012345671}`:  `{"n":123456789012345660}`,
		`{"n":1e999}`:               `{"n":null}`,
		`{"__proto__":{"a":1}}`:     `{"__proto__":{"a":1}}`,
		"{\"h\":\"\xed\xa0\xbe\"}":  `{"h":"\ud83e"}`,
		`{"h":"\ud83e\uddfe <&>"}`:  "{\"h\":\"\U0001F9FE <&>\"}",
		`{"p":{"q":[null,true,0]}}`: `{"p":{"q":[null,true,0]}}`,
	} {
		assert.Equal(t, want, string(arguments(in)), in)
	}
}

const picture = `{"type":"image","attachment":{"attachmentId":"sha256:ab","mediaType":"image/png","bytes":1,"width":1,"height":1}}`

func TestAssistantImage(t *testing.T) {
	content := `[{"type":"text","text":"see"},` + picture + `,{"type":"tool-call","id":"c","name":"n","arguments":""},{"type":"image"}]`
	m := withState(t, content, `5`)
	var h hooks
	got, native, err := h.reader(false).Assistant(m)
	require.NoError(t, err)
	assert.False(t, native)
	require.Len(t, got.Content, 4)
	assert.Equal(t, PartText, got.Content[1].Type)
	assert.Contains(t, got.Content[1].Text, "image/png")
	assert.NotEmpty(t, got.Content[3].Text)
	assert.Equal(t, "toolUse", got.StopReason)
	assert.Len(t, h.diagnostics, 1)
	assert.Equal(t, []Report{
		{Code: ImageUnavailable, MessageID: "m-1", AttachmentID: "sha256:ab", MediaType: "image/png"},
		{Code: ImageUnavailable, MessageID: "m-1"},
	}, h.reports)

	h = hooks{}
	_, _, err = h.reader(true).Assistant(m)
	var e *Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, Error{UnsupportedContent, "m-1", "sha256:ab"}, *e)
	assert.Contains(t, e.Error(), "m-1")
	assert.Len(t, h.diagnostics, 1)
	assert.Empty(t, h.reports)
}

func TestReportText(t *testing.T) {
	reports := []Report{
		{Code: StateMisaligned, MessageID: "m", Route: message.Route{Provider: "p", Model: "q"}, Blocks: 1, Entries: 2, Cause: "entry-count"},
		{Code: StateNotOwned, MessageID: "m", Route: message.Route{Provider: "p", Model: "q"}, Serving: message.Route{Provider: "r", Model: "s"}},
		{Code: ImageUnavailable, MessageID: "m", AttachmentID: "a"},
	}
	for i, want := range []string{
		`{"code":"REPLAY_STATE_MISALIGNED","messageId":"m","route":{"provider":"p","model":"q"},"blocks":1,"entries":2,"cause":"entry-count"`,
		`{"code":"REPLAY_STATE_NOT_OWNED","messageId":"m","route":{"provider":"p","model":"q"},"serving":{"provider":"r","model":"s"}`,
		`{"code":"IMAGE_UNAVAILABLE","messageId":"m","attachmentId":"a","mediaType":""`,
	} {
		got, err := json.Marshal(reports[i])
		require.NoError(t, err)
		assert.JSONEq(t, want+`,"message":"`+reports[i].String()+`"}`, string(got))
	}
}
