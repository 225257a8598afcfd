package proof_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
)

// The floor is the rewriting of the same guest, in the same run.
func BenchmarkCheck(b *testing.B) {
	bin, err := stock.Adapters()
	require.NoError(b, err)
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(b, err)
	rewritten, err := m.Instrument()
	require.NoError(b, err)
	var floor time.Duration
	for range 5 {
		start := time.Now()
		_, err = m.Instrument()
		require.NoError(b, err)
		if d := time.Since(start); floor == 0 || d < floor {
			floor = d
		}
	}
	b.SetBytes(int64(len(rewritten.Bytes)))
	for b.Loop() {
		if err := proof.Check(rewritten.Bytes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "x-floor")
}
