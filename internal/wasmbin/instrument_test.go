package wasmbin_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// bodies returns the code bodies of a module, without their sizes.
func bodies(t *testing.T, bin []byte) (list [][]byte) {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		if s.Title() != "code" {
			continue
		}
		rest := bin[s.Body:s.End]
		n, k := binary.Uvarint(rest)
		rest = rest[k:]
		for range n {
			size, k := binary.Uvarint(rest)
			list = append(list, rest[k:k+int(size)])
			rest = rest[k+int(size):]
		}
	}
	return list
}

// The sequences that are added, in a module without imports: tick is function 0 and grow is 1, fuel is
// global 0 and depth is 1.
func charge(n byte) []byte { return []byte{0x23, 0, 0x42, n, 0x7d, 0x24, 0} }

var (
	check = []byte{0x23, 0, 0x42, 0, 0x59, 0x04, 0x40, 0x05, 0x41, 0, 0x10, 0, 0x0b}
	enter = []byte{0x23, 1, 0x41, 0xc8, 0, 0x6a, 0x24, 1, 0x23, 1, 0x41, 0x80, 0x80, 0x80, 2, 0x4b,
		0x04, 0x40, 0x41, 1, 0x10, 0, 0x00, 0x0b}
	leave = []byte{0x23, 1, 0x41, 0xc8, 0, 0x6b, 0x24, 1}
)

// What a function becomes, to the byte.
func TestShapes(t *testing.T) {
	code := wasmtest.Code
	pop := []byte{0x21, 0}                                                                        // local.set 0: weight 1
	heavy := bytes.Repeat(code(wasmtest.LocalGet(0), wasmtest.I32Const(3), []byte{0x6d}, pop), 2) // 2 x 21
	for name, test := range map[string]struct{ code, want []byte }{
		"empty":     {nil, code(charge(1), check)},
		"a loop":    {wasmtest.Loop(0x01), code(charge(1), check, []byte{0x03, 0x40}, charge(1), check, []byte{0x01, 0x0b})},
		"dead code": {code(0x00, wasmtest.LocalGet(0), wasmtest.Loop(), 0x1a), code(charge(1), check, []byte{0x00})},
		"dead code in an arm": {code(wasmtest.LocalGet(0), []byte{0x04, 0x40, 0x0f, 0x01, 0x05, 0x0f, 0x01, 0x0b}),
			code(charge(2), check, wasmtest.LocalGet(0), []byte{0x04, 0x40, 0x0f, 0x05, 0x0f, 0x0b})},
		"calls itself": {wasmtest.Call(0), code(charge(3), check, enter, []byte{0x02, 0x40}, wasmtest.Call(2), 0x0b, leave)},
		"calls and returns": {code(wasmtest.Call(0), []byte{0x02, 0x40, 0x0f, 0x0b}),
			code(charge(4), check, enter, []byte{0x02, 0x40}, wasmtest.Call(2), []byte{0x02, 0x40, 0x0c, 1, 0x0b, 0x0b}, leave)},
		"short arms are paid for before": {code(wasmtest.LocalGet(0), []byte{0x04, 0x40}, pop0(8), 0x05, pop0(16), 0x0b, pop0(8)),
			code(charge(1+3+1), check, wasmtest.LocalGet(0), []byte{0x04, 0x40}, pop0(8), 0x05, pop0(16), 0x0b, pop0(8))},
		"long arms pay themselves": {code(wasmtest.LocalGet(0), []byte{0x04, 0x40}, heavy, 0x0b),
			code(charge(2), check, wasmtest.LocalGet(0), []byte{0x04, 0x40}, charge(6), heavy, 0x0b)},
		"behind a loop": {code([]byte{0x03, 0x40}, wasmtest.LocalGet(0), []byte{0x0d, 0, 0x0b}, pop0(8)),
			code(charge(1+1), check, []byte{0x03, 0x40}, charge(1), check, wasmtest.LocalGet(0), []byte{0x0d, 0, 0x0b}, pop0(8))},
		"the longest short arm": {code(arm(24)), code(charge(1+1+3), check, arm(24))},
		"the shortest long arm": {code(arm(25)), code(charge(1+1), check, wasmtest.LocalGet(0), []byte{0x04, 0x40}, charge(4), pop0(25), 0x0b)},
		"arms in a row add up":  {code(arm(16), arm(23)), code(charge((9+16+1+23+7)/8), check, arm(16), arm(23))},
		"as much as may be":     {code(arm(23), arm(23), arm(16)), code(charge((9+64+7)/8), check, arm(23), arm(23), arm(16))},
		"more than that": {code(arm(23), arm(23), arm(17)), code(charge((9+23+1+23+1+7)/8), check, arm(23), arm(23),
			wasmtest.LocalGet(0), []byte{0x04, 0x40}, charge(3), pop0(17), 0x0b)},
		"where different payers meet": {
			code([]byte{0x02, 0x40}, wasmtest.LocalGet(0), []byte{0x04, 0x40}, heavy, wasmtest.Branch(1), 0x0b, pop0(16), 0x0b, pop0(16)),
			code(charge((9+16+16+7)/8), check, []byte{0x02, 0x40}, wasmtest.LocalGet(0), []byte{0x04, 0x40}, charge(6), heavy, wasmtest.Branch(1), 0x0b,
				pop0(16), 0x0b, pop0(16))},
		"a block in a run that pays itself": {
			code(arm(1), pop0(30), []byte{0x02, 0x40}, wasmtest.LocalGet(0), []byte{0x04, 0x40}, heavy, wasmtest.Branch(1), 0x0b, pop0(8), 0x0b, pop0(8)),
			code(charge((9+1+7)/8), check, arm(1), charge((30+1+8+8+7)/8), pop0(30), []byte{0x02, 0x40}, wasmtest.LocalGet(0), []byte{0x04, 0x40},
				charge(6), heavy, wasmtest.Branch(1), 0x0b, pop0(8), 0x0b, pop0(8))},
		"out of a loop": {
			code([]byte{0x02, 0x40, 0x03, 0x40}, wasmtest.LocalGet(0), []byte{0x0d, 1}, wasmtest.LocalGet(0), []byte{0x0d, 0, 0x0b, 0x0b}, pop0(16)),
			code(charge((8+16+7)/8), check, []byte{0x02, 0x40, 0x03, 0x40}, charge(1), check, wasmtest.LocalGet(0), []byte{0x0d, 1},
				wasmtest.LocalGet(0), []byte{0x0d, 0, 0x0b, 0x0b}, pop0(16))},
		"only out of a loop": {
			code([]byte{0x02, 0x40, 0x03, 0x40}, wasmtest.LocalGet(0), []byte{0x0d, 1, 0x0c, 0, 0x0b, 0x00, 0x0b}, pop0(16)),
			code(charge((8+16+7)/8), check, []byte{0x02, 0x40, 0x03, 0x40}, charge(1), check, wasmtest.LocalGet(0), []byte{0x0d, 1, 0x0c, 0, 0x0b, 0x00, 0x0b}, pop0(16))},
		"arms within arms": {
			code(wasmtest.LocalGet(0), []byte{0x04, 0x40}, pop0(16), 0x05, arm(16), 0x0b),
			code(charge((9+1+16+7)/8), check, wasmtest.LocalGet(0), []byte{0x04, 0x40}, pop0(16), 0x05, arm(16), 0x0b)},
		"memory.copy of little": {code(copyOf(64)), code(charge(1+4+2), check, copyOf(64))},
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Locals: []wasmbin.ValueType{wasmbin.I32}, Code: test.code}}}
			out, err := instrument(m.Encode())
			require.NoError(t, err)
			want := code([]byte{1, 1, 0x7f}, test.want, wasmtest.End)
			assert.Equal(t, want, bodies(t, out.Bytes)[0])
		})
	}
}

// A copy that is short and of known length stays as it is; any other needs a function for what is long.
func TestShortCopies(t *testing.T) {
	for n, functions := range map[int32]int{0: 1, 1_024: 1, 1_025: 2, -1: 2} {
		m := one(wasmtest.Function{Code: copyOf(n)})
		out, err := instrument(m.Encode())
		require.NoError(t, err)
		assert.Len(t, bodies(t, out.Bytes), functions, n)
	}
}

// arm is an if with so many instructions of weight 1.
func arm(n int) []byte {
	return wasmtest.Code(wasmtest.LocalGet(0), []byte{0x04, 0x40}, pop0(n), wasmtest.End)
}

// pop0 has so many instructions of weight 1 that are not branches.
func pop0(n int) []byte {
	return bytes.Repeat(wasmtest.Code(wasmtest.LocalGet(0), []byte{0x21, 0}), n)
}

func copyOf(n int32) []byte {
	return wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(n), []byte{0xfc, 10, 0, 0})
}

// Of exports and sections the original's stay, the host's come behind them.
func TestExports(t *testing.T) {
	file := module(
		section(1, counted([]byte{0x60, 0, 0})...),
		section(2, counted([]byte{1, 'm', 1, 'f', 0, 0}, []byte{1, 'm', 1, 'g', 3, 0x7f, 1})...),
		section(3, counted([]byte{0}, []byte{0})...),
		section(6, counted([]byte{0x7e, 0, 0x42, 0, 0x0b}, []byte{0x7d, 1, 0x43, 0, 0, 0, 0, 0x0b},
			append(append([]byte{0x7b, 1, 0xfd, 12}, make([]byte, 16)...), 0x0b), []byte{0x70, 1, 0xd2, 1, 0x0b})...),
		section(7, counted([]byte{1, 'a', 0, 1}, []byte{1, 'i', 0, 0}, []byte{1, 'b', 3, 2})...),
		section(8, 2),
		section(10, counted([]byte{2, 0, 0x0b}, []byte{4, 0, 0x10, 0, 0x0b})...),
	)
	out, err := instrument(file)
	require.NoError(t, err)
	accepted(t, out.Bytes)
	again, err := instrument(file)
	require.NoError(t, err)
	assert.Equal(t, out, again)

	assert.True(t, out.Start)
	assert.False(t, out.Writes)
	assert.Equal(t, []string{"global 4 is a mutable funcref"}, out.Fresh)
	assert.Equal(t, []wasmbin.SavedGlobal{
		{Index: 0, Type: wasmbin.I32, Export: "$pintle.global.0"},
		{Index: 2, Type: wasmbin.F32, Export: "$pintle.global.2"},
		{Index: 3, Type: wasmbin.V128, GetLow: "$pintle.global.3.low", GetHigh: "$pintle.global.3.high", Set: "$pintle.global.3.set"},
	}, out.Globals)
	m, err := wasmbin.Parse(out.Bytes, wasmbin.DefaultLimits())
	require.NoError(t, err)
	type export struct {
		kind  wasmbin.Kind
		index uint32
	}
	exports := map[string]export{}
	for _, e := range m.Exports {
		exports[e.Name] = export{e.Kind, e.Index}
	}
	assert.Equal(t, map[string]export{
		"a": {wasmbin.FuncKind, 3}, "i": {wasmbin.FuncKind, 0}, "b": {wasmbin.GlobalKind, 2},
		"$pintle.fuel": {wasmbin.GlobalKind, 5}, "$pintle.depth": {wasmbin.GlobalKind, 6},
		"$pintle.global.0": {wasmbin.GlobalKind, 0}, "$pintle.global.2": {wasmbin.GlobalKind, 2},
		"$pintle.global.3.low": {wasmbin.FuncKind, 5}, "$pintle.global.3.high": {wasmbin.FuncKind, 6},
		"$pintle.global.3.set": {wasmbin.FuncKind, 7}, "$pintle.start": {wasmbin.FuncKind, 4},
	}, exports)
	for _, s := range m.Sections {
		assert.NotEqual(t, "start", s.Title())
	}
	_, err = m.Instrument()
	assert.ErrorContains(t, err, "an import of pintle/meter", "rewritten twice")
}

// What makes an instance impossible to put back by copying is told; code that never runs is no reason.
func TestFresh(t *testing.T) {
	three := []byte{0x41, 0, 0x41, 0, 0x41, 0}
	for want, code := range map[string][]byte{
		"":                                   {0x41, 0, 0x25, 0, 0x1a},
		"it has the instruction table.set":   {0x41, 0, 0xd0, 0x70, 0x26, 0},
		"it has the instruction table.grow":  {0xd0, 0x70, 0x41, 0, 0xfc, 15, 0, 0x1a},
		"it has the instruction table.fill":  {0x41, 0, 0xd0, 0x70, 0x41, 0, 0xfc, 17, 0},
		"it has the instruction table.copy":  append(bytes.Clone(three), 0xfc, 14, 0, 0),
		"it has the instruction table.init":  append(bytes.Clone(three), 0xfc, 12, 0, 0),
		"it has the instruction elem.drop":   {0xfc, 13, 0},
		"it has the instruction data.drop":   {0xfc, 9, 0},
		"it has the instruction memory.init": nil,
	} {
		if code == nil {
			code, want = append(bytes.Clone(three), 0xfc, 8, 0, 0), ""
		}
		out, err := instrument(world(code...))
		require.NoError(t, err)
		assert.Equal(t, "global 2 is a mutable funcref", out.Fresh[0])
		assert.Equal(t, want, append(out.Fresh, "")[1])

		out, err = instrument(world(append([]byte{0x00}, code...)...))
		require.NoError(t, err)
		assert.Len(t, out.Fresh, 1)
	}
}

func TestWrites(t *testing.T) {
	for name, test := range map[string]struct {
		code []byte
		want bool
	}{
		"nothing":    {nil, false},
		"load":       {[]byte{0x41, 0, 0x2d, 0, 0, 0x1a}, false},
		"store":      {[]byte{0x41, 0, 0x41, 0, 0x36, 2, 0}, true},
		"store64_32": {[]byte{0x41, 0, 0x42, 0, 0x3e, 2, 0}, true},
		"v128.store": {[]byte{0x41, 0, 0x20, 4, 0xfd, 11, 0, 0}, true},
		"store_lane": {[]byte{0x41, 0, 0x20, 4, 0xfd, 88, 0, 0, 0}, true},
		"fill":       {[]byte{0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 11, 0}, true},
		"grow":       {[]byte{0x41, 0, 0x40, 0, 0x1a}, false},
		"never":      {[]byte{0x00, 0x41, 0, 0x41, 0, 0x36, 2, 0}, false},
	} {
		out, err := instrument(world(test.code...))
		require.NoError(t, err)
		assert.Equal(t, test.want, out.Writes, name)
	}
}

// Tables cannot grow beyond what they may have at first, and names of functions move with them.
func TestTablesAndNames(t *testing.T) {
	types, imports := section(1, 1, 0x60, 0, 0), section(2, counted([]byte{1, 'm', 1, 'f', 0, 0})...)
	decl, code := section(3, 2, 0, 0), section(10, 2, 2, 0, 0x0b, 2, 0, 0x0b)
	long := append([]byte{2, 0, 0x81, 8}, bytes.Repeat([]byte{'n'}, 1025)...)
	long = append(long, 1, 1, 'b')
	custom := func(body ...byte) []byte { return section(0, append([]byte("\x04name"), body...)...) }
	for name, test := range map[string]struct{ table, names, wantTable, wantNames []byte }{
		"no maximum": {table: section(4, 1, 0x70, 0, 5), wantTable: section(4, 1, 0x70, 1, 5, 0x80, 0x80, 4)},
		"maxima": {table: section(4, 2, 0x70, 1, 5, 7, 0x6f, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f),
			wantTable: section(4, 2, 0x70, 1, 5, 7, 0x6f, 1, 0, 0x80, 0x80, 4)},
		"function names":     {names: custom(1, 8, 2, 0, 2, 'a', 'b', 2, 1, 'c'), wantNames: custom(1, 8, 2, 0, 2, 'a', 'b', 4, 1, 'c')},
		"other names":        {names: custom(0, 2, 1, 'm', 1, 4, 1, 1, 1, 'a', 2, 1, 0), wantNames: custom(1, 4, 1, 3, 1, 'a')},
		"only other names":   {names: custom(0, 2, 1, 'm')},
		"too many":           {names: custom(1, 4, 4, 0, 1, 'a'), wantNames: custom(1, 1, 0)},
		"no such function":   {names: custom(1, 7, 2, 0, 1, 'a', 3, 1, 'b'), wantNames: custom(1, 4, 1, 0, 1, 'a')},
		"not in order":       {names: custom(1, 7, 2, 1, 1, 'a', 1, 1, 'b'), wantNames: custom(1, 4, 1, 3, 1, 'a')},
		"cut off":            {names: custom(1, 6, 2, 0, 1, 'a', 1, 9), wantNames: custom(1, 4, 1, 0, 1, 'a')},
		"not UTF-8":          {names: custom(1, 7, 2, 0, 1, 0xff, 1, 1, 'b'), wantNames: custom(1, 4, 1, 3, 1, 'b')},
		"too long":           {names: custom(append([]byte{1, 0x88, 8}, long...)...), wantNames: custom(1, 4, 1, 3, 1, 'b')},
		"subsection too big": {names: custom(1, 9, 1)},
		"another section":    {names: section(0, 1, 'x', 1)},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := instrument(module(types, imports, decl, test.table, code, test.names))
			require.NoError(t, err)
			accepted(t, out.Bytes)
			m, err := wasmbin.Parse(out.Bytes, wasmbin.DefaultLimits())
			require.NoError(t, err)
			var tables, names []byte
			for _, s := range m.Sections {
				switch {
				case s.Title() == "table":
					tables = out.Bytes[s.Start:s.End]
				case s.Custom():
					names = out.Bytes[s.Start:s.End]
				}
			}
			assert.Equal(t, test.wantTable, tables)
			assert.Equal(t, test.wantNames, names)
		})
	}
}
