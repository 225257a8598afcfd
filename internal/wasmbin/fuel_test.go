package wasmbin_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

const (
	i32 = wasmbin.I32
	i64 = wasmbin.I64
)

var sigCount = wasmbin.FuncType{Params: []wasmbin.ValueType{i32}, Results: []wasmbin.ValueType{i32}}

// countdown runs its body as often as parameter 0 says, at least once.
func countdown(body ...any) []byte {
	return wasmtest.Code(
		wasmtest.Loop(wasmtest.Code(body...), wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub,
			[]byte{0x22, 0, 0x0d, 0}),
		wasmtest.LocalGet(0))
}

func one(f wasmtest.Function) wasmtest.Module {
	f.Export = "f"
	return wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{f}}
}

// Fuel grows with the work, and what a run uses does not depend on the slices in which it is given.
func TestFuelFollowsWork(t *testing.T) {
	loop := one(wasmtest.Function{Type: sigCount, Code: countdown()})
	m := newMachine(t, loop.Encode())
	fuel := func(n uint64) int64 {
		_, used, err := m.call("f", n)
		require.NoError(t, err)
		return used
	}
	once, thousand := fuel(1), fuel(1_000)
	assert.Equal(t, 999*(fuel(2)-once), thousand-once)
	assert.Positive(t, fuel(2)-once)
	for _, slice := range []int64{1, 7, 100, 1 << 30} {
		m.slice = slice
		used, err := m.sliced("f", 1_000)
		require.NoError(t, err)
		assert.Equal(t, thousand, used, slice)
	}
}

// However long the code, it looks at what is left: within a run, on a path that has passed by the last
// look, and in a recursion that comes back. A run may be charged before its check, which doubles what
// is seen here.
func TestLongCodeIsChecked(t *testing.T) {
	units := func(n int) []byte { // of work: f64.sqrt is 36 eighths
		return wasmtest.Code(wasmtest.LocalGet(1), bytes.Repeat([]byte{0x9f}, n*8/36), []byte{0x21, 1})
	}
	times := func(n int, code ...any) []byte { return bytes.Repeat(wasmtest.Code(code...), n) }
	down := wasmtest.If(wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0), 0x1a)
	const bound = 2 * 20_100
	for name, test := range map[string]struct {
		code        []byte
		n           uint64
		work, bound int64
	}{
		"a run":                     {units(150_000), 1, 150_000, 20_100},
		"a path past the last look": {times(8, []byte{0x02, 0x40}, units(9_000), wasmtest.LocalGet(0), []byte{0x0d, 0}, units(15_000), 0x0b), 1, 72_000, bound},
		"the first of two arms":     {times(8, wasmtest.LocalGet(0), []byte{0x04, 0x40}, units(9_000), 0x05, units(21_000), 0x0b), 1, 72_000, bound},
		"the second of two arms":    {times(8, wasmtest.LocalGet(0), []byte{0x04, 0x40}, units(21_000), 0x05, units(9_000), 0x0b), 0, 72_000, bound},
		"an arm that is not there":  {times(8, units(9_000), wasmtest.LocalGet(0), []byte{0x04, 0x40}, units(15_000), 0x0b), 0, 72_000, bound},
		"past a loop": {times(8, []byte{0x02, 0x40}, units(9_000), wasmtest.LocalGet(0), []byte{0x0e, 0, 0}, 0x0b,
			wasmtest.LocalGet(0), []byte{0x45, 0x04, 0x40, 0x03, 0x40, 0x0b, 0x0b}), 1, 72_000, bound},
		"behind a loop": {times(8, []byte{0x03, 0x40}, units(9_000), 0x0b, units(9_000)), 1, 144_000, bound},
		"a recursion":   {wasmtest.Code(wasmtest.LocalGet(0), down, units(2_000)), 300, 600_000, 300 * 150},
		"a recursion with branches": {wasmtest.Code(wasmtest.LocalGet(0), down, times(20, units(100), wasmtest.LocalGet(0), []byte{0x04, 0x40}, 0x0b)),
			300, 600_000, 300 * 150},
		"a recursion in a loop": {wasmtest.Code([]byte{0x03, 0x40}, wasmtest.LocalGet(0), down, units(50), 0x0b, units(50), units(2_000)),
			300, 600_000, 300 * 150},
		"many copies": {times(1_000, wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.LocalGet(0), []byte{0xfc, 10, 0, 0}),
			1_000, 30_000, 300},
	} {
		t.Run(name, func(t *testing.T) {
			module := one(wasmtest.Function{Type: sigCount, Locals: []wasmbin.ValueType{wasmbin.F64}, Code: wasmtest.Code(test.code, wasmtest.LocalGet(0))})
			m := newMachine(t, module.Encode())
			m.slice = 100
			used, err := m.sliced("f", test.n)
			require.NoError(t, err)
			assert.Greater(t, used, test.work*9/10)
			assert.Less(t, m.deepest, test.bound)
			assert.Less(t, -int64(m.fuel.Get()), test.bound, "at the end")
		})
	}
}

// What never ends is stopped, with loops and without.
func TestEndlessIsStopped(t *testing.T) {
	twice := wasmtest.Function{Type: sigCount, Code: wasmtest.Code(wasmtest.LocalGet(0), []byte{0x04, 0x7f},
		wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0),
		wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0), wasmtest.I32Add,
		[]byte{0x05}, wasmtest.I32Const(1), wasmtest.End)}
	tests := map[string]struct {
		f    wasmtest.Function
		want error
	}{
		"loop":                  {wasmtest.Function{Type: sigCount, Code: wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable)}, errFuel},
		"loop of nothing":       {wasmtest.Function{Type: sigCount, Code: []byte{0x03, 0x40, 0x41, 1, 0x0d, 0, 0x0b, 0x00}}, errFuel},
		"exponential recursion": {twice, errFuel},
		"recursion":             {wasmtest.Function{Type: sigCount, Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.Call(0))}, errStack},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bin := one(test.f)
			m := newMachine(t, bin.Encode())
			m.most = 1_000
			_, err := m.sliced("f", 200)
			require.ErrorIs(t, err, test.want)
		})
	}
}

// The depth is back at 0 however a function is left, and frames count by what they hold.
func TestDepth(t *testing.T) {
	pair := wasmbin.FuncType{Params: []wasmbin.ValueType{i32}, Results: []wasmbin.ValueType{i32, i64}}
	leaf := wasmtest.Function{Type: sigCount, Code: wasmtest.LocalGet(0)}
	inner := wasmtest.Code(wasmtest.LocalGet(0), wasmtest.Call(0), []byte{0x1a})
	out := wasmtest.Code(wasmtest.I32Const(7), wasmtest.I64Const(8))
	ways := map[string][]byte{
		"falls out":  wasmtest.Code(inner, out),
		"return":     wasmtest.Code(inner, out, wasmtest.Return),
		"br":         wasmtest.Code(inner, []byte{0x02, 0x40}, out, wasmtest.Branch(1), 0x0b, wasmtest.Unreachable),
		"br_table":   wasmtest.Code(inner, []byte{0x02, 0x40}, out, wasmtest.LocalGet(0), []byte{0x0e, 1, 1, 1}, 0x0b, wasmtest.Unreachable),
		"in a loop":  wasmtest.Code(inner, []byte{0x03, 0x40}, out, wasmtest.Return, 0x0b, wasmtest.Unreachable),
		"br_if":      wasmtest.Code(inner, out, wasmtest.LocalGet(0), []byte{0x0d, 0}),
		"from an if": wasmtest.Code(inner, wasmtest.LocalGet(0), []byte{0x04, 0x40}, out, wasmtest.Return, 0x05, out, wasmtest.Return, 0x0b, wasmtest.Unreachable),
	}
	for name, code := range ways {
		module := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{leaf, {Export: "f", Type: pair, Code: code}}}
		m := newMachine(t, module.Encode())
		for _, n := range []uint64{0, 1} {
			results, _, err := m.call("f", n)
			require.NoError(t, err, name)
			assert.Equal(t, []uint64{7, 8}, results, name)
			assert.Zero(t, m.depth.Get(), name)
		}
	}

	// A recursion fits as often as its frames do.
	deep := func(f wasmtest.Function, n int) error {
		f.Type = sigCount
		f.Code = wasmtest.Code(f.Code, wasmtest.LocalGet(0), []byte{0x04, 0x40}, wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub,
			wasmtest.Call(0), []byte{0x1a, 0x0b}, wasmtest.LocalGet(0))
		module := one(f)
		m := newMachine(t, module.Encode())
		_, _, err := m.call("f", uint64(n))
		return err
	}
	frame := func(values int) int { return 64 + 8*values }
	for i, test := range []struct {
		f     wasmtest.Function
		frame int
	}{
		{wasmtest.Function{}, frame(1 + 1 + 2)}, // a parameter, a result, two operands
		{wasmtest.Function{Locals: []wasmbin.ValueType{i64, wasmbin.V128}}, frame(1 + 1 + 2 + 3)},
		// One operand more and three locals to copy with.
		{wasmtest.Function{Code: wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(0), []byte{0x6a},
			wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Add, []byte{0xfc, 10, 0, 0})}, frame(1 + 1 + 4 + 3)},
	} {
		fits := wasmbin.StackBytes / test.frame
		require.NoError(t, deep(test.f, fits-1), i)
		require.ErrorIs(t, deep(test.f, fits), errStack, i)
	}
}

// The host is asked before memory grows, and a no is an answer.
func TestGrow(t *testing.T) {
	module := one(wasmtest.Function{Type: sigCount, Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.MemoryGrow())})
	m := newMachine(t, module.Encode())
	for _, test := range []struct {
		grant      bool
		pages      uint64
		want, size uint32
	}{
		{false, 0, 0xffffffff, 1}, {false, 2, 0xffffffff, 1}, {true, 0, 1, 1}, {true, 2, 1, 3}, {true, 65_536, 0xffffffff, 3},
	} {
		m.grant, m.asked = test.grant, nil
		results, used, err := m.call("f", test.pages)
		require.NoError(t, err)
		assert.Equal(t, uint64(test.want), results[0])
		assert.Equal(t, []uint32{uint32(test.pages)}, m.asked)
		assert.Equal(t, test.size, m.mod.Memory().Size()>>16)
		if test.grant {
			assert.Greater(t, used, int64(test.pages)*4_096-1, "pages are paid for")
		} else {
			assert.Less(t, used, int64(100))
		}
	}
}

// Instances can be told apart by nothing that the accessors do not reach.
func TestVectorGlobals(t *testing.T) {
	file := module(section(6, counted(append(append([]byte{0x7b, 1, 0xfd, 12}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 0x0b))...))
	m := newMachine(t, file)
	g := m.out.Globals[0]
	get := func() [2]uint64 {
		low, _, err := m.call(g.GetLow)
		require.NoError(t, err)
		high, _, err := m.call(g.GetHigh)
		require.NoError(t, err)
		return [2]uint64{low[0], high[0]}
	}
	assert.Equal(t, [2]uint64{0x0807060504030201, 0x100f0e0d0c0b0a09}, get())
	_, used, err := m.call(g.Set, 5, 1<<63)
	require.NoError(t, err)
	assert.Equal(t, [2]uint64{5, 1 << 63}, get())
	assert.Zero(t, used, "the host does not pay")
}

// The start function runs when the host says so.
func TestStart(t *testing.T) {
	module := wasmtest.Module{Pages: 1, Globals: 1, Start: 1, Functions: []wasmtest.Function{
		{Code: wasmtest.Code(wasmtest.I32Const(5), wasmtest.GlobalSet(0))}}}
	m := newMachine(t, module.Encode())
	require.True(t, m.out.Start)
	global := m.mod.ExportedGlobal(m.out.Globals[0].Export).(api.MutableGlobal)
	assert.Zero(t, global.Get())
	_, _, err := m.call(wasmbin.StartExport)
	require.NoError(t, err)
	assert.Equal(t, uint64(5), global.Get())
	global.Set(9)
	assert.Equal(t, uint64(9), global.Get())
}
