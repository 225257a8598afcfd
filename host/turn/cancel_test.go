package turn_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

const thinking = `{"type":"block-end","index":5,"block":{"type":"reasoning","text":"Let me see."}}`

func TestCancelMidStream(t *testing.T) {
	f := newFixture(t, hanging(answer(
		thinking, hello, look, `{"type":"block-start","index":9,"blockType":"chart"}`, usage)), answer(hello, stop))
	ctx, cancel := context.WithCancel(t.Context())
	f.model.OnHang = cancel
	outcome := f.promptIn(ctx, "hi")
	assert.Equal(t, turn.Outcome{
		Kind: turn.Aborted, Turn: 1, Steps: 1, Usage: message.Usage{Input: 7, Output: 3},
	}, outcome)
	assert.Len(t, f.data(session.AssistantChunk), 5, "the finish that tells of the cancellation is not logged")
	stored := []byte(f.data(session.AssistantMessage)[0])
	assert.JSONEq(t, `[{"type":"reasoning","text":"Let me see."},{"type":"text","text":"Hello"}]`, get(t, stored, "message", "content"))
	assert.Equal(t, "true", get(t, stored, "interrupted"))
	assert.JSONEq(t, `{"inputTokens":7,"outputTokens":3}`, get(t, stored, "usage"))
	assert.JSONEq(t, `{"kind":"model","provider":"northwind","model":"nw-large"}`, get(t, stored, "message", "source"))
	assert.Equal(t, []int64{5, 6, 7, 8, 9}, f.log()[10].Sources)
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"user"}}}`, f.data(session.TurnEnd)[0])

	f.prompt("go on")
	assert.Len(t, f.history(), 4, "an interrupted prefix is history like any other")
}

func TestCancelBeforeAnyText(t *testing.T) {
	f := newFixture(t, hanging(answer(`{"type":"text-delta","index":0,"text":" \n\ufeff"}`, look)))
	ctx, cancel := context.WithCancelCause(t.Context())
	f.model.OnHang = func() { cancel(&turn.Cancel{Kind: "disposed"}) }
	assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
	assert.Empty(t, f.data(session.AssistantMessage))
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"disposed"}}}`, f.data(session.TurnEnd)[0])
}

func TestCancelOutweighsEverythingElse(t *testing.T) {
	state := finishWith("stop", "stop", large, `{"type":"text"}`)
	for name, c := range map[string]turn.Answer{
		"a finish that came":     hanging(answer(hello, state)),
		"an end without failure": answer(hello),
		"a failure":              failing(hanging(answer(hello)), errors.New("odd")),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			last := len(c.Chunks)
			f.OnChunk = func(*message.Chunk) {
				if last--; last == 0 {
					cancel()
				}
			}
			assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
			stored := []byte(f.data(session.AssistantMessage)[0])
			assert.Equal(t, "true", get(t, stored, "interrupted"))
			assert.Empty(t, get(t, stored, "message", "source", "replayState"))
		})
	}
}

// Cancelling at any instant, from another goroutine, leaves a session that goes on.
func TestCancelRace(t *testing.T) {
	for range 50 {
		f := newFixture(t, answer(hello, hello, look, toolCalls), hanging(answer(hello)), answer(hello, stop))
		f.Tools = []turn.Tool{lookTool()}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(cancel)
		outcome, err := f.Prompt(ctx, textBlocks("hi"))
		wg.Wait()
		if err != nil { // cancelled before it began
			require.ErrorIs(t, err, context.Canceled)
			continue
		}
		assert.Equal(t, turn.Aborted, outcome.Kind)
		assert.Equal(t, session.TurnEnd, f.Session.State().Last())
		assert.Empty(t, f.reload().Closed)
	}
}
