package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// longLog is a log of scale times 200 turns, each of a question, 100 chunks, an answer that cites them,
// and two tool calls with their results, about 22,000 events and 3.5 MB in all.
func longLog(scale int) []session.Event {
	var text strings.Builder
	seq := 0
	add := func(format string, args ...any) {
		fmt.Fprintf(&text, `{"seq":%d,"time":%d,`, seq, 1_700_000_000_000+int64(seq))
		fmt.Fprintf(&text, format, args...)
		text.WriteByte('\n')
		seq++
	}
	for turn := range 200 * scale {
		add(`"type":"turn/start","data":{"turn":%d}}`, turn)
		add(`"type":"step/start","data":{"turn":%d,"step":1}}`, turn)
		add(`"type":"user/message","data":{"id":"u%d","role":"user","content":[{"type":"text","text":"Is the ledger for March complete?"}],"source":{"kind":"user"}},"surfaceOp":"append"}`, turn)
		cited := []string{}
		for range 100 {
			cited = append(cited, fmt.Sprint(seq))
			add(`"type":"assistant/chunk","data":{"turn":%d,"step":1,"chunk":{"type":"text-delta","index":0,"text":"Reading the ledger"}}}`, turn)
		}
		add(`"type":"assistant/message","data":{"turn":%d,"step":1,"message":{"id":"a%d","role":"assistant","content":[{"type":"text","text":"%s"},{"type":"tool-call","id":"c1","name":"n","arguments":"{}"},{"type":"tool-call","id":"c2","name":"n","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append","sourceEventSeqs":[%s]}`,
			turn, turn, strings.Repeat("Reading the ledger", 100), strings.Join(cited, ","))
		for _, call := range []string{"c1", "c2"} {
			add(`"type":"tool/call","data":{"turn":%d,"step":1,"callId":"%s"}}`, turn, call)
			add(`"type":"tool/result","data":{"turn":%d,"step":1,"message":{"id":"r%d%s","role":"user","content":[{"type":"tool-result","toolCallId":"%s","content":[{"type":"text","text":"done"}]}],"source":{"kind":"tool","callId":"%s"}}},"surfaceOp":"append"}`,
				turn, turn, call, call, call)
		}
		add(`"type":"step/end","data":{"turn":%d,"step":1}}`, turn)
		add(`"type":"turn/end","data":{"turn":%d,"reason":{"kind":"completed"}}}`, turn)
	}
	events := make([]session.Event, 0, seq)
	for line := range strings.Lines(text.String()) {
		e, err := session.ParseEvent([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			panic(err)
		}
		events = append(events, e)
	}
	return events
}

// beside runs op over the events of a log, and reports nanoseconds per event and the ratio to a peer
// that does the least that a program in Go would do with such an event: encoding/json reads it once.
func beside(b *testing.B, events []session.Event, op func([]session.Event)) {
	size := 0
	texts := make([][]byte, len(events))
	for i := range events {
		texts[i] = events[i].AppendJSON(nil)
		size += len(texts[i])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var peer time.Duration
	runs := 0
	for b.Loop() {
		op(events)
		if runs++; runs%8 == 1 {
			b.StopTimer()
			start := time.Now()
			for _, text := range texts {
				var e struct {
					Type            string
					Seq, Time       int64
					Data            json.RawMessage
					SurfaceOp       json.RawMessage
					SourceEventSeqs []int64
				}
				if err := json.Unmarshal(text, &e); err != nil {
					b.Fatal(err)
				}
			}
			peer += time.Since(start)
			b.StartTimer()
		}
	}
	perEvent := float64(b.Elapsed()) / float64(runs*len(events))
	b.ReportMetric(perEvent, "ns/event")
	b.ReportMetric(float64(b.Elapsed())/float64(runs)/(float64(peer)/float64((runs+7)/8)), "x-peer")
}

// Growth is linear if ns/event is the same for 1x and 10x.
func BenchmarkState(b *testing.B) {
	for _, scale := range []int{1, 10} {
		events := longLog(scale)
		b.Run(fmt.Sprintf("Apply/%dx", scale), func(b *testing.B) {
			beside(b, events, func(events []session.Event) {
				s := session.NewState(session.Header{ID: "s"})
				for i := range events {
					if err := s.Apply(&events[i]); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func BenchmarkSessionAppend(b *testing.B) {
	for _, scale := range []int{1, 10} {
		events := longLog(scale)
		b.Run(fmt.Sprintf("Memory/%dx", scale), func(b *testing.B) {
			beside(b, events, func(events []session.Event) {
				s, err := session.Create(b.Context(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
				require.NoError(b, err)
				for _, e := range events {
					if _, err := s.Append(b.Context(), e); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// One message of very many citations costs what it is long: it is replaced by another one of as many.
func BenchmarkCitations(b *testing.B) {
	for _, scale := range []int{1, 10} {
		n := 50_000 * scale
		message := `{"id":"m","role":"assistant","content":[{"type":"text","text":"x"}],"source":{"kind":"model","provider":"p","model":"m"}}`
		chunks := make([]session.Event, n)
		sources := make([]int64, n, n+1)
		for i := range chunks {
			chunks[i] = session.Event{Type: session.AssistantChunk, Seq: int64(i), Data: json.RawMessage("{}")}
			sources[i] = int64(n - 1 - i)
		}
		first := session.Event{
			Type: session.AssistantMessage, Seq: int64(n), Sources: sources, SurfaceOp: session.AtEnd(),
			Data: json.RawMessage(`{"message":` + message + `}`),
		}
		second := first
		second.Seq, second.Sources = int64(n+1), append(sources, int64(n))
		second.SurfaceOp = json.RawMessage(fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, n, n))
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			base := session.NewState(session.Header{})
			for i := range chunks {
				require.NoError(b, base.Apply(&chunks[i]))
			}
			for b.Loop() {
				s := *base
				require.NoError(b, s.Apply(&first))
				require.NoError(b, s.Apply(&second))
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(2*n), "ns/citation")
		})
	}
}

// A caller may understand as many kinds as a log has, and each event costs the same.
func BenchmarkKinds(b *testing.B) {
	for _, scale := range []int{1, 10} {
		var o session.Options
		store := &session.Memory{}
		l, err := store.Create(b.Context(), session.Header{ID: "s"})
		require.NoError(b, err)
		n := 3000 * scale
		for i := range n {
			kind := fmt.Sprintf("kind/%d", i)
			o.Kinds = append(o.Kinds, kind)
			require.NoError(b, l.Append(b.Context(), session.Event{Type: kind, Seq: int64(i), Data: json.RawMessage("{}")}))
		}
		b.Run(fmt.Sprintf("Inspect/%dx", scale), func(b *testing.B) {
			for b.Loop() {
				_, err := session.Inspect(b.Context(), l, o)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/event")
		})
	}
}
