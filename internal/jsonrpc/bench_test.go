package jsonrpc

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// An echo and back over two pipes in memory. The floor, in x-floor, is to write the same bytes, read them
// at the other end, and the same back: nothing is parsed, nothing finds its handler.
func BenchmarkEcho(b *testing.B) {
	for name, params := range map[string]json.RawMessage{
		"small": json.RawMessage(`{"sessionId":"s"}`),
		"1MB":   testpayload.Large("openai-responses", "1MB"),
		"10MB":  testpayload.Large("openai-responses", "10MB"),
	} {
		b.Run(name, func(b *testing.B) {
			client, _, ended := connected(b.Context(), oneMethod(echo), func(*Request) (Handler, string, error) { return echo, "", nil })
			raw := rawEcho(b, len(params))
			b.SetBytes(int64(2 * len(params)))
			b.ReportAllocs()
			var floor time.Duration
			runs, floors := 0, 0
			for b.Loop() {
				var result json.RawMessage
				if err := client.Call(b.Context(), "echo", params, &result); err != nil || len(result) != len(params) {
					b.Fatal(err)
				}
				if runs++; floors*8 < runs { // beside it, so that both have the same neighbours
					b.StopTimer()
					floor += raw()
					floors++
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/(float64(floor)/float64(floors)), "x-floor")
			client.Close()
			<-ended
			<-ended
		})
	}
}

// rawEcho returns what writes and reads n bytes twice, and how long that took.
func rawEcho(b *testing.B, n int) func() time.Duration {
	aIn, bOut := io.Pipe()
	bIn, aOut := io.Pipe()
	echoed := make(chan struct{})
	go func() {
		defer close(echoed)
		buf := make([]byte, n)
		for {
			if _, err := io.ReadFull(bIn, buf); err != nil {
				return
			}
			_, _ = bOut.Write(buf)
		}
	}()
	b.Cleanup(func() {
		_ = aOut.Close()
		<-echoed
	})
	buf, got := make([]byte, n), make([]byte, n)
	return func() time.Duration {
		start := time.Now()
		go func() { _, _ = aOut.Write(buf) }()
		if _, err := io.ReadFull(aIn, got); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
}
