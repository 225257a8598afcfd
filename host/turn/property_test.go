package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// oddStates are replay envelopes as no adapter should send them, and some that are as they should be.
var oddStates = []string{
	`null`, `7`, `"x"`, `[]`, `{}`, `{"response":{}}`, `{"blocks":[]}`, `{"response":{},"blocks":null}`,
	`{"response":{},"blocks":"ab"}`, `{"response":{},"blocks":{"length":1}}`, `{"response":1,"blocks":[{}]}`,
	`{"response":{},"blocks":[{"type":"text"},{"type":"text"}]}`,
	`{"kind":"pi-ai","version":1,"api":"a","provider":"northwind","model":"nw-large","stopReason":"stop","blocks":[]}`,
	`{"response":{"kind":"pi-ai","version":2,"api":"a","provider":"northwind","model":"nw-large","stopReason":"stop"},"blocks":[{"type":"text","textSignature":"s"}]}`,
	`{"response":{"kind":"pi-ai","version":2,"api":"a","provider":"harbor","model":"hb-mini","stopReason":"length"},"blocks":[{"type":"tool-call"}]}`,
	`{"response":{"kind":"pi-ai","version":2,"api":"a","provider":"northwind","model":"nw-large","stopReason":["stop"]},"blocks":[{"type":"text"}]}`,
	`{"response":{"n":-0},"blocks":[{"type":"text"}]}`,
}

func drawChunk(t *rapid.T) string {
	index := rapid.SampledFrom([]string{"0", "1", "2", "-1", "0.5", "1e300"}).Draw(t, "index")
	text := rapid.SampledFrom([]string{`"a"`, `""`, `" "`, `"\ud83e"`, `"\uddfe"`, `"é\u0000"`}).Draw(t, "text")
	block := rapid.SampledFrom([]string{
		`{"type":"text","text":"t"}`, `{"type":"reasoning","text":"r"}`, `{"type":"chart","data":[1]}`, `{"type":""}`,
		`{"type":"tool-call","id":"c1","name":"look","arguments":"{}"}`,
		`{"type":"tool-call","id":"c1","name":"leap","arguments":"{"}`,
		`{"type":"tool-call","id":"","name":"look","arguments":""}`,
		`{"type":"tool-call","id":5,"name":[]}`, `{"type":"tool-result","toolCallId":"c9","content":[]}`,
		`{"type":"image","attachment":{"attachmentId":"sha256:00"}}`,
	}).Draw(t, "block")
	kind := rapid.SampledFrom([]string{"stop", "tool-calls", "max-tokens", "error", "aborted", "content-filter"}).Draw(t, "kind")
	state := ""
	if rapid.Bool().Draw(t, "withState") {
		state = `,"replayState":` + rapid.SampledFrom(oddStates).Draw(t, "state")
	}
	return rapid.SampledFrom([]string{
		`{"type":"block-start","index":` + index + `,"blockType":"text"}`,
		`{"type":"block-start","index":` + index + `,"blockType":"chart"}`,
		`{"type":"text-delta","index":` + index + `,"text":` + text + `}`,
		`{"type":"text-delta","index":` + index + `,"text":` + text + `}`,
		`{"type":"reasoning-delta","index":` + index + `,"text":` + text + `}`,
		`{"type":"tool-call-delta","index":` + index + `,"id":"c1","name":"look","argumentsDelta":"{}"}`,
		`{"type":"tool-call-delta","index":` + index + `,"argumentsDelta":` + text + `}`,
		`{"type":"block-end","index":` + index + `,"block":` + block + `}`,
		`{"type":"block-end","index":` + index + `,"block":` + block + `}`,
		usage,
		`{"type":"finish","reason":{"kind":"` + kind + `","failure":{"code":7}}` + state + `}`,
		`{"type":"finish","reason":{"kind":"` + kind + `"}` + state + `}`,
		`{"type":"audio-delta","index":0}`,
		`{"type":"text-delta","index":-0,"text":"x"}`,
	}).Draw(t, "chunk")
}

func drawAnswer(t *rapid.T) turn.Answer {
	lines := rapid.SliceOfN(rapid.Custom(drawChunk), 0, 6).Draw(t, "chunks")
	a := answer(lines...)
	switch rapid.IntRange(0, 9).Draw(t, "end") {
	case 0:
		a.Err = fmt.Errorf("odd")
	case 1:
		a.Err = &message.Failure{Message: "gone", Code: "TRANSPORT", Status: rapid.SampledFrom([]int{0, 7, 502}).Draw(t, "status")}
	case 2:
		a.Chunks = append(a.Chunks, message.Chunk{Type: message.FinishChunk})
	case 3:
		a.Chunks = append(a.Chunks, message.Chunk{Type: message.FinishChunk, ReplayState: []byte("{"),
			Reason: &message.Finish{Kind: message.Stop}})
	default:
		a.Chunks = append(a.Chunks, answer(stop).Chunks...)
	}
	return a
}

// Whatever the model sends and whenever the user cancels: each turn is closed, the log loads as it is,
// and the next request can be made.
func TestNoStreamWedgesASession(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		reference := rapid.Bool().Draw(rt, "reference")
		answers := rapid.SliceOfN(rapid.Custom(drawAnswer), 1, 6).Draw(rt, "answers")
		f := newFixture(t, answers...)
		f.Reference = reference
		tool := lookTool()
		if rapid.Bool().Draw(rt, "toolPanics") {
			tool.Run = func(context.Context, json.RawMessage) ([]message.Block, error) { panic("oh") }
		}
		f.Tools = []turn.Tool{tool}
		require.NoError(rt, f.Router.Register(f.model, mini.Provider))
		on := rapid.Bool().Draw(rt, "failover")
		f.Router.Listeners = []turn.Listener{failover(&on)}
		if rapid.Bool().Draw(rt, "retry") {
			f.Recover = func(_ context.Context, _ message.Failure, attempt int) bool { return attempt < 2 }
		}
		until := rapid.IntRange(0, 12).Draw(rt, "cancelAt")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f.OnChunk = func(*message.Chunk) {
			if until--; until == 0 {
				cancel()
			}
		}
		for turns := 1; turns <= 3; turns++ {
			outcome, err := f.Prompt(ctx, textBlocks("hi"))
			if ctx.Err() != nil && err != nil {
				ctx = t.Context() // it was cancelled before this turn
				outcome, err = f.Prompt(ctx, textBlocks("hi"))
			}
			require.NoError(rt, err)
			require.Equal(rt, int64(turns), outcome.Turn)
			require.Equal(rt, session.TurnEnd, f.Session.State().Last())
			require.Equal(rt, outcome.Kind == turn.Failed, outcome.Failure != nil)
			if rapid.Bool().Draw(rt, "restart") {
				require.Empty(rt, f.reload(), "there is nothing to repair")
			}
		}
		requireAnswered(rt, f.Session.Messages())
		requireWhole(rt, f)
		for _, req := range f.model.Requests() {
			reader := replay.Reader{Route: req.Route}
			_, err := reader.History(req.Messages)
			require.NoError(rt, err)
		}
	})
}

// requireWhole checks that each message cites the chunks of its attempt, and that its replay state has as
// many entries as the message has blocks.
func requireWhole(t *rapid.T, f *fixture) {
	chunks := map[int64]bool{}
	for _, e := range f.log() {
		switch e.Type {
		case session.StepStart:
			clear(chunks)
		case session.AssistantChunk:
			chunks[e.Seq] = true
		case session.AssistantMessage:
			require.NotNil(t, e.Sources)
			for i, seq := range e.Sources {
				require.True(t, chunks[seq])
				require.Equal(t, e.Sources[0]+int64(i), seq)
			}
			var data struct {
				Interrupted bool
				Message     message.Message
			}
			require.NoError(t, json.Unmarshal(e.Data, &data))
			var envelope struct{ Blocks []json.RawMessage }
			state := data.Message.Source.ReplayState
			if data.Interrupted {
				require.Nil(t, state)
				require.NotEmpty(t, data.Message.Content)
			} else if !f.Reference && json.Unmarshal(state, &envelope) == nil && envelope.Blocks != nil {
				require.Len(t, envelope.Blocks, len(data.Message.Content))
			}
		}
	}
}
