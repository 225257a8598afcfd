package hostile

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func costGenerators() map[string]generator {
	return map[string]generator{
		"compile-cost":         compileCost,
		"expensive-to-compile": expensiveToCompile,
	}
}

// costly is a function of many locals.
type costly struct {
	locals int
	code   []byte
}

// increment counts a local up.
func increment(local int) []byte {
	return wasmtest.Code(wasmtest.LocalGet(local), wasmtest.I64Const(1), 0x7c, binary.AppendUvarint([]byte{localSet}, uint64(local)))
}

// loopsWithin has loops within one another; each of them changes locals of its own. A compiler that
// follows every local through every loop takes the square of their number for each local.
func loopsWithin(depth, locals int) costly {
	code := bytes.Repeat([]byte{0x03, 0x40}, depth)
	for i := range depth {
		for j := range max(1, locals/depth) {
			code = append(code, increment((i*max(1, locals/depth)+j)%locals)...)
		}
		code = append(code, wasmtest.Code(wasmtest.I32Const(0), []byte{0x0d, 0}, wasmtest.End)...) // br_if 0
	}
	return costly{locals, code}
}

// manyWays has a br_table that leads behind each of many blocks, between which locals change.
func manyWays(blocks, labels, locals int) costly {
	code := append(bytes.Repeat([]byte{0x02, 0x40}, blocks), binary.AppendUvarint([]byte{0x41, 0, 0x0e}, uint64(labels))...)
	for i := range labels + 1 {
		code = binary.AppendUvarint(code, uint64(i%blocks))
	}
	for i := range blocks {
		code = append(append(code, wasmtest.End), increment(i*7%locals)...)
	}
	return costly{locals, code}
}

// manyBranches has branches out of many blocks in a row, in which locals change.
func manyBranches(blocks, locals int) costly {
	var code []byte
	for i := range blocks {
		code = append(code, wasmtest.Code([]byte{0x02, 0x40}, wasmtest.LocalGet(i*3%locals), 0xa7, []byte{0x0d, 0}, increment(i*7%locals), wasmtest.End)...)
	}
	return costly{locals, code}
}

// costlies makes guests that have functions which nobody calls.
func costlies(m *abi.Manifest, list map[string][]costly) ([]variant, error) {
	files := map[string][]byte{}
	for name, functions := range list {
		var module wasmtest.Module
		for _, f := range functions {
			module.Functions = append(module.Functions, wasmtest.Function{Locals: slices.Repeat([]wasmbin.ValueType{wasmbin.I64}, f.locals), Code: f.code})
		}
		files[name] = attacking(module, m)
	}
	return variants(files)
}

// compileCost has files of a few kilobytes that would keep a compiler busy for seconds to hours.
func compileCost(m *abi.Manifest) ([]variant, error) {
	return costlies(m, map[string][]costly{
		"500 loops within one another":      {loopsWithin(500, 1000)},
		"20 times 200 loops":                slices.Repeat([]costly{loopsWithin(200, 200)}, 20),
		"20 times 100 loops":                slices.Repeat([]costly{loopsWithin(100, 400)}, 20),
		"8,192 ways behind 1,900 blocks":    {manyWays(1900, 8192, 1000)},
		"4,000 branches under 1,000 locals": {manyBranches(4000, 1000)},
	})
}

// expensiveToCompile comes close to what is allowed.
func expensiveToCompile(m *abi.Manifest) ([]variant, error) {
	return costlies(m, map[string][]costly{
		"a long straight run":      {{1, bytes.Repeat(wasmtest.Code(wasmtest.I64Const(-1), wasmtest.LocalGet(0), wasmtest.I64Const(3), i64Or, i64DivU, localSet, []byte{0}), 13_000)}},
		"30 loops, 1,000 locals":   {loopsWithin(30, 1000)},
		"1,000 branches":           slices.Repeat([]costly{manyBranches(1000, 1000)}, 3),
		"4,000 branches":           {manyBranches(4000, 50)},
		"500 loops without locals": {loopsWithin(500, 1)},
		"many small functions":     slices.Repeat([]costly{{1, increment(0)}}, 9_000),
	})
}
