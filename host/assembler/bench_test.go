package assembler_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// The work is that of the protocol's own figures: 20,000 text deltas of about five bytes, and 50 calls
// of 440 bytes of arguments that come six characters at a time, once and ten times. Beside every figure
// a floor is measured in the same run: the same fragments appended to one strings.Builder for each
// block, without any chunk around them. The metric x-floor is the ratio.

// answer makes the chunks of an answer, scale times the work.
func answer(scale int) []message.Chunk {
	words := strings.SplitAfter("The ledger for March has one row too many, and the sums differ by 12,50. ", " ")
	var chunks []message.Chunk
	next := 0.0
	block := func(kind string, deltas []message.Chunk, end message.Block) {
		chunks = append(chunks, message.Chunk{Type: message.BlockStart, Index: next, BlockType: kind})
		for _, d := range deltas {
			d.Index = next
			chunks = append(chunks, d)
		}
		chunks = append(chunks, message.Chunk{Type: message.BlockEnd, Index: next, Block: &end})
		next++
	}
	var text strings.Builder
	var deltas []message.Chunk
	for i := range 20_000 * scale {
		fragment := strings.Clone(words[i%len(words)])
		text.WriteString(fragment)
		deltas = append(deltas, message.Chunk{Type: message.TextDelta, Text: fragment})
	}
	block(message.Text, deltas, message.Block{Type: message.Text, Text: text.String()})
	arguments := `{"rows":[` + strings.Repeat(`{"row":7,"memo":"rent"},`, 17) + `{"row":8,"memo":"food!"}]}`
	for i := range 50 * scale {
		id := fmt.Sprintf("call_ld_%04d", i)
		deltas = deltas[:0]
		for at := 0; at < len(arguments); at += 6 {
			d := message.Chunk{Type: message.ToolCallDelta, ID: id, ArgumentsDelta: strings.Clone(arguments[at:min(at+6, len(arguments))])}
			if at == 0 {
				d.Name = "ledger_post"
			}
			deltas = append(deltas, d)
		}
		block(message.ToolCall, deltas, message.Block{Type: message.ToolCall, ID: id, Name: "ledger_post", Arguments: arguments})
	}
	usage, finish := message.Usage{Input: 900, Output: 25_000}, message.Finish{Kind: message.ToolCalls}
	entries := "{}" + strings.Repeat(",{}", 50*scale)
	return append(chunks, message.Chunk{Type: message.UsageChunk, Usage: &usage},
		message.Chunk{Type: message.FinishChunk, Reason: &finish, ReplayState: json.RawMessage(`{"response":{},"blocks":[` + entries + `]}`)})
}

// interleave takes the deltas of the blocks in turn, so that no two neighbours are of one block.
func interleave(chunks []message.Chunk) []message.Chunk {
	const lanes = 8
	out := make([]message.Chunk, len(chunks))
	for i, c := range chunks {
		c.Index = float64(i % lanes)
		if c.Type == message.BlockStart || c.Type == message.BlockEnd || c.Type == message.ToolCallDelta {
			c = message.Chunk{Type: message.TextDelta, Index: c.Index, Text: c.ArgumentsDelta}
		}
		out[i] = c
	}
	return out
}

func fragment(c *message.Chunk) string {
	if c.Type == message.ToolCallDelta {
		return c.ArgumentsDelta
	}
	return c.Text
}

// floor appends the fragments, one builder for each block.
func floor(chunks []message.Chunk) int {
	size := 0
	var b strings.Builder
	for i := range chunks {
		if chunks[i].Type == message.BlockStart {
			size += b.Len()
			b = strings.Builder{}
		}
		b.WriteString(fragment(&chunks[i]))
	}
	return size + b.Len()
}

// measure runs work, which handles all the chunks once, beside the floor.
func measure(b *testing.B, chunks []message.Chunk, work func()) {
	b.Helper()
	bytes := floor(chunks)
	work()
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	var floors time.Duration
	runs, beside := 0, 0
	for b.Loop() {
		work()
		if runs++; runs%8 == 1 {
			b.StopTimer()
			start := time.Now()
			floor(chunks)
			floors += time.Since(start)
			beside++
			b.StartTimer()
		}
	}
	perRun := float64(b.Elapsed()) / float64(runs)
	b.ReportMetric(perRun/float64(len(chunks)), "ns/chunk")
	b.ReportMetric(perRun*float64(beside)/float64(floors), "x-floor")
	b.ReportMetric(testing.AllocsPerRun(1, work)/float64(len(chunks)), "allocs/chunk")
}

func push(b *testing.B, a *assembler.Assembler, chunks []message.Chunk) assembler.Result {
	for i := range chunks {
		if err := a.Push(&chunks[i]); err != nil {
			b.Fatal(err)
		}
	}
	r, err := a.Result()
	if err != nil {
		b.Fatal(err)
	}
	return r
}

var scales = []int{1, 10}

// Chunks in memory: pushed into a new assembler and read; the same with one that is used again; and with
// the result written as JSON.
func BenchmarkAssemble(b *testing.B) {
	for _, scale := range scales {
		chunks := answer(scale)
		b.Run(fmt.Sprintf("%dx/new", scale), func(b *testing.B) {
			measure(b, chunks, func() {
				var a assembler.Assembler
				push(b, &a, chunks)
			})
		})
		b.Run(fmt.Sprintf("%dx/reused", scale), func(b *testing.B) {
			var a assembler.Assembler
			measure(b, chunks, func() {
				a.Reset()
				push(b, &a, chunks)
			})
		})
		b.Run(fmt.Sprintf("%dx/interleaved", scale), func(b *testing.B) {
			chunks := interleave(chunks)
			measure(b, chunks, func() {
				var a assembler.Assembler
				push(b, &a, chunks)
			})
		})
		b.Run(fmt.Sprintf("%dx/serialised", scale), func(b *testing.B) {
			var out []byte
			measure(b, chunks, func() {
				var a assembler.Assembler
				r := push(b, &a, chunks)
				out = r.AppendJSON(out[:0])
			})
		})
	}
}

// The chunks as JSON texts, read and pushed.
func BenchmarkParseAndAssemble(b *testing.B) {
	for _, scale := range scales {
		chunks := answer(scale)
		texts := make([][]byte, len(chunks))
		for i := range chunks {
			texts[i] = chunks[i].AppendJSON(nil)
		}
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, chunks, func() {
				var a assembler.Assembler
				for _, text := range texts {
					c, err := message.ParseChunk(text)
					if err != nil {
						b.Fatal(err)
					}
					if err := a.Push(&c); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := a.Result(); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkGrammar(b *testing.B) {
	for _, scale := range scales {
		chunks := answer(scale)
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, chunks, func() {
				var g assembler.Grammar
				for i := range chunks {
					if err := g.Check(&chunks[i]); err != nil {
						b.Fatal(err)
					}
				}
				if err := g.End(); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
