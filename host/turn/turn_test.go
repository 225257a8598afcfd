package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

var (
	large = message.Route{Provider: "northwind", Model: "nw-large"}
	mini  = message.Route{Provider: "harbor", Model: "hb-mini"}
)

// A fixture is a loop over a scripted model.
type fixture struct {
	*turn.Loop
	t       testing.TB
	store   session.Store
	model   *turn.Scripted
	reports []replay.Report
}

// newFixture makes a loop over a session in memory, whose model serves the large route.
func newFixture(t testing.TB, answers ...turn.Answer) *fixture {
	f := &fixture{t: t, store: &session.Memory{}, model: &turn.Scripted{Answers: answers}}
	f.Loop = &turn.Loop{Router: &turn.Router{}, Route: large}
	f.OnReport = func(r replay.Report) { f.reports = append(f.reports, r) }
	require.NoError(t, f.Router.Register(f.model, large.Provider))
	f.create()
	return f
}

func (f *fixture) create() {
	var err error
	f.Session, err = session.Create(f.t.Context(), f.store, session.Header{ID: "s"}, session.Options{})
	require.NoError(f.t, err)
}

// prompt runs a turn whose outcome is in the log.
func (f *fixture) prompt(text string) turn.Outcome {
	f.t.Helper()
	return f.promptIn(f.t.Context(), text)
}

func (f *fixture) promptIn(ctx context.Context, text string) turn.Outcome {
	f.t.Helper()
	outcome, err := f.Prompt(ctx, textBlocks(text))
	require.NoError(f.t, err)
	return outcome
}

// reload closes the session and takes it up again.
func (f *fixture) reload() session.Recovery {
	f.t.Helper()
	require.NoError(f.t, f.Session.Close())
	var recovery session.Recovery
	var err error
	f.Session, recovery, err = session.Open(f.t.Context(), f.store, "s", session.Options{})
	require.NoError(f.t, err)
	return recovery
}

// log returns the events of the log.
func (f *fixture) log() []session.Event {
	f.t.Helper()
	var events []session.Event
	for e, err := range f.Session.Events(context.Background(), 0) {
		require.NoError(f.t, err)
		events = append(events, e)
	}
	return events
}

// kinds names the events, chunks by their type.
func (f *fixture) kinds() []string {
	var kinds []string
	for _, e := range f.log() {
		if e.Type == session.AssistantChunk {
			kinds = append(kinds, ":"+get(f.t, e.Data, "chunk", "type"))
			continue
		}
		kinds = append(kinds, e.Type)
	}
	return kinds
}

// data returns the data of the events of a kind.
func (f *fixture) data(kind string) []string {
	var found []string
	for _, e := range f.log() {
		if e.Type == kind {
			found = append(found, string(e.Data))
		}
	}
	return found
}

// history returns the contents of the history's messages.
func (f *fixture) history() []string {
	var found []string
	for _, m := range f.Session.Messages() {
		content, err := json.Marshal(m.Content)
		require.NoError(f.t, err)
		found = append(found, m.Role+" "+string(content))
	}
	return found
}

// get returns a member of nested objects: a text as it is, anything else as JSON, "" for none.
func get(t testing.TB, data []byte, path ...string) string {
	t.Helper()
	for _, key := range path {
		if data == nil {
			return ""
		}
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &object), "%s in %s", key, data)
		data = object[key]
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	return string(data)
}

func textBlocks(text string) []message.Block {
	return []message.Block{{Type: message.Text, Text: text}}
}

// answer is an answer made of chunks in JSON.
func answer(lines ...string) turn.Answer {
	var a turn.Answer
	for c, err := range turn.ParseChunks(strings.NewReader(strings.Join(lines, "\n"))) {
		if err != nil {
			panic(err)
		}
		a.Chunks = append(a.Chunks, c)
	}
	return a
}

func failing(a turn.Answer, err error) turn.Answer {
	a.Err = err
	return a
}

func hanging(a turn.Answer) turn.Answer {
	a.Hang = true
	return a
}

// The chunks that tests are made of.
const (
	stop      = `{"type":"finish","reason":{"kind":"stop"}}`
	toolCalls = `{"type":"finish","reason":{"kind":"tool-calls"}}`
	maxTokens = `{"type":"finish","reason":{"kind":"max-tokens"}}`
	usage     = `{"type":"usage","usage":{"inputTokens":7,"outputTokens":3}}`
	hello     = `{"type":"text-delta","index":0,"text":"Hello"}`
	look      = `{"type":"block-end","index":1,"block":{"type":"tool-call","id":"c1","name":"look","arguments":"{\"at\":1}"}}`
	lookAgain = `{"type":"block-end","index":2,"block":{"type":"tool-call","id":"c2","name":"look","arguments":"{\"at\":2}"}}`
)

// finishWith is a finish with a version-2 envelope of a route.
func finishWith(kind, stopReason string, route message.Route, entries string) string {
	return `{"type":"finish","reason":{"kind":"` + kind + `"},"replayState":{"response":{"kind":"pi-ai","version":2,` +
		`"api":"openai-completions","provider":"` + route.Provider + `","model":"` + route.Model +
		`","stopReason":"` + stopReason + `"},"blocks":[` + entries + `]}}`
}

// lookTool is a tool that answers with its arguments.
func lookTool() turn.Tool {
	t := turn.Tool{Run: func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
		return textBlocks("saw " + string(arguments)), nil
	}}
	t.Name = "look"
	return t
}
