package turn_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// benchChunks is an answer of text deltas in one block.
func benchChunks(n int) []message.Chunk {
	lines := make([]string, 0, n+1)
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"type":"text-delta","index":0,"text":"%06d"}`, i))
	}
	return answer(append(lines, stop)...).Chunks
}

// A repeating provider gives the same answer to every call, and keeps nothing of the calls.
type repeating struct{ chunks []message.Chunk }

func (p *repeating) Stream(context.Context, *turn.Request) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		for _, c := range p.chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// BenchmarkPrompt is a whole turn in a fresh session. x-append is its time over that of appending the
// same chunks to a session of the same store and assembling them, which is the least that a turn does.
func BenchmarkPrompt(b *testing.B) {
	for _, where := range []string{"memory", "dir"} {
		for _, n := range []int{2_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d", where, n), func(b *testing.B) {
				chunks := benchChunks(n)
				router := &turn.Router{}
				require.NoError(b, router.Register(&repeating{chunks}, large.Provider))
				id := 0
				fresh := func() *session.Session {
					var store session.Store = &session.Memory{}
					if where == "dir" {
						store = session.NewDir(b.TempDir())
					}
					id++
					s, err := session.Create(b.Context(), store, session.Header{ID: fmt.Sprint("s", id)}, session.Options{})
					require.NoError(b, err)
					return s
				}
				var floor time.Duration
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					floor += leastWork(b, fresh(), chunks)
					loop := turn.Loop{Session: fresh(), Router: router, Route: large}
					b.StartTimer()
					if _, err := loop.Prompt(b.Context(), nil); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					loop.Session.Close()
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/chunk")
				b.ReportMetric(float64(b.Elapsed())/float64(floor), "x-append")
			})
		}
	}
}

// leastWork appends chunks to a session and assembles them.
func leastWork(b *testing.B, s *session.Session, chunks []message.Chunk) time.Duration {
	defer s.Close()
	events := make([]session.Event, len(chunks))
	for i := range chunks {
		data := chunks[i].AppendJSON([]byte(`{"turn":1,"step":1,"chunk":`))
		events[i] = session.Event{Type: session.AssistantChunk, Data: append(data, '}')}
	}
	var a assembler.Assembler
	begin := time.Now()
	for i := range chunks {
		if _, err := s.Append(b.Context(), events[i]); err != nil {
			b.Fatal(err)
		}
		if err := a.Push(&chunks[i]); err != nil {
			b.Fatal(err)
		}
	}
	result, err := a.Result()
	require.NoError(b, err)
	require.True(b, strings.HasPrefix(result.Blocks[0].Text, "000000"))
	return time.Since(begin)
}
