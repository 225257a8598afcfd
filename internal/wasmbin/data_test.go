package wasmbin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// A memoryWorld instantiates modules to look at the memory that they start with.
type memoryWorld struct {
	ctx     context.Context
	runtime wazero.Runtime
}

func newMemoryWorld(t *testing.T) *memoryWorld {
	ctx := context.Background()
	w := &memoryWorld{ctx, wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))}
	t.Cleanup(func() { assert.NoError(t, w.runtime.Close(ctx)) })
	_, err := w.runtime.NewHostModuleBuilder(wasmbin.MeterModule).
		NewFunctionBuilder().WithFunc(func(uint32) {}).Export(wasmbin.TickImport).
		NewFunctionBuilder().WithFunc(func(uint32) uint32 { return 1 }).Export(wasmbin.GrowImport).
		Instantiate(ctx)
	require.NoError(t, err)
	return w
}

// memory returns what a module's memory holds at the start; nil if it does not start.
func (w *memoryWorld) memory(bin []byte) []byte {
	mod, err := w.runtime.InstantiateWithConfig(w.ctx, bin, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil
	}
	defer mod.Close(w.ctx)
	view, _ := mod.Memory().Read(0, mod.Memory().Size())
	return bytes.Clone(view)
}

func rewrite(t require.TestingT, bin []byte) []byte {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	out, err := m.Instrument()
	require.NoError(t, err)
	return out.Bytes
}

// segments counts the data segments of a module.
func segments(t *testing.T, bin []byte) int {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		if s.Title() == "data" {
			n, _ := binary.Uvarint(bin[s.Body:])
			return int(n)
		}
	}
	return 0
}

// Segments in any order, over one another, empty, at the end of memory and beyond it: memory starts as it
// did, or does not start as it did not.
func TestDataEndsUpWhereItWas(t *testing.T) {
	w := newMemoryWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f"}}}
		for range rapid.IntRange(0, 8).Draw(rt, "segments") {
			m.Data = append(m.Data, wasmtest.Data{
				Offset: rapid.OneOf(rapid.Uint32Range(0, 500), rapid.Uint32Range(1<<16-40, 1<<16+2), rapid.Just(^uint32(0))).Draw(rt, "offset"),
				Bytes:  rapid.SliceOfN(rapid.ByteRange(0, 2), 0, 90).Draw(rt, "bytes"),
			})
		}
		bin := m.Encode()
		want, got := w.memory(bin), w.memory(rewrite(rt, bin))
		if (want == nil) != (got == nil) || !bytes.Equal(want, got) {
			rt.Fatal("memory is another one")
		}
	})
}

func TestNeighboursBecomeOneSegment(t *testing.T) {
	data := func(at uint32, n int) wasmtest.Data {
		return wasmtest.Data{Offset: at, Bytes: bytes.Repeat([]byte{7}, n)}
	}
	for name, test := range map[string]struct {
		data []wasmtest.Data
		want int
	}{
		"none":           {nil, 0},
		"zeros":          {[]wasmtest.Data{{Offset: 9, Bytes: make([]byte, 500)}}, 0},
		"near":           {[]wasmtest.Data{data(0, 10), data(73, 10)}, 1},
		"far":            {[]wasmtest.Data{data(0, 10), data(74, 10)}, 2},
		"backwards":      {[]wasmtest.Data{data(100, 10), data(40, 10), data(0, 5)}, 1},
		"zeros in one":   {[]wasmtest.Data{{Offset: 0, Bytes: append(append([]byte{1}, make([]byte, 64)...), 1)}}, 2},
		"beyond memory":  {[]wasmtest.Data{data(0, 1), data(2, 1), data(1<<16, 1)}, 3},
		"end of address": {[]wasmtest.Data{data(0, 1), data(1, 1), data(^uint32(0), 1)}, 3},
	} {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f"}}, Data: test.data}
		assert.Equal(t, test.want, segments(t, rewrite(t, m.Encode())), name)
	}
}

// Code that knows segments by their number keeps them.
func TestNumberedSegmentsStay(t *testing.T) {
	for name, code := range map[string][]byte{
		"memory.init": wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(1), []byte{0xfc, 8, 1, 0}),
		"data.drop":   {0xfc, 9, 1},
	} {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f", Code: code}}, Data: []wasmtest.Data{
			{Offset: 0, Bytes: []byte{1}}, {Offset: 1, Bytes: []byte{2}}}}
		bin := m.Encode()
		at := bytes.Index(bin, []byte{10, 1 + 1 + byte(len(code)) + 2}) // the code section: the number of segments goes before it
		require.Positive(t, at, name)
		bin = append(append(bytes.Clone(bin[:at]), 12, 1, 2), bin[at:]...)
		assert.Equal(t, 2, segments(t, rewrite(t, bin)), name)
	}
}
