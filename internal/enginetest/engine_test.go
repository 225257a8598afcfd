package enginetest_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

const page = 1 << 16

func signature(params, results []wasmbin.ValueType) wasmbin.FuncType {
	return wasmbin.FuncType{Params: params, Results: results}
}

func types(t ...wasmbin.ValueType) []wasmbin.ValueType { return t }

var (
	code = wasmtest.Code
	unit = wasmtest.SigNone
	i32s = signature(types(wasmbin.I32), types(wasmbin.I32))
	getI = signature(nil, types(wasmbin.I32))
)

func compile(t *testing.T, engine runtime.Engine, m wasmtest.Module, host ...runtime.HostFunc) runtime.Code {
	t.Helper()
	c, err := engine.Compile(t.Context(), m.Encode(), host)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

func instantiate(t *testing.T, c runtime.Code, memory uint64) runtime.Instance {
	t.Helper()
	in, err := c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: memory, State: &runtime.HostState{}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, in.Close(context.Background())) })
	return in
}

func call(t *testing.T, in runtime.Instance, name string, a, b uint64) uint64 {
	t.Helper()
	f := in.Function(name)
	require.NotNil(t, f, name)
	v, err := f.Call(a, b)
	require.NoError(t, err)
	return v
}

func trap(t *testing.T, in runtime.Instance, name string) *runtime.Trap {
	t.Helper()
	_, err := in.Function(name).Call()
	require.Error(t, err)
	trap := (*runtime.Trap)(nil)
	require.ErrorAs(t, err, &trap)
	return trap
}

// Bits of numbers, of which some are lost when they are taken for numbers of the host.
var bits = map[wasmbin.ValueType][]uint64{
	wasmbin.I32: {0, 1, math.MaxInt32, 1 << 31, math.MaxUint32},
	wasmbin.I64: {0, 1, math.MaxInt64, 1 << 63, math.MaxUint64},
	wasmbin.F32: {0, 1 << 31, uint64(math.Float32bits(1.5)), 0x7fa00001, 0xffc00000},
	wasmbin.F64: {0, 1 << 63, math.Float64bits(1.5), 0x7ff4000000000001, 0xfff8000000000000},
}

func TestNumbersKeepTheirBits(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		for kind, values := range bits {
			var seen uint64
			host := runtime.HostFunc{Module: "env", Name: "host", Type: signature(types(kind, kind), types(kind)),
				Call: func(_ *runtime.HostState, _ runtime.Memory, stack []uint64) error {
					seen, stack[0] = stack[0], stack[1]
					return nil
				}}
			m := wasmtest.Module{
				Imports: []wasmtest.Import{{Module: host.Module, Name: host.Name, Type: host.Type}},
				Typed:   types(kind),
				Exports: []wasmtest.Export{{Name: "global", Kind: wasmbin.GlobalKind}},
				Functions: []wasmtest.Function{
					{Export: "first", Type: signature(types(kind, kind), types(kind)), Code: code(wasmtest.LocalGet(0))},
					{Export: "second", Type: signature(types(kind, kind), types(kind)), Code: code(wasmtest.LocalGet(1))},
					{Export: "both", Type: signature(types(kind, kind), types(kind, kind)),
						Code: code(wasmtest.LocalGet(1), wasmtest.LocalGet(0))},
					{Export: "set", Type: signature(types(kind), nil), Code: code(wasmtest.LocalGet(0), wasmtest.GlobalSet(0))},
					{Export: "get", Type: signature(nil, types(kind)), Code: code(wasmtest.GlobalGet(0))},
					{Export: "host", Type: signature(types(kind, kind), types(kind)),
						Code: code(wasmtest.LocalGet(0), wasmtest.LocalGet(1), wasmtest.Call(0))},
				},
			}
			in := instantiate(t, compile(t, engine, m, host), page)
			g := in.Global("global")
			require.NotNil(t, g)
			for _, v := range values {
				other := v ^ 1
				assert.Equal(t, v, call(t, in, "first", v, other), kind)
				assert.Equal(t, v, call(t, in, "second", other, v), kind)
				assert.Equal(t, v, call(t, in, "both", other, v), "the first result of several")
				assert.Zero(t, call(t, in, "set", v, 0), "no result")
				assert.Equal(t, v, g.Get(), kind)
				g.Set(other)
				assert.Equal(t, other, call(t, in, "get", 7, 7), kind)
				assert.Equal(t, v, low(kind, call(t, in, "host", other, v)), kind)
				assert.Equal(t, other, low(kind, seen), kind)
			}
		}
	})
}

// low takes off what is undefined in a value of a host function's stack.
func low(kind wasmbin.ValueType, v uint64) uint64 {
	if kind == wasmbin.I32 || kind == wasmbin.F32 {
		return uint64(uint32(v))
	}
	return v
}

func TestWhatIsNotExported(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f", Type: unit}}, Typed: types(wasmbin.V128),
			Exports: []wasmtest.Export{{Name: "vector", Kind: wasmbin.GlobalKind}}}
		in := instantiate(t, compile(t, engine, m), page)
		assert.Nil(t, in.Function("g"))
		assert.Nil(t, in.Global("g"))
		assert.Nil(t, in.Function("memory"))
		assert.Nil(t, in.Global("f"))
		assert.Nil(t, in.Global("vector"), "not a number")
	})
}

func growing(pages uint32) wasmtest.Module {
	return wasmtest.Module{Pages: pages, Functions: []wasmtest.Function{
		{Export: "grow", Type: i32s, Code: code(wasmtest.LocalGet(0), wasmtest.MemoryGrow())}}}
}

func TestMemory(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		in := instantiate(t, compile(t, engine, growing(1)), 4*page)
		mem := in.Memory()
		grow := func(pages uint64) int32 { return int32(call(t, in, "grow", pages, 0)) }
		require.True(t, mem.Write(0, []byte("kept")))
		require.True(t, mem.Write(page-1, []byte{1}))
		assert.Equal(t, int32(1), grow(2))
		assert.Equal(t, int32(-1), grow(2), "3 pages and 2 are more than 4")
		assert.Equal(t, uint32(3*page), mem.Size())
		assert.Equal(t, int32(3), grow(1), "up to the limit it still grows")
		assert.Equal(t, int32(4), grow(0))
		assert.Equal(t, int32(-1), grow(1<<16))

		b, ok := mem.Read(0, 4)
		require.True(t, ok)
		assert.Equal(t, "kept", string(b))
		assert.Equal(t, 4, cap(b), "no append reaches what is behind it")
		b, ok = mem.Read(page-1, 2)
		require.True(t, ok)
		assert.Equal(t, []byte{1, 0}, b, "new memory is zero")

		for _, r := range []struct {
			at, n uint32
			ok    bool
		}{
			{4*page - 1, 1, true}, {4*page - 1, 2, false}, {4 * page, 0, true}, {4*page + 1, 0, false},
			{math.MaxUint32, math.MaxUint32, false},
		} {
			_, ok := mem.Read(r.at, r.n)
			assert.Equal(t, r.ok, ok, r)
		}
		assert.True(t, mem.Write(4*page-2, []byte("ab")))
		assert.False(t, mem.Write(4*page-1, []byte("ab")))
		assert.True(t, mem.Write(4*page, nil))
	})
}

func TestMemoryBeyondTheLimitIsNoInstance(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		c := compile(t, engine, growing(2))
		in, err := c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 2*page - 1, State: &runtime.HostState{}})
		require.Error(t, err)
		assert.Nil(t, in)
		instantiate(t, c, 2*page)
	})
}

func TestInitialMemory(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		c := compile(t, engine, growing(1))
		opts := runtime.InstanceOptions{MemoryBytes: 3 * page, InitialBytes: 3 * page, State: &runtime.HostState{}}
		in, err := c.Instantiate(t.Context(), opts)
		require.NoError(t, err)
		assert.Equal(t, uint32(3*page), in.Memory().Size())
		assert.Equal(t, int32(3), int32(call(t, in, "grow", 0, 0)), "the module sees it too")
		assert.Equal(t, int32(-1), int32(call(t, in, "grow", 1, 0)))
		require.NoError(t, in.Close(t.Context()))

		opts.InitialBytes++
		in, err = c.Instantiate(t.Context(), opts)
		require.Error(t, err)
		assert.Nil(t, in)
	})
}

// A host function sees the memory as it is when it is called, and what it writes the guest reads.
func TestHostFunctionAndMemory(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		var sizes []uint32
		look := runtime.HostFunc{Module: "env", Name: "look", Type: unit,
			Call: func(_ *runtime.HostState, mem runtime.Memory, _ []uint64) error {
				sizes = append(sizes, mem.Size())
				if !mem.Write(mem.Size()-1, []byte{byte(len(sizes))}) {
					return errors.New("outside")
				}
				return nil
			}}
		m := wasmtest.Module{Pages: 1,
			Imports: []wasmtest.Import{{Module: look.Module, Name: look.Name, Type: look.Type}},
			Functions: []wasmtest.Function{{Export: "f", Type: getI, Code: code(
				wasmtest.Call(0), wasmtest.I32Const(1), wasmtest.MemoryGrow(), wasmtest.Drop, wasmtest.Call(0),
				wasmtest.I32Const(2*page-1), wasmtest.I32Load8())}}}
		in := instantiate(t, compile(t, engine, m, look), 2*page)
		assert.EqualValues(t, 2, call(t, in, "f", 0, 0))
		assert.Equal(t, []uint32{page, 2 * page}, sizes)
	})
}

func TestErrorOfAHostFunctionEndsTheRun(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		cause := errors.New("the host said no")
		fail := runtime.HostFunc{Module: "env", Name: "fail", Type: i32s,
			Call: func(_ *runtime.HostState, _ runtime.Memory, stack []uint64) error {
				if stack[0] == 0 {
					return cause
				}
				return nil
			}}
		m := wasmtest.Module{
			Imports: []wasmtest.Import{{Module: fail.Module, Name: fail.Name, Type: fail.Type}},
			Functions: []wasmtest.Function{
				{Export: "f", Type: unit, Code: code(wasmtest.I32Const(0), wasmtest.Call(0), wasmtest.Unreachable)},
			}}
		c := compile(t, engine, m, fail)
		for range 3 { // no instance is used again after a trap
			got := trap(t, instantiate(t, c, page), "f")
			assert.ErrorIs(t, got, cause)
			assert.Equal(t, "the host said no", got.Reason)
			require.NotEmpty(t, got.Trace)
			assert.Contains(t, got.Trace[len(got.Trace)-1], "$1")
		}
	})
}

func TestTraps(t *testing.T) {
	const (
		divS, truncS = 0x6d, 0xa8
		load         = 0x28
	)
	bodies := map[string][]byte{
		"unreachable":                   code(wasmtest.Unreachable),
		"integer divide by zero":        code(wasmtest.I32Const(1), wasmtest.I32Const(0), divS, wasmtest.Drop),
		"integer overflow":              code(wasmtest.I32Const(math.MinInt32), wasmtest.I32Const(-1), divS, wasmtest.Drop),
		"out of bounds memory access":   code(wasmtest.I32Const(-1), []byte{load, 2, 0}, wasmtest.Drop),
		"invalid conversion to integer": code(append([]byte{0x43}, 0, 0, 0xc0, 0x7f), truncS, wasmtest.Drop),
		"stack overflow":                code(wasmtest.Call(1)),
	}
	names := []byte("\x01\x0f\x02\x00\x05outer\x01\x05inner")
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		for reason, body := range bodies {
			m := wasmtest.Module{Pages: 1, Trailing: []wasmtest.Custom{{Name: "name", Bytes: names}},
				Functions: []wasmtest.Function{
					{Export: "f", Type: unit, Code: code(wasmtest.Call(1))}, {Type: unit, Code: body}}}
			got := trap(t, instantiate(t, compile(t, engine, m), page), "f")
			assert.Equal(t, reason, got.Reason)
			require.NoError(t, got.Err)
			assert.Less(t, len(got.Trace), 100)
			if reason == "stack overflow" {
				continue // not every engine tells what overflowed it
			}
			require.Len(t, got.Trace, 2, reason)
			assert.Contains(t, got.Trace[0], "inner")
			assert.Contains(t, got.Trace[1], "outer")
		}
	})
}

func TestModulesThatAreRefused(t *testing.T) {
	imports := func(f wasmbin.FuncType) wasmtest.Module {
		return wasmtest.Module{Imports: []wasmtest.Import{{Module: "env", Name: "f", Type: f}},
			Functions: []wasmtest.Function{{Export: "g", Type: unit}}}
	}
	fence := []byte{0xfe, 0x03, 0}
	threads := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f", Type: unit, Code: fence}}}
	mistyped := wasmtest.Module{Functions: []wasmtest.Function{{Export: "f", Type: getI}}}
	for name, m := range map[string]wasmtest.Module{
		"unknown import": imports(unit), "threads": threads, "mistyped": mistyped} {
		enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
			c, err := engine.Compile(t.Context(), m.Encode(), nil)
			if name == "unknown import" && err == nil {
				_, err = c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: page, State: &runtime.HostState{}})
			}
			require.Error(t, err, name)
		})
	}
}

func TestNothingRunsWhenAnInstanceIsMade(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
			{Export: "_start", Type: unit, Code: code(wasmtest.Unreachable)},
			{Export: "_initialize", Type: unit, Code: code(wasmtest.Unreachable)}}}
		instantiate(t, compile(t, engine, m), page)
	})
}

func TestInstancesAtTheSameTime(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		m := wasmtest.Module{Pages: 1, Globals: 1, Functions: []wasmtest.Function{{Export: "next", Type: getI, Code: code(
			wasmtest.GlobalGet(0), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.GlobalSet(0), wasmtest.GlobalGet(0))}}}
		c := compile(t, engine, m)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 20 {
					in, err := c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: page, State: &runtime.HostState{}})
					if !assert.NoError(t, err) {
						return
					}
					f := in.Function("next")
					for want := range uint64(50) {
						got, err := f.Call()
						assert.NoError(t, err)
						assert.Equal(t, want+1, got)
					}
					assert.NoError(t, in.Close(context.Background()))
				}
			})
		}
		group.Wait()
	})
}

// A function takes as many arguments as it has parameters: what is missing is 0, what is more is left out,
// and nothing of the call before is left.
func TestAnyNumberOfArguments(t *testing.T) {
	enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
		params := types(wasmbin.I32, wasmbin.I64, wasmbin.F64, wasmbin.I32, wasmbin.I64)
		m := wasmtest.Module{Functions: []wasmtest.Function{
			{Export: "last", Type: signature(params, types(wasmbin.I64)), Code: code(wasmtest.LocalGet(4))},
			{Export: "fourth", Type: signature(params, types(wasmbin.I32)), Code: code(wasmtest.LocalGet(3))},
			{Export: "none", Code: code()},
		}}
		in := instantiate(t, compile(t, engine, m), page)
		args := []uint64{1, 2, 3, 4, 5, 6}
		for n := range len(args) + 1 {
			for name, at := range map[string]int{"last": 5, "fourth": 4, "none": 0} {
				f := in.Function(name)
				_, err := f.Call(args...)
				require.NoError(t, err)
				got, err := f.Call(args[:n]...)
				require.NoError(t, err)
				want := uint64(0)
				if n >= at {
					want = uint64(at)
				}
				assert.Equal(t, want, got, "%s of %d", name, n)
			}
		}
		assert.Equal(t, []uint64{1, 2, 3, 4, 5, 6}, args)
	})
}
