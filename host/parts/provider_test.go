package parts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// recorded is a model that gives answers in parts, one JSON a line, one answer for each call.
type recorded struct {
	answers []string
	calls   []*parts.Call
}

func (r *recorded) ask(_ context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
	answer := r.answers[min(len(r.calls), len(r.answers)-1)]
	r.calls = append(r.calls, call)
	return stream.ReadParts(strings.NewReader(answer))
}

// prompt is that of a call, as JSON.
func (r *recorded) prompt(at int) string {
	var out []byte
	for i := range r.calls[at].Prompt {
		out = append(r.calls[at].Prompt[i].AppendJSON(out, r.calls[at].Version), '\n')
	}
	return string(out)
}

const (
	said = `{"type":"reasoning-start","id":"1"}
{"type":"reasoning-delta","id":"1","delta":"Hm."}
{"type":"reasoning-end","id":"1","providerMetadata":{"acme":{"signature":"s1"}}}
{"type":"text-delta","id":"2","delta":"Done."}
{"type":"finish","finishReason":{"unified":"stop"},"usage":{"inputTokens":{"total":7},"outputTokens":{"total":3,"reasoning":1}}}
`
	called = `{"type":"tool-call","toolCallId":"c1","toolName":"task","input":"{\"at\":1}"}
{"type":"finish","finishReason":{"unified":"tool-calls"},"usage":{}}
`
)

func loopOf(t testing.TB, p *parts.Provider) *turn.Loop {
	s, err := session.Create(context.Background(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	l := &turn.Loop{Session: s, Router: &turn.Router{}, Route: message.Route{Provider: "acme", Model: "harbour-2"}}
	require.NoError(t, l.Router.Register(p, "acme", "acme-west"))
	return l
}

func ask(t testing.TB, l *turn.Loop, prompt string) turn.Outcome {
	t.Helper()
	o, err := l.Prompt(context.Background(), []message.Block{{Type: message.Text, Text: prompt}})
	require.NoError(t, err)
	return o
}

func TestAnswersComeBackInTheProvidersWords(t *testing.T) {
	m := &recorded{answers: []string{called, said}}
	l := loopOf(t, &parts.Provider{API: "acme-wire", Ask: m.ask})
	l.System = "You are Harbour."
	tool := turn.Tool{Run: func(context.Context, json.RawMessage) ([]message.Block, error) {
		return []message.Block{{Type: message.Text, Text: "free"}}, nil
	}}
	tool.Name, tool.Parameters = "task", json.RawMessage(`{"type":"object"}`) // a name that hosts of the Pi family restate
	l.Tools = []turn.Tool{tool}
	o := ask(t, l, "Which quay?")
	assert.Equal(t, turn.Completed, o.Kind)
	assert.Equal(t, message.Usage{Input: 7, Output: 3, Reasoning: 1}, o.Usage)
	assert.Equal(t, "task", m.calls[0].Tools[0].Name)
	assert.Equal(t, `{"role":"system","content":"You are Harbour."}
{"role":"user","content":[{"type":"text","text":"Which quay?"}]}
`, m.prompt(0))
	ask(t, l, "And then?")
	assert.Contains(t, m.prompt(1), `{"type":"tool-call","toolCallId":"c1","toolName":"task","input":{"at":1}}`)
	assert.Contains(t, m.prompt(1), `"output":{"type":"text","value":"free"}`)
	const thought = `{"type":"reasoning","text":"Hm.","providerOptions":{"acme":{"signature":"s1"}}}`
	assert.Contains(t, m.prompt(2), thought)

	// The same instance under another name is another provider, to which the signature means nothing.
	l.Route.Provider = "acme-west"
	ask(t, l, "West?")
	assert.NotContains(t, m.prompt(3), "s1")
	assert.Contains(t, m.prompt(3), `{"type":"reasoning","text":"Hm."}`)
	l.Route.Provider = "acme"
	ask(t, l, "And again?")
	assert.Contains(t, m.prompt(4), thought)
}

// A model that calls what it was not offered is told so, and the turn goes on.
func TestToolsThatAreNotThere(t *testing.T) {
	m := &recorded{answers: []string{called, said}}
	l := loopOf(t, &parts.Provider{API: "a", Ask: m.ask})
	o := ask(t, l, "Which quay?")
	assert.Equal(t, turn.Completed, o.Kind)
	assert.Contains(t, m.prompt(1), `{"type":"error-text","value":"There is no tool \"task\"."}`)
}

func TestDegradedMessagesAreInTheOutcome(t *testing.T) {
	m := &recorded{answers: []string{said}}
	l := loopOf(t, &parts.Provider{API: "acme-wire", Ask: m.ask})
	flat := &turn.Scripted{Answers: []turn.Answer{{Chunks: []message.Chunk{
		{Type: message.TextDelta, Text: "Old."},
		{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}, ReplayState: json.RawMessage(`{"response":{},"blocks":[{}]}`)},
	}}}}
	first := l.Router
	l.Router = &turn.Router{}
	require.NoError(t, l.Router.Register(flat, "acme"))
	ask(t, l, "one")
	l.Router = first
	l.OnDiagnostic = func(replay.Diagnostic) {}
	o := ask(t, l, "two")
	require.Len(t, o.Diagnostics, 1)
	assert.Equal(t, replay.WrongKind, o.Diagnostics[0].Reason)
	assert.Contains(t, m.prompt(0), "Old.")
}

func TestFailures(t *testing.T) {
	lost := errors.New("connection reset by peer")
	begun := &stream.Part{Type: stream.PartTextDelta, ID: "1", Delta: "Half"}
	header := http.Header{"Retry-After-Ms": {"250"}, "Request-Id": {"r1"}, "Set-Cookie": {"secret=1"}}
	for name, c := range map[string]struct {
		provider parts.Provider
		want     message.Failure
	}{
		"an error": {parts.Provider{API: "a", Ask: yielding(begun, lost)}, message.Failure{Message: lost.Error(), Code: "TRANSPORT"}},
		"a part": {parts.Provider{API: "a", Ask: yielding(begun, parts.Failure("slow down", &http.Response{StatusCode: 429, Header: header}))},
			message.Failure{Message: "slow down", Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 250, RequestID: "r1"}},
		"without a response": {parts.Provider{API: "a", Ask: yielding(parts.Failure("no such host, fetch failed", nil))},
			message.Failure{Message: "no such host, fetch failed", Code: "TRANSPORT"}},
		"cut": {parts.Provider{API: "a", Ask: yielding(begun)},
			message.Failure{Message: "The answer has ended without a finish: it may be incomplete.", Code: "TRANSPORT"}},
		"no API": {parts.Provider{Ask: yielding()}, message.Failure{
			Message: "the provider of parts needs an API and a function Ask", Code: message.Unknown}},
		"no Ask": {parts.Provider{API: "a"}, message.Failure{
			Message: "the provider of parts needs an API and a function Ask", Code: message.Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			o := ask(t, loopOf(t, &c.provider), "hi")
			require.NotNil(t, o.Failure)
			assert.Equal(t, c.want, *o.Failure)
		})
	}
	assert.NotContains(t, string(parts.Failure("x", &http.Response{Header: header}).Error), "secret")
}

func TestARequestThatHasFilledTheWindow(t *testing.T) {
	for window, want := range map[int64]turn.Kind{0: turn.Completed, 7: turn.Completed, 6: turn.Failed} {
		m := &recorded{answers: []string{said}} // of seven tokens
		assert.Equal(t, want, ask(t, loopOf(t, &parts.Provider{API: "a", Ask: m.ask, ContextWindow: window}), "hi").Kind, window)
	}
}

// Thoughts that the provider hides are known as such in what is kept, and go back as they came.
func TestHiddenThoughts(t *testing.T) {
	const hidden = `{"acme":{"redactedData":"sealed"}}`
	m := &recorded{answers: []string{`{"type":"reasoning-start","id":"0","providerMetadata":` + hidden + "}\n" +
		`{"type":"reasoning-end","id":"0"}` + "\n" + said}}
	l := loopOf(t, &parts.Provider{API: "a", Ask: m.ask})
	ask(t, l, "one")
	assert.Contains(t, string(l.Session.Messages()[1].Source.ReplayState), `"redacted":true`)
	ask(t, l, "two")
	assert.Contains(t, m.prompt(1), `{"type":"reasoning","text":"","providerOptions":`+hidden+`}`)
}

// yielding is an Ask that gives parts and errors.
func yielding(list ...any) func(context.Context, *parts.Call) iter.Seq2[*stream.Part, error] {
	return func(context.Context, *parts.Call) iter.Seq2[*stream.Part, error] {
		return func(yield func(*stream.Part, error) bool) {
			for _, v := range list {
				p, _ := v.(*stream.Part)
				err, _ := v.(error)
				if !yield(p, err) {
					return
				}
			}
		}
	}
}

func TestWhatIsIgnoredIsTold(t *testing.T) {
	m := &recorded{answers: []string{`{"type":"source","url":"https://quay.example"}` + "\n" + said}}
	var told []string
	ask(t, loopOf(t, &parts.Provider{API: "a", Ask: m.ask, OnIgnored: func(i stream.Ignored) { told = append(told, i.Part) }}), "hi")
	assert.Equal(t, []string{"source"}, told)
}

// Whatever texts and signatures an answer has, the next call has the same.
func TestSignaturesComeBackWhateverTheyAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(1, 40, -1).Draw(rt, "text")
		signature := rapid.String().Draw(rt, "signature")
		metadata, _ := json.Marshal(map[string]any{"acme": map[string]any{"signature": signature}})
		m := &recorded{}
		l := loopOf(t, &parts.Provider{API: "a", Ask: func(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
			m.calls = append(m.calls, call)
			return yielding(
				&stream.Part{Type: stream.PartReasoningDelta, ID: "r", Delta: text},
				&stream.Part{Type: stream.PartReasoningEnd, ID: "r", Metadata: metadata},
				&stream.Part{Type: stream.PartTextDelta, ID: "t", Delta: text, Metadata: metadata},
				&stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`"stop"`)},
			)(ctx, call)
		}})
		require.Equal(rt, turn.Completed, ask(t, l, "one").Kind)
		require.Equal(rt, turn.Completed, ask(t, l, "two").Kind)
		var answer struct {
			Content []struct {
				Text            string
				ProviderOptions map[string]map[string]string
			}
		}
		at := m.calls[1].Prompt[1]
		require.NoError(rt, json.Unmarshal(at.AppendJSON(nil, m.calls[1].Version), &answer))
		require.Len(rt, answer.Content, 2, fmt.Sprint(at))
		for _, p := range answer.Content {
			require.Equal(rt, text, p.Text)
			require.Equal(rt, signature, p.ProviderOptions["acme"]["signature"])
		}
	})
}
