package jsondiff_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/jsondiff"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// BenchmarkEdits compares the differences of a payload of 10 MB, of which the prompt was changed, with a
// check of its grammar. Spaced is an answer that was written anew.
func BenchmarkEdits(b *testing.B) {
	from := testpayload.Large("openai-responses", "10MB")
	spliced := bytes.Replace(from, []byte(`"role":"developer"`), []byte(`"role":"system"`), 1)
	for name, to := range map[string][]byte{"spliced": spliced, "spaced": bytes.ReplaceAll(spliced, []byte(`{"role":`), []byte(`{ "role":`))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(from)))
			var floor time.Duration
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				jsonspan.Valid(from)
				floor += time.Since(start)
				b.StartTimer()
				jsondiff.Edits(from, to)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(floor), "x-valid")
		})
	}
}
