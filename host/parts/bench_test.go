package parts_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A turn whose answer comes in parts, beside one whose answer comes in the same number of chunks: the ratio
// is what the way from parts to chunks, and from the history to a prompt, adds to a turn in memory.
func BenchmarkTurn(b *testing.B) {
	const deltas = 2000
	answer := func(context.Context, *parts.Call) iter.Seq2[*stream.Part, error] {
		return func(yield func(*stream.Part, error) bool) {
			p := stream.Part{Type: stream.PartTextDelta, ID: "1", Delta: "seven b"}
			for range deltas {
				if !yield(&p, nil) {
					return
				}
			}
			yield(&stream.Part{Type: stream.PartFinish, FinishReason: []byte(`"stop"`)}, nil)
		}
	}
	var chunks []message.Chunk
	for range deltas {
		chunks = append(chunks, message.Chunk{Type: message.TextDelta, Text: "seven b"})
	}
	chunks = append(chunks, message.Chunk{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}})
	prompt := func(p turn.Provider) time.Duration {
		s, err := session.Create(context.Background(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
		require.NoError(b, err)
		defer s.Close()
		l := &turn.Loop{Session: s, Router: &turn.Router{}, Route: message.Route{Provider: "acme", Model: "m"}}
		require.NoError(b, l.Router.Register(p, "acme"))
		begun := time.Now()
		ask(b, l, "hi")
		return time.Since(begun)
	}
	var least, whole time.Duration
	for b.Loop() {
		whole += prompt(&parts.Provider{API: "a", Ask: answer})
		least += prompt(&turn.Scripted{Answers: []turn.Answer{{Chunks: chunks}}})
	}
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N*deltas), "ns/part")
	b.ReportMetric(float64(whole)/float64(least), "x-of-chunks")
}
