package turn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// texts are what providers send, half a surrogate pair included.
var texts = rapid.SampledFrom([]string{"", " ", "Quay A", "é\x00\"\\<&>", "🧾", "\xed\xa0\xbe", "\xed\xb7\xbe x", "\u2028"})

// drawNative draws a native answer of a route; id tells its calls from those of others.
func drawNative(t *rapid.T, id int, route message.Route) replay.AssistantMessage {
	optional := func(label string) *string {
		if !rapid.Bool().Draw(t, "has "+label) {
			return nil
		}
		text := texts.Draw(t, label)
		return &text
	}
	m := replay.AssistantMessage{
		API: "openai-completions", Provider: route.Provider, Model: route.Model,
		ResponseModel: optional("responseModel"), ResponseID: optional("responseId"),
		StopReason: rapid.SampledFrom([]string{"stop", "length"}).Draw(t, "stopReason"),
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "parts") {
		p := replay.Part{Signature: optional("signature")}
		switch p.Type = rapid.SampledFrom([]string{replay.PartText, replay.PartThinking, replay.PartToolCall}).Draw(t, "kind"); p.Type {
		case replay.PartThinking:
			if rapid.Bool().Draw(t, "says redacted") {
				redacted := rapid.Bool().Draw(t, "redacted")
				p.Redacted = &redacted
			}
			fallthrough
		case replay.PartText:
			p.Text = texts.Draw(t, "text")
		case replay.PartToolCall:
			p.ID, p.Name = fmt.Sprintf("c%d-%d", id, i), "look"
			p.Arguments = json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"1":[1.5,null],"a":{"b":"\ud83e"}}`}).Draw(t, "arguments"))
			if m.StopReason == "stop" {
				m.StopReason = "toolUse"
			}
		}
		m.Content = append(m.Content, p)
	}
	return m
}

// stream makes the answer that streams a native message, as an adapter that was called with a route does.
func stream(t require.TestingT, m replay.AssistantMessage, requested message.Route) turn.Answer {
	w := replay.Writer{Requested: requested}
	var a turn.Answer
	emit := func(format string, args ...any) {
		chunks, err := w.Event(fmt.Appendf(nil, format, args...))
		require.NoError(t, err)
		a.Chunks = append(a.Chunks, chunks...)
	}
	var native struct{ Content []json.RawMessage }
	raw := m.AppendJSON(nil)
	require.NoError(t, json.Unmarshal(raw, &native))
	for i, p := range m.Content {
		kind := map[string]string{replay.PartText: "text", replay.PartThinking: "thinking", replay.PartToolCall: "toolcall"}[p.Type]
		text := wtf8.AppendQuote(nil, p.Text+string(p.Arguments))
		emit(`{"type":"%s_start","contentIndex":%d}`, kind, i)
		emit(`{"type":"%s_delta","contentIndex":%d,"delta":%s}`, kind, i, text)
		emit(`{"type":"%s_end","contentIndex":%d,"content":%s,"toolCall":%s}`, kind, i, text, native.Content[i])
	}
	emit(`{"type":"done","reason":"%s","message":%s}`, m.StopReason, raw)
	require.NoError(t, w.End())
	return a
}

// remembered is what of an answer goes to the model again: a cut one loses its calls, and one without
// content is left out.
func remembered(m replay.AssistantMessage) (replay.AssistantMessage, bool) {
	kept := []replay.Part{}
	for _, p := range m.Content {
		if m.StopReason != "length" || p.Type != replay.PartToolCall {
			kept = append(kept, p)
		}
	}
	m.Content = kept
	return m, len(kept) > 0
}

// process is one that has just been started and has nothing but the folder. It makes one turn of the
// session there, which it begins if there is none, and returns the requests that the model got.
func process(t *testing.T, rt *rapid.T, folder string, answers []turn.Answer) []*turn.Request {
	f := &fixture{t: t, store: session.NewDir(folder), model: &turn.Scripted{Answers: answers}}
	f.Loop = &turn.Loop{Router: &turn.Router{}, Route: large, Tools: []turn.Tool{lookTool()}}
	f.OnReport = func(r replay.Report) { rt.Fatalf("lost: %s", &r) }
	require.NoError(rt, f.Router.Register(f.model, large.Provider, mini.Provider))
	s, recovery, err := session.Open(t.Context(), f.store, "s", session.Options{})
	if errors.Is(err, session.ErrNotFound) {
		s, err = session.Create(t.Context(), f.store, session.Header{ID: "s"}, session.Options{})
	}
	require.NoError(rt, err)
	require.Empty(rt, recovery)
	f.Session = s
	outcome := f.prompt("go on")
	require.Nil(rt, outcome.Failure)
	require.NoError(rt, s.Close())
	return f.model.Requests()
}

// What a provider has answered comes back to it as it was, signatures, ids and all, in processes that
// know of it what is on disk alone.
func TestAnswersComeBackFromDisk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		folder, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		var want []string
		var answers []turn.Answer
		for i := range rapid.IntRange(1, 4).Draw(rt, "answers") {
			m := drawNative(rt, i, rapid.SampledFrom([]message.Route{large, mini}).Draw(rt, "route"))
			answers = append(answers, stream(rt, m, large))
			if back, ok := remembered(m); ok {
				want = append(want, string(back.AppendJSON(nil)))
			}
		}
		answers = append(answers, answer(stop), answer(stop)) // one may be needed behind a tool call
		for len(answers) > 1 {
			answers = answers[len(process(t, rt, folder, answers)):]
		}
		last := process(t, rt, folder, answers)[0] // which has all the answers in its history

		r := replay.Reader{OnDiagnostic: func(d replay.Diagnostic) { rt.Fatalf("degraded: %v", &d) }}
		history, err := r.History(last.Messages)
		require.NoError(rt, err)
		var got []string
		for _, m := range history {
			if m.Role() == replay.RoleAssistant {
				got = append(got, string(m.AppendJSON(nil)))
			}
		}
		require.Equal(rt, want, got)
	})
}
