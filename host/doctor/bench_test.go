package doctor

import (
	"strconv"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/message"
)

// One answer with many calls, whose results come in the opposite order: ten times the calls are to take
// ten times as long.
func BenchmarkCalls(b *testing.B) {
	history := func(n int) []message.Message {
		m := []message.Message{{Role: message.Assistant}, {Role: message.User}}
		for i := range n {
			m[0].Content = append(m[0].Content, message.Block{Type: message.ToolCall, ID: strconv.Itoa(i)})
			m[1].Content = append(m[1].Content, message.Block{Type: message.ToolResult, ToolCallID: strconv.Itoa(n - 1 - i)})
		}
		return m
	}
	follow := func(h []message.Message) time.Duration {
		start := time.Now()
		c := calls{add: func(int, Finding) { b.Fatal("there is nothing to find") }, real: func(int) {}}
		for i := range h {
			c.message(i, &h[i])
		}
		c.end()
		return time.Since(start)
	}
	one, ten := history(10_000), history(100_000)
	var took [2]time.Duration
	for b.Loop() {
		took[0] += follow(one)
		took[1] += follow(ten)
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "x-for-10x")
}
