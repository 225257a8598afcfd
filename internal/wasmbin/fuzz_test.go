package wasmbin_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// Whatever the bytes, they are refused with one of the promised errors, or become a module that the
// engine accepts and the proof proves, the same one each time.
func FuzzInstrument(f *testing.F) {
	f.Add(wasmtest.Says("hi"))
	f.Add(cGuest(f))
	f.Add(bulkModule())
	for _, code := range snippets {
		f.Add(world(code...))
	}
	for seed := range 10 {
		f.Add(wasmgen.Module(bytes.Repeat([]byte{byte(seed * 31), byte(seed)}, 200)))
	}
	f.Fuzz(checkAny)
}

// The same with bytes that are the code of one function.
func FuzzCode(f *testing.F) {
	for _, code := range snippets {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) { checkAny(t, world(code...)) })
}

// snippets are functions of world.
var snippets = [][]byte{
	nil, {0x00, 0x20, 0, 0x1a}, {0x20, 0, 0x04, 0x40, 0x0f, 0x05, 0x0c, 0, 0x0b}, {0x03, 0x40, 0x20, 0, 0x0d, 0, 0x0b},
	{0x02, 0x40, 0x02, 0x40, 0x20, 0, 0x0e, 1, 0, 1, 0x0b, 0x0b}, {0x41, 0, 0x11, 0, 0}, {0xd2, 1, 0x24, 2},
	{0x20, 4, 0x20, 4, 0xfd, 110, 0x21, 4}, {0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 10, 0, 0}, {0x41, 1, 0x40, 0, 0x1a},
}

func checkAny(t *testing.T, file []byte) {
	out, err := instrument(file)
	if err != nil {
		typed(t, err)
		return
	}
	accepted(t, out.Bytes)
	require.NoError(t, proof.Check(out.Bytes))
	again, err := instrument(file)
	require.NoError(t, err)
	require.Equal(t, out, again)
	_, err = wasmbin.Parse(out.Bytes, wasmbin.DefaultLimits())
	require.NoError(t, err)
}
