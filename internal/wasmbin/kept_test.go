package wasmbin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// Values that outlive calls take places in the frame, and nothing else does: the same code without calls
// in between has a frame of its own size.
func TestValuesThatOutliveCalls(t *testing.T) {
	v128 := wasmbin.V128
	repeat := func(n int, code ...any) []byte {
		return []byte(strings.Repeat(string(wasmtest.Code(code...)), n))
	}
	const n = 50
	set := wasmtest.Code(wasmtest.LocalGet(0), []byte{0x21, 1}) // local.set 1
	call := wasmtest.Call(1)
	frame := func(locals []wasmbin.ValueType, code []byte) int {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
			{Type: sigCount, Locals: locals, Code: wasmtest.Code(code, call, wasmtest.LocalGet(0))},
			{},
		}}
		out, err := instrument(m.Encode())
		require.NoError(t, err)
		return int(out.MaxFrame-64) / 8
	}
	local := []wasmbin.ValueType{i32}
	const few = 1 + 1 + 1 + 1 // parameter, result, local, operand
	tests := map[string]struct {
		locals []wasmbin.ValueType
		code   []byte
		want   int
	}{
		"sets and no call between":   {local, repeat(n, set), few + 2}, // no more than there are locals,
		"a set before each call":     {local, repeat(n, set, call), few + n},
		"two sets of one local":      {local, repeat(n, set, set, call), few + 2*n},
		"calls alone":                {local, repeat(n, call), few},
		"an operand below":           {local, wasmtest.Code(wasmtest.LocalGet(0), repeat(n, call), wasmtest.Drop), few + 1},
		"a new operand below each":   {local, repeat(n, wasmtest.LocalGet(0), call, wasmtest.Drop), few + n},
		"a vector":                   {[]wasmbin.ValueType{v128}, repeat(n, []byte{0x20, 1, 0x21, 1}, call), few + 2 + 2*n},
		"more locals than registers": {[]wasmbin.ValueType{i32, i32, i32, i32, i32, i32, i32, i32}, repeat(n, set), few + 7 + n},
		"more operands than registers": {local, wasmtest.Code(repeat(10, wasmtest.LocalGet(0)), repeat(10, wasmtest.Drop)),
			few - 1 + 10 + 2},
		"a loop that sets it": {local, wasmtest.Loop(set, call, wasmtest.LocalGet(0), []byte{0x0d, 0}),
			few + 1 + 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, frame(test.locals, test.code))
		})
	}
}
