//go:build wasmtime && cgo

package differential_test

import "testing"

// The comparison once more with the second engine: modules as they are on the first, rewritten on the
// second. Guests, which need WASI, are in internal/enginetest.

func onWasmtime(t testing.TB) engine {
	e := newWasmtime()
	t.Cleanup(e.close)
	return e
}

func TestSuiteOnWasmtime(t *testing.T) {
	testSuite(t, onWasmtime, counts{
		Scripts: 148, Modules: 1598, Refused: 1, Results: 21_811, Traps: 2_407, Invalid: 2_146, Malformed: 719,
		Unlinkable: 83, Text: 1_091, Vector: 24_128,
	})
}

func TestGeneratedOnWasmtime(t *testing.T) {
	testGenerated(t, []setup{{firstEngine, 1_000}, {onWasmtime, 1}, {onWasmtime, 1 << 40}})
}
