package wazero_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func instantiate(t *testing.T, m wasmtest.Module, opts runtime.InstanceOptions) runtime.Instance {
	t.Helper()
	code, err := wazero.New(wazero.Config{}).Compile(t.Context(), m.Encode(), nil)
	require.NoError(t, err)
	in, err := code.Instantiate(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, in.Close(context.Background()))
		assert.NoError(t, code.Close(context.Background()))
	})
	return in
}

var sigGrow = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}

func growing(pages uint32) wasmtest.Module {
	return wasmtest.Module{Pages: pages, Functions: []wasmtest.Function{
		{Export: "grow", Type: sigGrow, Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.MemoryGrow())}}}
}

func TestMemoryLimit(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 4 << 16})
	grow := func(pages uint64) int32 {
		v, err := in.Call(t.Context(), "grow", pages)
		require.NoError(t, err)
		return int32(v)
	}
	require.True(t, in.Memory().Write(0, []byte("kept")))
	assert.Equal(t, int32(1), grow(2))
	assert.False(t, in.MemoryDenied())
	assert.Equal(t, int32(-1), grow(2), "3 pages and 2 are more than 4")
	assert.True(t, in.MemoryDenied())
	assert.Equal(t, uint32(3<<16), in.Memory().Size())
	assert.Equal(t, int32(3), grow(1), "up to the limit it still grows")
	assert.Equal(t, int32(4), grow(0))
	assert.True(t, in.MemoryDenied(), "once denied, always remembered")

	b, ok := in.Memory().Read(0, 4)
	require.True(t, ok)
	assert.Equal(t, "kept", string(b))
	_, ok = in.Memory().Read(4<<16-1, 1)
	assert.True(t, ok)
	_, ok = in.Memory().Read(4<<16-1, 2)
	assert.False(t, ok)
	_, ok = in.Memory().Read(0xffffffff, 0xffffffff)
	assert.False(t, ok)
	assert.False(t, in.Memory().Write(4<<16-1, []byte("ab")))
}

func TestMemoryGrownPageByPageIsZero(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 9 << 16})
	for range 8 {
		size := in.Memory().Size()
		require.True(t, in.Memory().Write(size-1, []byte{1}))
		_, err := in.Call(t.Context(), "grow", 1)
		require.NoError(t, err)
		b, ok := in.Memory().Read(size-1, 2)
		require.True(t, ok)
		assert.Equal(t, []byte{1, 0}, b)
	}
	assert.False(t, in.MemoryDenied())
}

func TestUnknownFunction(t *testing.T) {
	in := instantiate(t, growing(1), runtime.InstanceOptions{MemoryBytes: 1 << 16})
	_, err := in.Call(t.Context(), "shrink")
	var trap *runtime.Trap
	require.ErrorAs(t, err, &trap)
	assert.Equal(t, "no exported function shrink", trap.Reason)
}

func TestTrapOfTheStartFunction(t *testing.T) {
	m := wasmtest.Module{Start: 1, Functions: []wasmtest.Function{{Code: wasmtest.Code(wasmtest.Unreachable)}}, Pages: 1}
	code, err := wazero.New(wazero.Config{}).Compile(t.Context(), m.Encode(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, code.Close(context.Background())) }()
	in, err := code.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 16})
	assert.Nil(t, in)
	var trap *runtime.Trap
	require.ErrorAs(t, err, &trap)
	assert.Contains(t, trap.Reason, "unreachable")
}

func TestDeadlineIsTheTrapsCause(t *testing.T) {
	m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "spin", Code: wasmtest.Loop(wasmtest.Branch(0))}}}
	in := instantiate(t, m, runtime.InstanceOptions{MemoryBytes: 1 << 16})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := in.Call(ctx, "spin")
	var trap *runtime.Trap
	require.ErrorAs(t, err, &trap)
	assert.ErrorIs(t, trap, context.DeadlineExceeded)
}

func TestName(t *testing.T) {
	assert.Regexp(t, `^wazero (v\d+\.\d+\.\d+.*|\(unknown version\))$`, wazero.New(wazero.Config{}).Name())
}
