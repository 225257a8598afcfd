package turn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// failover sends calls for the large route to the mini one while it is on.
func failover(on *bool) turn.Listener {
	return func(_ context.Context, req *turn.Request) (message.Route, error) {
		if *on && req.Route == large {
			return mini, nil
		}
		return req.Route, nil
	}
}

// readBack converts a request as a native layer does, and tells which messages were degraded.
func readBack(t *testing.T, req *turn.Request, reference bool) ([]replay.Native, []replay.Diagnostic) {
	t.Helper()
	var diagnostics []replay.Diagnostic
	r := replay.Reader{
		Reference: reference, Route: req.Route,
		OnDiagnostic: func(d replay.Diagnostic) { diagnostics = append(diagnostics, d) },
	}
	native, err := r.History(req.Messages)
	require.NoError(t, err)
	return native, diagnostics
}

func api(m replay.Native) string { return m.(replay.AssistantMessage).API }

// The state of a failover's answer is used natively by the route that has answered, and is taken away,
// with a report, from a request to any other instance.
func TestFailoverBetweenInstances(t *testing.T) {
	by := func(route message.Route) turn.Answer {
		return answer(hello, finishWith("stop", "stop", route, `{"type":"text","textSignature":"s"}`))
	}
	f := newFixture(t, by(large))
	other := &turn.Scripted{Answers: []turn.Answer{by(mini), by(mini)}}
	require.NoError(t, f.Router.Register(other, mini.Provider))
	on := true
	f.Router.Listeners = []turn.Listener{failover(&on)}

	f.prompt("one")
	source := get(t, []byte(f.data(session.AssistantMessage)[0]), "message", "source")
	assert.Equal(t, large.Provider, get(t, []byte(source), "provider"))
	assert.JSONEq(t, `{"provider":"harbor","model":"hb-mini"}`, get(t, []byte(source), "answered"))

	f.prompt("two")
	native, diagnostics := readBack(t, other.Requests()[1], false)
	assert.Equal(t, "openai-completions", api(native[1]))
	assert.Equal(t, "hb-mini", native[1].(replay.AssistantMessage).Model)
	assert.Empty(t, diagnostics)
	assert.Empty(t, f.reports)

	on = false
	f.prompt("three")
	native, diagnostics = readBack(t, f.model.Requests()[0], false)
	assert.Equal(t, replay.Foreign, api(native[1]))
	assert.Equal(t, replay.Foreign, api(native[3]))
	assert.Empty(t, diagnostics)
	require.Len(t, f.reports, 2)
	assert.Equal(t, replay.Report{
		Code: replay.StateNotOwned, MessageID: get(t, []byte(f.data(session.AssistantMessage)[0]), "message", "id"),
		Route: mini, Serving: large,
	}, f.reports[0])

	assert.Empty(t, get(t, []byte(f.data(session.AssistantMessage)[2]), "message", "source", "answered"),
		"absent when the routes agree")
}

// A report says which route is served without the state: the one that a call was sent on to, not the one
// that was asked for.
func TestReportNamesTheServingRoute(t *testing.T) {
	f := newFixture(t, answer(hello, finishWith("stop", "stop", large, `{"type":"text"}`)))
	other := &turn.Scripted{Answers: []turn.Answer{answer(stop), answer(stop)}}
	require.NoError(t, f.Router.Register(other, mini.Provider))
	on := false
	f.Router.Listeners = []turn.Listener{failover(&on)}
	f.prompt("one")
	on = true
	f.prompt("two")
	want := []replay.Report{{
		Code: replay.StateNotOwned, MessageID: f.Session.Messages()[1].ID, Route: large, Serving: mini,
	}}
	assert.Equal(t, want, f.reports)

	f.Router.OnReport, f.reports = f.OnReport, nil
	stream, err := f.Router.Stream(t.Context(), &turn.Request{Route: large, Messages: f.Session.Messages()[:3]})
	require.NoError(t, err)
	assert.Equal(t, mini, stream.Route())
	assert.Equal(t, want, f.reports, "of a call without a loop too")
}

// One instance that owns both routes reads the state natively on either.
func TestFailoverWithinAnInstance(t *testing.T) {
	for name, reference := range map[string]bool{"default": false, "reference": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, answer(hello, finishWith("stop", "stop", mini, `{"type":"text"}`)), answer(stop), answer(stop))
			f.Reference = reference
			require.NoError(t, f.Router.Register(f.model, mini.Provider))
			on := true
			f.Router.Listeners = []turn.Listener{failover(&on)}
			f.prompt("one")
			f.prompt("two")
			on = false
			f.prompt("three")
			for _, req := range f.model.Requests()[1:] {
				native, diagnostics := readBack(t, req, reference)
				if !reference {
					assert.Equal(t, "openai-completions", api(native[1]))
					assert.Empty(t, diagnostics)
					continue
				}
				assert.Equal(t, replay.Foreign, api(native[1]))
				require.Len(t, diagnostics, 1)
				assert.Equal(t, replay.RouteMismatch, diagnostics[0].Reason)
			}
			assert.Empty(t, f.reports)
			if reference {
				assert.NotContains(t, f.data(session.AssistantMessage)[0], "answered")
			}
		})
	}
}

// A provider knows best which route has answered.
func TestProviderNamesTheAnsweringRoute(t *testing.T) {
	named := answer(hello, stop)
	for i, c := range []struct{ says, want *message.Route }{
		{&mini, &mini}, {nil, nil}, {&large, nil}, {&message.Route{Provider: "x"}, nil},
	} {
		named.Chunks[1].Answered = c.says
		f := newFixture(t, named)
		f.prompt("hi")
		messages := f.Session.Messages()
		assert.Equal(t, c.want, messages[1].Source.Answered, i)
	}
	// An answer that was called elsewhere and came from the requested route after all.
	named.Chunks[1].Answered = &large
	f := newFixture(t, named)
	require.NoError(t, f.Router.Register(f.model, mini.Provider))
	on := true
	f.Router.Listeners = []turn.Listener{failover(&on)}
	f.prompt("hi")
	assert.Nil(t, f.Session.Messages()[1].Source.Answered)

	f = newFixture(t, hanging(answer(hello)))
	require.NoError(t, f.Router.Register(f.model, mini.Provider))
	f.Router.Listeners = []turn.Listener{failover(&on)}
	ctx, cancel := context.WithCancel(t.Context())
	f.model.OnHang = cancel
	f.promptIn(ctx, "hi")
	assert.Equal(t, &mini, f.Session.Messages()[1].Source.Answered, "of an interrupted answer too")
}
