package replay_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// longHistory is a history of rounds, each of a question, an answer with a call and its state, and the
// result.
func longHistory(b *testing.B, rounds int) (history []message.Message, texts [][]byte) {
	for i := range rounds {
		for _, text := range []string{
			fmt.Sprintf(`{"id":"u%d","role":"user","content":[{"type":"text","text":"What does entry %d say about the rent?"}],"source":{"kind":"user"}}`, i, i),
			fmt.Sprintf(`{"id":"a%d","role":"assistant","content":[{"type":"reasoning","text":"The ledger has it; look there first."},`+
				`{"type":"text","text":"Reading the ledger."},{"type":"tool-call","id":"call_%d","name":"ledger_read","arguments":"{\"row\":%d,\"path\":\"/srv/ledger.txt\"}"}],`+
				`"source":{"kind":"model","provider":"northwind","model":"nw-large-3","replayState":{"response":{"kind":"pi-ai","version":2,"api":"openai-completions",`+
				`"provider":"northwind","model":"nw-large-3","stopReason":"toolUse","responseId":"resp_%d"},"blocks":[{"type":"reasoning","thinkingSignature":"sigA=="},`+
				`{"type":"text"},{"type":"tool-call","thoughtSignature":"sigC"}]}}}`, i, i, i, i),
			fmt.Sprintf(`{"id":"t%d","role":"user","content":[{"type":"tool-result","toolCallId":"call_%d","content":[{"type":"text","text":"rent 1200 EUR, paid"}]}],`+
				`"source":{"kind":"tool","callId":"call_%d"}}`, i, i, i),
		} {
			m, err := message.ParseMessage([]byte(text))
			require.NoError(b, err)
			history, texts = append(history, m), append(texts, []byte(text))
		}
	}
	return history, texts
}

// BenchmarkHistory puts the conversion of a stored history beside json.Unmarshal of the same text into
// nothing but raw members, in the same run: the ratio is the metric x-floor.
func BenchmarkHistory(b *testing.B) {
	for _, times := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			history, texts := longHistory(b, 100*times)
			degraded := 0
			r := replay.Reader{OnDiagnostic: func(replay.Diagnostic) { degraded++ }}
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				c, err := r.Context(nil, nil, history)
				if err != nil || len(c.Messages) != len(history) || degraded > 0 {
					b.Fatal(err, len(c.Messages), degraded)
				}
				out = c.AppendJSON(out[:0])
			}
			perRun := float64(b.Elapsed()) / float64(b.N)
			var floors []time.Duration
			for range 5 {
				start := time.Now()
				for _, text := range texts {
					var m map[string]json.RawMessage
					if err := json.Unmarshal(text, &m); err != nil {
						b.Fatal(err)
					}
				}
				floors = append(floors, time.Since(start))
			}
			b.ReportMetric(perRun/float64(len(history)), "ns/message")
			b.ReportMetric(perRun/float64(min(floors[0], floors[1], floors[2], floors[3], floors[4])), "x-floor")
		})
	}
}

// BenchmarkWriter is the translation of one streamed answer.
func BenchmarkWriter(b *testing.B) {
	for _, times := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			events := []json.RawMessage{json.RawMessage(`{"type":"text_start","contentIndex":0}`)}
			size := 0
			for i := range 1000 * times {
				events = append(events, fmt.Appendf(nil, `{"type":"text_delta","contentIndex":0,"delta":"word %d "}`, i))
				size += len(events[i+1])
			}
			events = append(events, json.RawMessage(`{"type":"done","reason":"stop","message":{"content":[{"type":"text"}],"stopReason":"stop"}}`))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				var w replay.Writer
				for _, event := range events {
					if _, err := w.Event(event); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(events)), "ns/event")
		})
	}
}
