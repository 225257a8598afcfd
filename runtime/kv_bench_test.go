package runtime_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A call that reads and writes its kv, against the same call without the grant.
func BenchmarkKV(b *testing.B) {
	r := newRuntime(b, runtime.Options{})
	file := counter(asking("kv"))
	load := func(grants ...string) *runtime.Guest {
		g, err := r.Load(b.Context(), "kv.wasm", file, runtime.GuestOptions{Source: "/" + strings.Join(grants, ""), Grants: grants})
		require.NoError(b, err)
		return g
	}
	call := func(g *runtime.Guest, session string) {
		_, err := g.Call(b.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
		require.NoError(b, err)
	}
	granted, without := load("kv"), load()
	const floorCalls = 20_000
	start := time.Now()
	for range floorCalls {
		call(without, "") // without a session no answer is remembered
	}
	floor := time.Since(start) / floorCalls
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		call(granted, "s")
		if n++; n%60 == 0 {
			r.EndSession(b.Context(), "s") // the guest counts with one digit
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "x-floor")
}
