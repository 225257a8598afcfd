package turn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/turn"
)

// providerFunc is a provider; only a pointer to it can be registered.
type providerFunc func(ctx context.Context, req *turn.Request, yield func(message.Chunk, error) bool)

func (f *providerFunc) Stream(ctx context.Context, req *turn.Request) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) { (*f)(ctx, req, yield) }
}

type valueProvider []int

func (valueProvider) Stream(context.Context, *turn.Request) iter.Seq2[message.Chunk, error] {
	return nil
}

func TestRegister(t *testing.T) {
	a, b := &turn.Scripted{}, &turn.Scripted{}
	r := &turn.Router{}
	require.NoError(t, r.Register(a, "northwind", "spare"))
	assert.ErrorContains(t, r.Register(b, "harbor", "spare"), `"spare" is registered already`)
	assert.ErrorContains(t, r.Register(a, "northwind"), `"northwind" is registered already`)
	assert.ErrorContains(t, r.Register(b, "harbor", "harbor"), `"harbor" is registered already`)
	assert.ErrorContains(t, r.Register(b, "harbor", ""), "empty")
	assert.ErrorContains(t, r.Register(b), "no name")
	assert.ErrorContains(t, r.Register(nil, "harbor"), "nil")
	assert.ErrorContains(t, r.Register(valueProvider{}, "harbor"), "register a pointer")
	assert.Equal(t, turn.NoAdapter, lastFailure(t, r, mini).Code, "a refused call registers none of its names")

	r.Unregister(b) // has nothing
	require.NoError(t, r.Register(b, "harbor"))
	r.Unregister(a)
	r.Unregister(a)
	assert.Equal(t, turn.NoAdapter, lastFailure(t, r, large).Code)
	require.NoError(t, r.Register(b, "spare", "northwind"))
	assert.Equal(t, turn.ScriptEnded, lastFailure(t, r, large).Code)
	assert.Len(t, b.Requests(), 1)
}

// collect makes a call and returns its chunks.
func collect(t *testing.T, ctx context.Context, r *turn.Router, route message.Route) []message.Chunk {
	t.Helper()
	stream, err := r.Stream(ctx, &turn.Request{Route: route})
	require.NoError(t, err)
	var chunks []message.Chunk
	for c := range stream.Chunks() {
		chunks = append(chunks, c)
	}
	return chunks
}

func lastFailure(t *testing.T, r *turn.Router, route message.Route) message.Failure {
	t.Helper()
	chunks := collect(t, t.Context(), r, route)
	require.NotEmpty(t, chunks)
	last := chunks[len(chunks)-1]
	require.Equal(t, message.FinishChunk, last.Type)
	require.NotNil(t, last.Reason.Failure)
	return *last.Reason.Failure
}

func TestFailuresBecomeOneFinish(t *testing.T) {
	text := message.Chunk{Type: message.TextDelta, Text: "x"}
	finish := func(kind string) message.Chunk {
		return message.Chunk{Type: message.FinishChunk, Reason: &message.Finish{
			Kind: kind, Failure: &message.Failure{Message: "own", Code: "OWN"},
		}}
	}
	facts := message.Failure{Message: "slow down", Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 1500, RequestID: "r1"}
	with := func(change func(*message.Failure)) error {
		f := facts
		change(&f)
		return &f
	}
	unknown := message.Failure{Message: "slow down", Code: message.Unknown}
	for name, c := range map[string]struct {
		chunks []message.Chunk
		err    error
		panics any
		cancel bool
		kinds  []string
		want   message.Failure
	}{
		"plain error": {chunks: []message.Chunk{text}, err: errors.New("odd"), kinds: []string{"text-delta", "error"},
			want: message.Failure{Message: "odd", Code: message.Unknown}},
		"facts":         {err: &facts, kinds: []string{"error"}, want: facts},
		"wrapped facts": {err: fmt.Errorf("call: %w", &facts), kinds: []string{"error"}, want: facts},
		"aborted code": {err: with(func(f *message.Failure) { f.Code = turn.Cancelled }), kinds: []string{"aborted"},
			want: message.Failure{Message: "slow down", Code: turn.Cancelled, Status: 429, RetryAfterMS: 1500, RequestID: "r1"}},
		"no message": {err: with(func(f *message.Failure) { f.Message = "" }), kinds: []string{"error"},
			want: message.Failure{Message: "the failure gives no reason", Code: message.Unknown}},
		"no code":          {err: with(func(f *message.Failure) { f.Code = "" }), kinds: []string{"error"}, want: unknown},
		"status too small": {err: with(func(f *message.Failure) { f.Status = 99 }), kinds: []string{"error"}, want: unknown},
		"status too large": {err: with(func(f *message.Failure) { f.Status = 600 }), kinds: []string{"error"}, want: unknown},
		"negative delay":   {err: with(func(f *message.Failure) { f.RetryAfterMS = -1 }), kinds: []string{"error"}, want: unknown},
		"no number delay":  {err: with(func(f *message.Failure) { f.RetryAfterMS = math.NaN() }), kinds: []string{"error"}, want: unknown},
		"endless delay":    {err: with(func(f *message.Failure) { f.RetryAfterMS = math.Inf(1) }), kinds: []string{"error"}, want: unknown},
		"empty error": {err: errors.New(""), kinds: []string{"error"},
			want: message.Failure{Message: "the failure gives no reason", Code: message.Unknown}},
		"panic": {chunks: []message.Chunk{text}, panics: "oh", kinds: []string{"text-delta", "error"},
			want: message.Failure{Message: "the provider panicked: oh", Code: message.Unknown}},
		"cancelled": {chunks: []message.Chunk{text}, cancel: true, err: context.Canceled, kinds: []string{"text-delta", "aborted"},
			want: message.Failure{Message: "context canceled", Code: turn.Cancelled}},
		"fails when cancelled": {cancel: true, err: &facts, kinds: []string{"aborted"}, want: facts},
		"another's cancellation": {err: context.Canceled, kinds: []string{"error"},
			want: message.Failure{Message: "context canceled", Code: message.Unknown}},
		"fails after its finish": {chunks: []message.Chunk{finish("stop"), text}, err: &facts,
			kinds: []string{"stop", "text-delta", "error"}, want: facts},
		"tells its failure twice": {chunks: []message.Chunk{finish("error")}, err: &facts,
			kinds: []string{"error"}, want: message.Failure{Message: "own", Code: "OWN"}},
		"panics after telling its failure": {chunks: []message.Chunk{finish("aborted")}, panics: "oh",
			kinds: []string{"aborted"}, want: message.Failure{Message: "own", Code: "OWN"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var p providerFunc = func(_ context.Context, _ *turn.Request, yield func(message.Chunk, error) bool) {
				for _, chunk := range c.chunks {
					if !yield(chunk, nil) {
						return
					}
				}
				if c.cancel {
					cancel()
				}
				if c.panics != nil {
					panic(c.panics)
				}
				if yield(message.Chunk{}, c.err) {
					t.Error("an error ends the stream")
				}
			}
			r := &turn.Router{}
			require.NoError(t, r.Register(&p, large.Provider))
			var kinds []string
			var last message.Chunk
			for _, last = range collect(t, ctx, r, large) {
				kind := last.Type
				if kind == message.FinishChunk {
					kind = last.Reason.Kind
				}
				kinds = append(kinds, kind)
			}
			assert.Equal(t, c.kinds, kinds)
			assert.Equal(t, c.want, *last.Reason.Failure)
		})
	}
}

func TestStreamsWithoutFailurePassAsTheyAre(t *testing.T) {
	f := &turn.Scripted{Answers: []turn.Answer{{}, answer(hello), answer(stop, hello, maxTokens, usage)}}
	r := &turn.Router{}
	require.NoError(t, r.Register(f, large.Provider))
	assert.Empty(t, collect(t, t.Context(), r, large))
	assert.Len(t, collect(t, t.Context(), r, large), 1)
	assert.Len(t, collect(t, t.Context(), r, large), 4)
}

func TestCancelledBeforeTheCall(t *testing.T) {
	p := &turn.Scripted{Answers: []turn.Answer{answer(stop)}}
	r := &turn.Router{}
	require.NoError(t, r.Register(p, large.Provider))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	chunks := collect(t, ctx, r, large)
	require.Len(t, chunks, 1)
	assert.Equal(t, message.Aborted, chunks[0].Reason.Kind)
	assert.Equal(t, turn.Cancelled, chunks[0].Reason.Failure.Code)
	assert.Empty(t, p.Requests())
}

func TestPanicsOfOthersPass(t *testing.T) {
	cleaned := false
	var p providerFunc = func(_ context.Context, _ *turn.Request, yield func(message.Chunk, error) bool) {
		defer func() { cleaned = true }()
		yield(message.Chunk{Type: message.TextDelta}, nil)
	}
	r := &turn.Router{}
	require.NoError(t, r.Register(&p, large.Provider))
	stream, err := r.Stream(t.Context(), &turn.Request{Route: large})
	require.NoError(t, err)
	assert.PanicsWithValue(t, "mine", func() {
		for range stream.Chunks() {
			panic("mine")
		}
	}, "the consumer's")
	assert.True(t, cleaned)

	p = func(_ context.Context, _ *turn.Request, yield func(message.Chunk, error) bool) {
		defer func() { panic("clean-up") }()
		yield(message.Chunk{Type: message.TextDelta}, nil)
	}
	seen := 0
	assert.PanicsWithValue(t, "clean-up", func() {
		for range stream.Chunks() {
			seen++
			break
		}
	}, "that of clean-up")
	assert.Equal(t, 1, seen)

	r.Listeners = []turn.Listener{func(context.Context, *turn.Request) (message.Route, error) { panic("listener") }}
	assert.PanicsWithValue(t, "listener", func() { r.Stream(t.Context(), &turn.Request{Route: large}) })
}

func TestAListenersErrorIsReturned(t *testing.T) {
	p := &turn.Scripted{}
	denied := errors.New("denied")
	r := &turn.Router{Listeners: []turn.Listener{func(context.Context, *turn.Request) (message.Route, error) {
		return message.Route{}, denied
	}}}
	require.NoError(t, r.Register(p, large.Provider))
	_, err := r.Stream(t.Context(), &turn.Request{Route: large})
	assert.ErrorIs(t, err, denied)
	assert.Empty(t, p.Requests())
}

func TestReroute(t *testing.T) {
	p, q := &turn.Scripted{Answers: []turn.Answer{answer(stop)}}, &turn.Scripted{}
	to := func(from string, route message.Route) turn.Listener {
		return func(_ context.Context, req *turn.Request) (message.Route, error) {
			if req.Route.Provider == from {
				return route, nil
			}
			return req.Route, nil
		}
	}
	// The first listener sees what the second one has made of the call.
	r := &turn.Router{Listeners: []turn.Listener{
		to("spare", mini), to(large.Provider, message.Route{Provider: "spare", Model: "x"}),
	}}
	require.NoError(t, r.Register(p, mini.Provider))
	require.NoError(t, r.Register(q, large.Provider, "spare"))
	req := turn.Request{Route: large, System: "be brief"}
	stream, err := r.Stream(t.Context(), &req)
	require.NoError(t, err)
	assert.Equal(t, mini, stream.Route())
	for range stream.Chunks() {
	}
	require.Len(t, p.Requests(), 1)
	assert.Equal(t, mini, p.Requests()[0].Route)
	assert.Equal(t, "be brief", p.Requests()[0].System)
	assert.Empty(t, q.Requests())
	assert.Equal(t, large, req.Route, "the caller's request is not touched")

	var seen []*turn.Request
	r.Listeners = []turn.Listener{
		func(_ context.Context, req *turn.Request) (message.Route, error) {
			seen = append(seen, req)
			return req.Route, nil
		},
		to(large.Provider, mini),
	}
	_, err = r.Stream(t.Context(), &req)
	require.NoError(t, err)
	require.Len(t, seen, 2)
	assert.Equal(t, large, seen[0].Route, "nor one that a listener has seen")

	r.Listeners = []turn.Listener{to(large.Provider, mini), to(mini.Provider, large)}
	assert.Equal(t, turn.RerouteLimit, lastFailure(t, r, large).Code)
	assert.Len(t, p.Requests(), 1)
}

func stateful(id string, route message.Route) message.Message {
	return message.Message{ID: id, Role: message.Assistant, Content: textBlocks("x"), Source: message.Source{
		Kind: message.FromModel, Provider: route.Provider, Model: route.Model, ReplayState: []byte(`[1]`),
	}}
}

func TestOwnershipIsThatOfTheServingInstance(t *testing.T) {
	var reports []replay.Report
	p, q := &turn.Scripted{}, &turn.Scripted{}
	r := &turn.Router{OnReport: func(r replay.Report) { reports = append(reports, r) }}
	require.NoError(t, r.Register(p, large.Provider))
	require.NoError(t, r.Register(p, "spare")) // the same instance
	require.NoError(t, r.Register(q, mini.Provider))
	failedOver := stateful("m3", large)
	failedOver.Source.Answered = &mini
	history := []message.Message{
		stateful("m1", large), stateful("m2", mini), failedOver, stateful("m4", message.Route{Provider: "gone", Model: "x"}),
	}
	kept := func(p *turn.Scripted) (ids []string) {
		requests := p.Requests()
		last := requests[len(requests)-1]
		require.Len(t, last.Messages, len(history))
		for _, m := range last.Messages {
			if m.Source.ReplayState != nil {
				ids = append(ids, m.ID)
			}
		}
		return ids
	}
	call := func(provider string) {
		reports = nil
		stream, err := r.Stream(t.Context(), &turn.Request{
			Route: message.Route{Provider: provider, Model: "x"}, Messages: history,
		})
		require.NoError(t, err)
		for range stream.Chunks() {
		}
	}
	call("spare")
	assert.Equal(t, []string{"m1"}, kept(p))
	require.Len(t, reports, 3)
	assert.Equal(t, replay.Report{
		Code: replay.StateNotOwned, MessageID: "m3", Route: mini, Serving: message.Route{Provider: "spare", Model: "x"},
	}, reports[1])
	call(mini.Provider)
	assert.Equal(t, []string{"m2", "m3"}, kept(q))

	r.Reference = true
	call(mini.Provider)
	assert.Equal(t, []string{"m2"}, kept(q), "the reference looks at the requested route alone")
	assert.Empty(t, reports)
	for _, m := range history {
		assert.NotNil(t, m.Source.ReplayState, "the history is not touched")
	}
}

// Without a hook, reports go to the default logger, once for a message.
func TestReportsAreShownByDefault(t *testing.T) {
	var shown bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&shown, nil)))
	f := newFixture(t, answer(hello, finishWith("stop", "stop", large, `{}`)))
	f.OnReport = nil
	require.NoError(t, f.Router.Register(&turn.Scripted{Answers: []turn.Answer{
		answer(hello, finishWith("stop", "stop", mini, `{},{}`)), answer(stop), answer(stop),
	}}, mini.Provider))
	f.prompt("one")
	f.Route = mini
	for range 3 {
		f.prompt("go on")
	}
	assert.Equal(t, 1, strings.Count(shown.String(), string(replay.StateNotOwned)), shown.String())
	assert.Equal(t, 1, strings.Count(shown.String(), string(replay.StateMisaligned)), shown.String())
}
