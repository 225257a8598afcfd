package wazero_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func compile(t *testing.T, m wasmtest.Module, host ...runtime.HostFunc) runtime.Code {
	t.Helper()
	code, err := wazero.New(wazero.Config{}).Compile(t.Context(), m.Encode(), host)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, code.Close(context.Background())) })
	return code
}

func instantiate(t *testing.T, m wasmtest.Module, opts runtime.InstanceOptions) runtime.Instance {
	t.Helper()
	code := compile(t, m)
	opts.State = &runtime.HostState{}
	in, err := code.Instantiate(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, in.Close(context.Background())) })
	return in
}

var sigGrow = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}

func growing(pages uint32) wasmtest.Module {
	return wasmtest.Module{Pages: pages, Functions: []wasmtest.Function{
		{Export: "grow", Type: sigGrow, Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.MemoryGrow())}}}
}

func TestMemoryLimit(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 4 << 16})
	function := in.Function("grow")
	grow := func(pages uint64) int32 {
		v, err := function.Call(pages, 0)
		require.NoError(t, err)
		return int32(v)
	}
	mem := in.Memory()
	require.True(t, mem.Write(0, []byte("kept")))
	assert.Equal(t, int32(1), grow(2))
	assert.Equal(t, int32(-1), grow(2), "3 pages and 2 are more than 4")
	assert.Equal(t, uint32(3<<16), mem.Size())
	assert.Equal(t, int32(3), grow(1), "up to the limit it still grows")
	assert.Equal(t, int32(4), grow(0))

	b, ok := mem.Read(0, 4)
	require.True(t, ok)
	assert.Equal(t, "kept", string(b))
	_, ok = mem.Read(4<<16-1, 1)
	assert.True(t, ok)
	_, ok = mem.Read(4<<16-1, 2)
	assert.False(t, ok)
	_, ok = mem.Read(0xffffffff, 0xffffffff)
	assert.False(t, ok)
	assert.False(t, mem.Write(4<<16-1, []byte("ab")))
}

func TestInitialMemory(t *testing.T) {
	code := compile(t, growing(2))
	for _, test := range []struct {
		initial, limit uint64
		size           uint32 // 0: refused
	}{
		{0, 2 << 16, 2 << 16}, {1 << 16, 2 << 16, 2 << 16}, {5 << 16, 5 << 16, 5 << 16},
		{0, 1 << 16, 0}, {6 << 16, 5 << 16, 0},
	} {
		in, err := code.Instantiate(t.Context(), runtime.InstanceOptions{
			InitialBytes: test.initial, MemoryBytes: test.limit, State: &runtime.HostState{}})
		if test.size == 0 {
			assert.ErrorContains(t, err, "KiB allowed")
			assert.Nil(t, in)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, test.size, in.Memory().Size())
		require.NoError(t, in.Close(t.Context()))
	}
}

func TestMemoryGrownPageByPageIsZero(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 9 << 16})
	function, mem := in.Function("grow"), in.Memory()
	for range 8 {
		size := mem.Size()
		require.True(t, mem.Write(size-1, []byte{1}))
		_, err := function.Call(1, 0)
		require.NoError(t, err)
		b, ok := mem.Read(size-1, 2)
		require.True(t, ok)
		assert.Equal(t, []byte{1, 0}, b)
	}
}

// Memory that other instances have used is zero.
func TestMemoryIsNotHandedOn(t *testing.T) {
	code := compile(t, growing(1))
	for size := range uint32(12) {
		in, err := code.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 20, State: &runtime.HostState{}})
		require.NoError(t, err)
		_, err = in.Function("grow").Call(uint64(size%4), 0)
		require.NoError(t, err)
		mem := in.Memory()
		all, ok := mem.Read(0, mem.Size())
		require.True(t, ok)
		for i, b := range all {
			if b != 0 {
				t.Fatalf("byte %d of %d is %d", i, len(all), b)
			}
			all[i] = 0xaa
		}
		require.NoError(t, in.Close(t.Context()))
	}
}

func TestUnknownExports(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 1 << 16})
	assert.Nil(t, in.Function("shrink"))
	assert.Nil(t, in.Global("shrink"))
	assert.Nil(t, in.Global("grow"))
}

func TestGlobals(t *testing.T) {
	m := growing(1)
	m.Typed = []wasmbin.ValueType{wasmbin.I32, wasmbin.I64, wasmbin.F32, wasmbin.F64}
	for i, name := range []string{"i32", "i64", "f32", "f64"} {
		m.Exports = append(m.Exports, wasmtest.Export{Name: name, Kind: wasmbin.GlobalKind, Index: i})
	}
	in := instantiate(t, m, runtime.InstanceOptions{MemoryBytes: 1 << 16})
	for name, v := range map[string]uint64{"i32": 0xfffffff0, "i64": 1<<64 - 3, "f32": 0x7fa00001, "f64": 0x7ff4000000000001} {
		g := in.Global(name)
		assert.Zero(t, g.Get(), name)
		g.Set(v)
		assert.Equal(t, v, in.Global(name).Get(), name)
	}
}

func TestErrorOfAHostFunctionIsTheTrapsCause(t *testing.T) {
	cause := errors.New("no more")
	state := &runtime.HostState{}
	code := compile(t, wasmtest.Module{Pages: 1,
		Imports:   []wasmtest.Import{{Module: "m", Name: "f", Type: wasmtest.SigPanic}},
		Functions: []wasmtest.Function{{Export: "run", Type: wasmtest.SigPanic, Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.LocalGet(1), wasmtest.Call(0))}},
	}, runtime.HostFunc{Module: "m", Name: "f", Type: wasmtest.SigPanic, Call: func(s *runtime.HostState, mem runtime.Memory, stack []uint64) error {
		assert.Same(t, state, s)
		assert.EqualValues(t, 1<<16, mem.Size())
		assert.Equal(t, []uint32{7, 8}, []uint32{uint32(stack[0]), uint32(stack[1])})
		return cause
	}})
	in, err := code.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 16, State: state})
	require.NoError(t, err)
	defer func() { require.NoError(t, in.Close(context.Background())) }()
	_, err = in.Function("run").Call(7, 8)
	var trap *runtime.Trap
	require.ErrorAs(t, err, &trap)
	assert.ErrorIs(t, trap, cause)
	assert.NotEmpty(t, trap.Trace)
}

// Deep in a recursion a trace has the innermost functions, and no line about those that it leaves out.
func TestTraceOfARecursionIsBounded(t *testing.T) {
	const eqz = 0x45
	down := wasmtest.Code(wasmtest.LocalGet(0), eqz, wasmtest.If(wasmtest.Unreachable), wasmtest.LocalGet(0), wasmtest.I32Const(-1), wasmtest.I32Add, wasmtest.Call(0))
	in := instantiate(t, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
		{Export: "f", Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}}, Code: down}}}, runtime.InstanceOptions{MemoryBytes: 1 << 16})
	for depth, want := range map[uint64]int{3: 4, 28: 29, 29: 30, 1000: 30} {
		_, err := in.Function("f").Call(depth)
		var trap *runtime.Trap
		require.ErrorAs(t, err, &trap)
		assert.Equal(t, slices.Repeat([]string{"$0(i32)"}, want), trap.Trace)
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	in := instantiate(t, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
		{Export: "op", Type: wasmtest.SigOp, Code: wasmtest.I64Const(1)}, {Export: "none"}}}, runtime.InstanceOptions{MemoryBytes: 1 << 16})
	op, none := in.Function("op"), in.Function("none")
	args := []uint64{1, 2}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = op.Call(args...)
		_, _ = none.Call(args...)
	}))
	v, err := none.Call(args...)
	require.NoError(t, err)
	assert.Zero(t, v, "no result")
}

func TestName(t *testing.T) {
	assert.Regexp(t, `^wazero (v\d+\.\d+\.\d+.*|\(unknown version\))$`, wazero.New(wazero.Config{}).Name())
}

// A recursion leaves no stack behind that an idle instance would keep.
func TestStacksDoNotStayLarge(t *testing.T) {
	recurse := wasmtest.Function{Type: sigGrow, Export: "recurse", Code: wasmtest.Code( // n -> n
		wasmtest.LocalGet(0), 0x45, wasmtest.If(wasmtest.I32Const(0), wasmtest.Return), // i32.eqz
		wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0), wasmtest.I32Const(1), wasmtest.I32Add)}
	code := compile(t, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{recurse}})
	heap := func() int64 {
		var stats goruntime.MemStats
		goruntime.GC()
		goruntime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	const instances = 32
	before := heap()
	for range instances {
		in, err := code.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 16, State: &runtime.HostState{}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, in.Close(context.Background())) })
		f := in.Function("recurse")
		for range 2 {
			v, err := f.Call(10_000, 0)
			require.NoError(t, err)
			assert.EqualValues(t, 10_000, v)
		}
	}
	assert.Less(t, (heap()-before)/instances, int64(250<<10), "of which 64 KiB are memory")
}

// A compiler that panics refuses one guest and does not end the process.
func TestPanicOfTheCompiler(t *testing.T) {
	ctx := experimental.WithFunctionListenerFactory(t.Context(), experimental.FunctionListenerFactoryFunc(
		func(api.FunctionDefinition) experimental.FunctionListener { panic("BUG") }))
	m := growing(1)
	_, err := wazero.New(wazero.Config{}).Compile(ctx, m.Encode(), nil)
	require.ErrorContains(t, err, "the compiler panicked: BUG")
}
