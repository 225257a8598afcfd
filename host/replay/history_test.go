package replay

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

func messages(t testing.TB, texts ...string) []message.Message {
	out := make([]message.Message, len(texts))
	for i, text := range texts {
		out[i] = parse(t, text)
	}
	return out
}

func calling(id, name string) string {
	return `{"id":"a","role":"assistant","content":[{"type":"tool-call","id":"` + id + `","name":"` + name +
		`","arguments":"{}"}],"source":{"kind":"model","provider":"north","model":"large"}}`
}

func user(content string) string {
	return `{"id":"u","role":"user","content":[` + content + `],"source":{"kind":"user"}}`
}

func result(id, content string) string {
	return `{"type":"tool-result","toolCallId":"` + id + `","content":[` + content + `]}`
}

func said(text string) string { return `{"type":"text","text":"` + text + `"}` }

// history returns the converted messages without those of the assistant.
func history(t testing.TB, r *Reader, texts ...string) []Native {
	t.Helper()
	converted, err := r.History(messages(t, texts...))
	require.NoError(t, err)
	var out []Native
	for _, m := range converted {
		if m.Role() != RoleAssistant {
			out = append(out, m)
		}
	}
	return out
}

func TestHistoryUserMessages(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []Native
	}{
		"text is joined":          {user(said("a") + `,{"type":"chart"},` + said("b")), []Native{UserMessage{"ab"}}},
		"empty is sent":           {user(""), []Native{UserMessage{""}}},
		"other kinds say nothing": {user(`{"type":"reasoning","text":"x"}`), []Native{UserMessage{""}}},
		"text before results": {
			user(said("a") + `,` + result("c", said("r")) + `,` + said("b") + `,` + result("d", "")),
			[]Native{
				UserMessage{"ab"}, ToolResultMessage{"c", "unknown", "r", false}, ToolResultMessage{"d", "unknown", "(no output)", false},
			},
		},
		"no text before results": {user(said("") + `,` + result("c", said("r"))), []Native{ToolResultMessage{"c", "unknown", "r", false}}},
		"results flatten": {
			user(result("c", said("1")+`,`+result("d", said("2")+`,`+result("e", said("3")))+`,{"type":"chart"},`+said("4"))),
			[]Native{ToolResultMessage{"c", "unknown", "1234", false}},
		},
		"an error": {
			user(`{"type":"tool-result","toolCallId":"c","content":[],"isError":true}`),
			[]Native{ToolResultMessage{"c", "unknown", "(no output)", true}},
		},
		"a system message": {
			`{"id":"s","role":"system","content":[` + said("a") + `,` + result("c", said("r")) + `,` + said("b") + `],"source":{"kind":"plugin"}}`,
			[]Native{UserMessage{"ab"}},
		},
		"an unknown role":         {`{"id":"x","role":"critic","content":[` + said("a") + `],"source":{}}`, []Native{UserMessage{"a"}}},
		"content that is no list": {`{"id":"x","role":"user","content":"a","source":{}}`, []Native{UserMessage{""}}},
	} {
		for _, reference := range []bool{false, true} {
			assert.Equal(t, c.want, history(t, &Reader{Reference: reference}, c.in), name)
		}
	}
}

func TestHistoryToolNames(t *testing.T) {
	got := history(t, &Reader{},
		user(result("c", "")), calling("c", "first"), user(result("c", "")), calling("c", "second"), calling("d", "other"), user(result("c", "")),
		// A call in a user message is none.
		user(`{"type":"tool-call","id":"c","name":"third","arguments":""}`), user(result("c", "")), calling("c", ""), user(result("c", "")))
	var names []string
	for _, m := range got {
		if r, ok := m.(ToolResultMessage); ok {
			names = append(names, r.ToolName)
		}
	}
	assert.Equal(t, []string{"unknown", "first", "second", "second", ""}, names)
}

func TestHistoryDiagnosticsInOrder(t *testing.T) {
	bad := func(id, state string) string {
		return `{"id":"` + id + `","role":"assistant","content":[],"source":{"kind":"model","provider":"north","model":"large","replayState":` + state + `}}`
	}
	var h hooks
	r := h.reader(false)
	for range 2 { // on every request
		h.diagnostics = nil
		_, err := r.History(messages(t, bad("1", "1"), user(""), bad("2", "{}"), calling("c", "n"), bad("3", `{"response":{}}`)))
		require.NoError(t, err)
		var got []string
		for _, d := range h.diagnostics {
			got = append(got, d.MessageID+" "+string(d.Reason))
			assert.Equal(t, r.Route, d.Route)
		}
		assert.Equal(t, []string{"1 envelope-not-object", "2 response-not-object", "3 kind"}, got)
	}
}

func TestHistoryImages(t *testing.T) {
	system := `{"id":"s","role":"system","content":[` + said("a") + `,` + picture + `],"source":{"kind":"plugin"}}`
	plain, inResult := user(said("a")+`,`+picture+`,`+said("b")), user(result("c", said("r")+`,`+result("d", picture)))
	var h hooks
	got := history(t, h.reader(false), system, plain, inResult)
	require.Len(t, got, 3)
	assert.Regexp(t, `^a.*image/png.*$`, got[0].(UserMessage).Content)
	assert.Regexp(t, `^a.*image/png.*b$`, got[1].(UserMessage).Content)
	assert.Regexp(t, `^r.*image/png.*$`, got[2].(ToolResultMessage).Text)
	assert.Len(t, h.reports, 3)
	assert.Empty(t, h.diagnostics)

	inAnswer := `{"id":"a","role":"assistant","content":[` + result("c", picture) + `],"source":{"kind":"model","provider":"p",` +
		`"model":"m","replayState":5}}`
	for _, text := range []string{system, plain, inResult, inAnswer} {
		h = hooks{}
		_, err := h.reader(true).History(messages(t, user(said("a")), text))
		var e *Error
		require.True(t, errors.As(err, &e))
		assert.Equal(t, UnsupportedContent, e.Code)
		assert.Empty(t, h.reports)
		assert.Empty(t, h.diagnostics, "the reference looks for images first")
	}
}

func TestHistoryOfDeepResults(t *testing.T) {
	const depth = 2000
	text := strings.Repeat(`{"type":"tool-result","toolCallId":"c","content":[`, depth) + said("x") + strings.Repeat(`]}`, depth)
	got := history(t, &Reader{}, user(text))
	assert.Equal(t, []Native{ToolResultMessage{"c", "unknown", "(no output)", false}}, got)
}

func TestContextJSON(t *testing.T) {
	r := &Reader{}
	system := "be <brief>"
	c, err := r.Context(&system, []Tool{{Name: "look", Description: "a & b", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "x"}},
		messages(t, user(said("hi")), user(result("c", ""))))
	require.NoError(t, err)
	assert.Equal(t, `{"systemPrompt":"be <brief>","messages":[{"role":"user","content":"hi","timestamp":0},`+
		`{"role":"toolResult","toolCallId":"c","toolName":"unknown","content":[{"type":"text","text":"(no output)"}],"isError":false,"timestamp":0}],`+
		`"tools":[{"name":"look","description":"a & b","parameters":{"type":"object"}},{"name":"x","description":""}]}`, string(c.AppendJSON(nil)))

	empty := ""
	c, err = r.Context(&empty, []Tool{}, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"systemPrompt":"","messages":[]}`, string(c.AppendJSON(nil)))
	c, err = r.Context(nil, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"messages":[]}`, string(c.AppendJSON(nil)))

	_, err = (&Reader{Reference: true}).Context(nil, nil, messages(t, user(picture)))
	assert.Error(t, err)
}
