package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

func front(text string) message.Message {
	return message.Message{ID: "front", Role: message.User, Content: textBlocks(text)}
}

func TestAPrefaceIsInFrontOfEachRequestAndNowhereElse(t *testing.T) {
	f := newFixture(t, answer(look, toolCalls), answer(hello, stop), answer(hello, stop))
	f.System, f.Tools = "base", []turn.Tool{lookTool()}
	outcome, err := f.PromptWith(t.Context(), textBlocks("hi"), func(context.Context) (turn.Preface, error) {
		return turn.Preface{System: "composed", Messages: []message.Message{front("the files")}}, nil
	})
	require.NoError(t, err)
	assert.Equal(t, turn.Completed, outcome.Kind)
	f.prompt("again")
	requests := f.model.Requests()
	require.Len(t, requests, 3)
	for at, want := range map[int]int{0: 2, 1: 4} {
		assert.Equal(t, "composed", requests[at].System)
		require.Len(t, requests[at].Messages, want)
		assert.Equal(t, "the files", requests[at].Messages[0].Content[0].Text)
		assert.Equal(t, "hi", requests[at].Messages[1].Content[0].Text)
	}
	assert.Equal(t, "base", requests[2].System, "a preface is that of one turn")
	assert.Equal(t, "hi", requests[2].Messages[0].Content[0].Text)
	assert.Len(t, f.data(session.RequestHeader), 2)
	for _, e := range f.log() {
		assert.NotContains(t, string(e.Data), "the files")
	}
}

func TestATurnThatCannotBeComposedIsNone(t *testing.T) {
	f := newFixture(t, answer(hello, stop))
	lost := errors.New("nothing to say")
	_, err := f.PromptWith(t.Context(), textBlocks("hi"), func(context.Context) (turn.Preface, error) {
		_, busy := f.Prompt(t.Context(), textBlocks("in between"))
		assert.ErrorIs(t, busy, turn.ErrBusy)
		return turn.Preface{}, lost
	})
	assert.ErrorIs(t, err, lost)
	assert.Empty(t, f.kinds())
	assert.Equal(t, turn.Completed, f.prompt("hi").Kind)
}

func TestMessagesAreShownWhenTheyAreKept(t *testing.T) {
	f := newFixture(t, answer(look, toolCalls), answer(hello, stop))
	f.Tools = []turn.Tool{lookTool()}
	var shown []message.Message
	f.OnMessage = func(m *message.Message) {
		kept := f.Session.Messages()
		assert.Equal(t, m.ID, kept[len(kept)-1].ID, "a message is in the log before it is shown")
		shown = append(shown, *m)
	}
	f.prompt("hi")
	assert.Equal(t, f.Session.Messages(), shown)
	assert.Len(t, shown, 4)
}

func TestMessagesOfATurnThatWasCancelledAreShown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, answer(look, toolCalls))
	tool := lookTool()
	tool.Run = func(context.Context, json.RawMessage) ([]message.Block, error) { cancel(); return nil, ctx.Err() }
	f.Tools = []turn.Tool{tool}
	var shown []message.Message
	f.OnMessage = func(m *message.Message) { shown = append(shown, *m) }
	assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
	assert.Equal(t, f.Session.Messages(), shown)

	f = newFixture(t, turn.Answer{Chunks: answer(hello).Chunks, Hang: true})
	ctx, cancel = context.WithCancel(t.Context())
	f.model.OnHang = cancel
	f.OnMessage = func(m *message.Message) { shown = append(shown, *m) }
	shown = nil
	assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
	assert.Equal(t, f.Session.Messages(), shown)
	assert.Len(t, shown, 2)
}

// A message that degrades does so in each request of a turn, and the outcome has it once.
func TestWhatDegradesIsInTheOutcome(t *testing.T) {
	flat := `{"type":"finish","reason":{"kind":"stop"},"replayState":{"response":{"kind":"flat"},"blocks":[{"type":"text"}]}}`
	f := newFixture(t, answer(hello, flat), answer(look, toolCalls), answer(hello, stop))
	f.Tools = []turn.Tool{lookTool()}
	var told []replay.Diagnostic
	f.OnDiagnostic = func(d replay.Diagnostic) { told = append(told, d) }
	var reading providerFunc = func(ctx context.Context, req *turn.Request, yield func(message.Chunk, error) bool) {
		_, err := req.Reader().History(req.Messages)
		require.NoError(t, err)
		f.model.Stream(ctx, req)(yield)
	}
	f.Router.Unregister(f.model)
	require.NoError(t, f.Router.Register(&reading, large.Provider))
	assert.Empty(t, f.prompt("hi").Diagnostics)
	outcome := f.prompt("again")
	require.Len(t, outcome.Diagnostics, 1)
	assert.Equal(t, f.Session.Messages()[1].ID, outcome.Diagnostics[0].MessageID)
	assert.Equal(t, replay.WrongKind, outcome.Diagnostics[0].Reason)
	assert.Equal(t, large, outcome.Diagnostics[0].Route)
	assert.Len(t, told, 2, "one for each request")
}
