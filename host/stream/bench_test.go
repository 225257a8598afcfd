package stream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The work is three recorded streams, each stretched to 20,000 parts, once and ten times over. Beside
// every figure a floor is measured in the same run, and x-floor is the ratio to it. For parts as Go values
// the floor is what no translation can do without: every fragment appended to a strings.Builder of its
// block. For parts as lines of JSON it is to check that they are JSON.

// large are the names of the streams.
var large = []string{"anthropic-many-blocks", "openai-chat-64-open-tools", "openai-compatible-huge-text-huge-tool"}

// largeParts returns the parts of a stream, with the same again scale times, under ids of its own.
func largeParts(tb testing.TB, name string, scale int) []stream.Part {
	f, err := os.Open("../../testdata/vectors/streams/large/" + name + ".v4.parts.ndjson.gz")
	require.NoError(tb, err)
	defer f.Close()
	in, err := gzip.NewReader(f)
	require.NoError(tb, err)
	data, err := io.ReadAll(in)
	require.NoError(tb, err)
	var parts []stream.Part
	for round := range scale {
		for line := range bytes.Lines(data) {
			var p stream.Part
			require.NoError(tb, stream.ParsePart(line, &p))
			if p.Type == stream.PartFinish && round < scale-1 {
				continue
			}
			if p.ID != "" && round > 0 {
				p.ID += fmt.Sprint("-", round)
			}
			parts = append(parts, p)
		}
	}
	return parts
}

func valuesOf(parts []stream.Part) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for i := range parts {
			if !yield(&parts[i], nil) {
				return
			}
		}
	}
}

// ndjson writes parts as lines, with the members in the order of the recordings.
func ndjson(parts []stream.Part) []byte {
	var out []byte
	for i := range parts {
		p := &parts[i]
		id, line := "id", jsonvalue.Begin(out)
		if p.Type == stream.PartToolCall {
			id = "toolCallId"
		}
		line.Text("type", p.Type)
		for _, m := range [...]struct {
			key, text string
			given     bool
		}{
			{id, p.ID, p.ID != ""}, {"delta", p.Delta, strings.HasSuffix(p.Type, "-delta")},
			{"toolName", p.ToolName, p.ToolName != ""}, {"input", p.Input, p.Type == stream.PartToolCall},
		} {
			if m.given {
				line.Text(m.key, m.text)
			}
		}
		for _, m := range [...]struct {
			key string
			raw []byte
		}{{"finishReason", p.FinishReason}, {"usage", p.Usage}, {"providerMetadata", p.Metadata}} {
			if m.raw != nil {
				line.Raw(m.key, m.raw)
			}
		}
		out = append(line.End(), '\n')
	}
	return out
}

func benchConfig(tb testing.TB) *stream.Config {
	pi, err := profile.Named("pi")
	require.NoError(tb, err)
	var tools []profile.Tool
	for _, name := range []string{"read", "bash", "edit", "write", "find", "add", "multiply", "GetWeatherArgs", "get_stock_price", "weather"} {
		tools = append(tools, profile.Tool{Name: name})
	}
	return &stream.Config{Toolset: pi.Bind(tools, profile.Options{})}
}

// drain takes all events and returns how many there were.
func drain(b *testing.B, events iter.Seq[stream.Event]) int {
	n, last := 0, ""
	for e := range events {
		n++
		last = e.Type
	}
	if last != stream.EventDone {
		b.Fatal("the stream has not finished: " + last)
	}
	return n
}

// floor appends the fragments to builders.
func floor(parts []stream.Part) int {
	var open *strings.Builder
	id, size := "", 0
	for i := range parts {
		p := &parts[i]
		switch p.Type {
		case stream.PartTextDelta, stream.PartReasoningDelta, stream.PartToolInputDelta:
			if open == nil || id != p.ID {
				open, id = &strings.Builder{}, p.ID
			}
			open.WriteString(p.Delta)
			size += open.Len()
		case stream.PartTextEnd, stream.PartReasoningEnd, stream.PartToolInputEnd:
			open = nil
		}
	}
	return size
}

// measure reports the work against a floor.
func measure(b *testing.B, parts, size int, floor, work func()) {
	b.SetBytes(int64(size))
	var floors, own time.Duration
	n := 0
	for b.Loop() {
		begin := time.Now()
		floor()
		middle := time.Now()
		work()
		floors += middle.Sub(begin)
		own += time.Since(middle)
		n++
	}
	perPart := float64(own.Nanoseconds()) / float64(n) / float64(parts)
	b.ReportMetric(perPart, "ns/part")
	b.ReportMetric(float64(own)/float64(floors), "x-floor")
	b.ReportMetric(testing.AllocsPerRun(1, work)/float64(parts), "allocs/part")
	if size > 0 {
		b.ReportMetric(float64(size)*float64(n)/1e6/own.Seconds(), "MB/s")
	}
}

var scales = []int{1, 10}

func eachStream(b *testing.B, run func(b *testing.B, parts []stream.Part)) {
	for _, name := range large {
		for _, scale := range scales {
			b.Run(fmt.Sprintf("%s/%dx", name, scale), func(b *testing.B) { run(b, largeParts(b, name, scale)) })
		}
	}
}

// Parts as Go values: fetched, and pushed.
func BenchmarkTranslate(b *testing.B) {
	cfg := benchConfig(b)
	eachStream(b, func(b *testing.B, parts []stream.Part) {
		measure(b, len(parts), 0, func() { floor(parts) }, func() {
			drain(b, stream.Translate(context.Background(), cfg, valuesOf(parts)))
		})
	})
}

func BenchmarkPush(b *testing.B) {
	cfg := benchConfig(b)
	eachStream(b, func(b *testing.B, parts []stream.Part) {
		measure(b, len(parts), 0, func() { floor(parts) }, func() {
			events := 0
			emit := func(stream.Event) bool { events++; return true }
			t := stream.NewTranslator(context.Background(), cfg)
			for i := range parts {
				t.Part(&parts[i], emit)
			}
			t.End(nil, emit)
		})
	})
}

// Parts as lines of JSON.
func BenchmarkReadAndTranslate(b *testing.B) {
	cfg := benchConfig(b)
	eachStream(b, func(b *testing.B, parts []stream.Part) {
		text := ndjson(parts)
		measure(b, len(parts), len(text), func() { valid(b, text) }, func() {
			drain(b, stream.Translate(context.Background(), cfg, stream.ReadParts(bytes.NewReader(text))))
		})
	})
}

// The same, each line read by itself.
func BenchmarkParsePartAndTranslate(b *testing.B) {
	cfg := benchConfig(b)
	eachStream(b, func(b *testing.B, parts []stream.Part) {
		text := ndjson(parts)
		measure(b, len(parts), len(text), func() { valid(b, text) }, func() {
			drain(b, stream.Translate(context.Background(), cfg, func(yield func(*stream.Part, error) bool) {
				var p stream.Part
				for line := range bytes.Lines(text) {
					if err := stream.ParsePart(line, &p); !yield(&p, err) {
						return
					}
				}
			}))
		})
	})
}

func valid(b *testing.B, text []byte) {
	for line := range bytes.Lines(text) {
		if !jsonspan.Valid(line) {
			b.Fatal("not JSON")
		}
	}
}

// Events that are all queued first and taken late, as by a consumer that lags behind.
func BenchmarkDrainLate(b *testing.B) {
	cfg := benchConfig(b)
	eachStream(b, func(b *testing.B, parts []stream.Part) {
		measure(b, len(parts), 0, func() { floor(parts) }, func() {
			var queue []stream.Event
			for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
				queue = append(queue, e)
			}
			size := 0
			for i := range queue {
				size += len(queue[i].Delta) + len(queue[i].Content)
			}
		})
	})
}
