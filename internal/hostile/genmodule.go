package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func moduleGenerators() map[string]generator {
	return map[string]generator{
		"names-the-meter":  namesTheMeter,
		"meter-names":      meterNames,
		"long-opcodes":     longOpcodes,
		"unknown-features": unknownFeatures,
		"many-locals":      manyLocals,
		"too-deep":         tooDeep,
		"just-deep-enough": justDeepEnough,
		"too-many-loops":   tooManyLoops,
		"huge-br-table":    hugeBrTable,
		"large-br-table":   largeBrTable,
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// codes makes guests that run code when they are attacked. The names end up in what is told about them.
func codes(m *abi.Manifest, list map[string][]byte) ([]variant, error) {
	var out []variant
	for _, name := range sortedKeys(list) {
		out = append(out, variant{name, attacking(wasmtest.Module{Globals: 1, Typed: []wasmbin.ValueType{wasmbin.I64}}, m, list[name])})
	}
	return out, nil
}

// namesTheMeter uses the indices of the globals and functions that rewriting adds.
func namesTheMeter(m *abi.Manifest) ([]variant, error) {
	const large = 1 << 62
	list := map[string][]byte{}
	for i := range 4 {
		list[fmt.Sprintf("sets global %d", 2+i)] = forever(wasmtest.I64Const(large), wasmtest.GlobalSet(2+i))
		list[fmt.Sprintf("sets global %d of 32 bits", 2+i)] = forever(wasmtest.I32Const(0), wasmtest.GlobalSet(2+i))
		list[fmt.Sprintf("reads global %d", 2+i)] = forever(wasmtest.GlobalGet(2+i), wasmtest.Drop)
		list[fmt.Sprintf("calls function %d", 4+i)] = forever(wasmtest.I32Const(0), wasmtest.Call(4+i))
	}
	return codes(m, list)
}

// meterNames are guests that import or export under names that belong to the host.
func meterNames(m *abi.Manifest) ([]variant, error) {
	var out []variant
	for _, name := range []string{wasmbin.FuelExport, wasmbin.DepthExport, wasmbin.StartExport, wasmbin.PrivatePrefix + "global.0", wasmbin.PrivatePrefix} {
		out = append(out, variant{"exports " + name, wasmtest.Guest(wasmtest.Module{Globals: 1,
			Exports: []wasmtest.Export{{Name: name, Kind: wasmbin.GlobalKind}}}, m, wasmtest.I64Const(0))})
	}
	return out, nil
}

// longOpcodes are opcodes with more bytes than they need. One decoder reads the number, another one knows
// only the shortest form and finds other instructions in the bytes behind it.
func longOpcodes(m *abi.Manifest) ([]variant, error) {
	zeros := wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(0))
	vector := append([]byte{0xfd, 12}, make([]byte, 16)...)
	return codes(m, map[string][]byte{
		"memory.fill of two bytes":   wasmtest.Code(zeros, []byte{0xfc, 0x8b, 0x00, 0x00}),
		"memory.fill of three bytes": wasmtest.Code(zeros, []byte{0xfc, 0x8b, 0x80, 0x00, 0x00}),
		"memory.fill of five bytes":  wasmtest.Code(zeros, []byte{0xfc, 0x8b, 0x80, 0x80, 0x80, 0x00, 0x00}),
		"memory.fill of six bytes":   wasmtest.Code(zeros, []byte{0xfc, 0x8b, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00}),
		"beyond 32 bits":             wasmtest.Code(zeros, []byte{0xfc, 0x8b, 0x80, 0x80, 0x80, 0x10, 0x00}),
		"i32.trunc_sat of two bytes": {0x43, 0, 0, 0, 0, 0xfc, 0x80, 0x00, wasmtest.Drop},
		"v128.const of two bytes":    append(append([]byte{0xfd, 0x8c, 0x00}, make([]byte, 16)...), wasmtest.Drop),
		"i8x16.eq of two bytes":      append(append(append(slices.Clone(vector), vector...), 0xfd, 0xa3, 0x00), wasmtest.Drop),
		"i64x2.mul of three bytes":   append(append(append(slices.Clone(vector), vector...), 0xfd, 0xd5, 0x81, 0x00), wasmtest.Drop),
	})
}

// unknownFeatures are instructions, types and sections of later versions.
func unknownFeatures(m *abi.Manifest) ([]variant, error) {
	out, err := codes(m, map[string][]byte{
		"return_call":          {0x12, 0x00},
		"return_call_indirect": wasmtest.Code(wasmtest.I32Const(0), []byte{0x13, 0x00, 0x00}),
		"try":                  {0x06, 0x40, 0x0b},
		"throw":                {0x08, 0x00},
		"rethrow":              {0x09, 0x00},
		"try_table":            {0x1f, 0x40, 0x00, 0x0b},
		"call_ref":             {0x14, 0x00},
		"br_on_null":           {0xd0, 0x70, 0xd5, 0x00},
		"ref.eq":               {0xd0, 0x70, 0xd0, 0x70, 0xd3, wasmtest.Drop},
		"struct.new":           {0xfb, 0x00, 0x00},
		"atomic.fence":         {0xfe, 0x03, 0x00},
		"i32.atomic.rmw.add":   wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(1), []byte{0xfe, 0x1e, 0x02, 0x00, wasmtest.Drop}),
		"relaxed swizzle":      {0xfd, 0x80, 0x02},
		"i64.add128":           {0xfc, 0x13},
		"memory.size 1":        {0x3f, 0x01, wasmtest.Drop},
		"memory.grow 1":        wasmtest.Code(wasmtest.I32Const(1), []byte{0x40, 0x01, wasmtest.Drop}),
		"load from memory 1":   wasmtest.Code(wasmtest.I32Const(0), []byte{0x28, 0x40, 0x01, 0x00, wasmtest.Drop}),
		"unassigned 0x27":      {0x27}, "unassigned 0xff": {0xff}, "unassigned 0xf0": {0xf0}, "unassigned 0xfd 300": {0xfd, 0xac, 0x02}, "unassigned 0xfc 18": {0xfc, 0x12},
		"block of exnref": {0x02, 0x69, 0x0b}, "block of a typed reference": {0x02, 0x63, 0x00, 0x0b},
	})
	plain := attacking(wasmtest.Module{}, m)
	for name, section := range map[string][]byte{
		"tag section":          {13, 3, 1, 0, 0},
		"section 14":           {14, 1, 0},
		"section 255":          {255, 1, 0},
		"shared memory":        {5, 4, 1, 3, 1, 1},
		"memory of 64 bits":    {5, 3, 1, 4, 1},
		"memory of small page": {5, 4, 1, 8, 1, 0},
		"two memories":         {5, 5, 2, 0, 1, 0, 1},
		"table of exnref":      {4, 4, 1, 0x69, 0, 1},
		"table of 64 bits":     {4, 4, 1, 0x70, 4, 1},
		"recursive types":      {1, 6, 1, 0x4e, 1, 0x60, 0, 0},
		"global of exnref":     {6, 6, 1, 0x69, 0, 0xd0, 0x69, 0x0b},
	} {
		out = append(out, variant{name, replaceSection(plain, section)})
	}
	slices.SortFunc(out, func(a, b variant) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// manyLocals announces locals in a handful of bytes.
func manyLocals(m *abi.Manifest) ([]variant, error) {
	var out []variant
	for name, runs := range map[string][]uint64{
		"250 million in one run": {250_000_000}, "2^32-1 in one run": {1<<32 - 1}, "1,001": {1001}, "many runs": slices.Repeat([]uint64{500}, 100),
		"sum beyond 32 bits": {1<<32 - 1, 1<<32 - 1, 2},
	} {
		body := binary.AppendUvarint(nil, uint64(len(runs)))
		for _, n := range runs {
			body = append(binary.AppendUvarint(body, n), byte(wasmbin.I64))
		}
		body = append(body, wasmtest.End)
		section := binary.AppendUvarint([]byte{4}, uint64(len(body)))
		section = append(section, body...)
		section = append(section, 2, 0, wasmtest.End, 4, 0, 0x41, 0, wasmtest.End, 4, 0, 0x42, 0, wasmtest.End)
		out = append(out, variant{name, replaceSection(attacking(wasmtest.Module{}, m), append(binary.AppendUvarint([]byte{10}, uint64(len(section))), section...))})
	}
	slices.SortFunc(out, func(a, b variant) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// nested wraps code into blocks of a kind: 0x02 block, 0x03 loop.
func nested(kind byte, depth int, code ...byte) []byte {
	out := bytes.Repeat([]byte{kind, 0x40}, depth)
	return append(append(out, code...), bytes.Repeat([]byte{wasmtest.End}, depth)...)
}

func tooDeep(m *abi.Manifest) ([]variant, error) {
	return codes(m, map[string][]byte{
		"2,001 blocks": nested(0x02, 2001), "60,000 blocks": nested(0x02, 40_000), "513 loops": nested(0x03, 513),
		"2,001 ifs": append(bytes.Repeat([]byte{0x41, 1, 0x04, 0x40}, 2001), bytes.Repeat([]byte{wasmtest.End}, 2001)...),
		"unclosed":  bytes.Repeat([]byte{0x02, 0x40}, 1000), "closed too often": bytes.Repeat([]byte{wasmtest.End}, 1000),
	})
}

func justDeepEnough(m *abi.Manifest) ([]variant, error) {
	return codes(m, map[string][]byte{
		"1,999 blocks": nested(0x02, 1999), "512 loops": nested(0x03, 512),
		"4,000 blocks in a row": bytes.Repeat(nested(0x02, 1), 4000),
		"1,900 ifs":             append(bytes.Repeat([]byte{0x41, 1, 0x04, 0x40}, 1900), bytes.Repeat([]byte{wasmtest.End}, 1900)...),
	})
}

func tooManyLoops(m *abi.Manifest) ([]variant, error) {
	return codes(m, map[string][]byte{"5,000 empty loops": bytes.Repeat(wasmtest.Loop(), 5000), "5,000 blocks": bytes.Repeat(nested(0x02, 1), 5000)})
}

// branchTable is a br_table with n labels and the default, all of them the same.
func branchTable(n int) []byte {
	return append(binary.AppendUvarint([]byte{0x41, 0, 0x0e}, uint64(n)), make([]byte, n+1)...)
}

func hugeBrTable(m *abi.Manifest) ([]variant, error) {
	return codes(m, map[string][]byte{
		"8,193 labels":              branchTable(8193),
		"100,000 labels":            branchTable(100_000),
		"4 billion labels, no more": {0x41, 0, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00},
	})
}

// largeBrTable has as many labels as are allowed.
func largeBrTable(m *abi.Manifest) ([]variant, error) {
	table := branchTable(8192)
	return codes(m, map[string][]byte{
		"8,192 labels": table, "under 1,000 blocks": nested(0x02, 1000, table...), "ten of 800": bytes.Repeat(nested(0x02, 1, branchTable(800)...), 10),
	})
}
