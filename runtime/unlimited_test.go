package runtime_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A host that wants no bound says so by the largest numbers.
func TestLimitsWithoutABound(t *testing.T) {
	limits := runtime.Limits{MemoryBytes: math.MaxUint64, Fuel: math.MaxUint64, Time: math.MaxInt64,
		AnswerBytes: math.MaxInt, LogBytes: math.MaxInt}
	for _, m := range []*abi.Manifest{wasmtest.Manifest(), asking("random")} { // put back, and started anew for each call
		answer := wasmtest.Text("hi")
		loop := wasmtest.Code(wasmtest.GlobalGet(0), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.GlobalSet(0),
			wasmtest.GlobalGet(0), wasmtest.I32Const(200_000), 0x49, 0x0d, 0) // i32.lt_u, br_if 0
		g := loadGranted(t, newRuntime(t, runtime.Options{Limits: limits}), "/a", wasmtest.Guest(
			wasmtest.Module{Globals: 1, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m,
			wasmtest.Code(wasmtest.Loop(loop), wasmtest.Answer(16, uint32(len(answer))))), "random")
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa0}, PayloadBytes: 10})
		require.NoError(t, err)
		assert.Equal(t, answer, append([]byte{0x82, 1}, value...))
	}
}
