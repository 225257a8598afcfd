//go:build wasmtime && cgo

package wasmtime_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wasmtime"
)

// What an engine has to do is tested in internal/enginetest, for all of them.

func TestName(t *testing.T) {
	assert.Regexp(t, `^wasmtime (v25\.0\.0|\(unknown version\))$`, wasmtime.New().Name())
}

var unit = wasmbin.FuncType{}

func recursion() wasmtest.Module {
	return wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "f", Type: unit, Code: wasmtest.Call(0)}}}
}

func TestTraceOfARecursionIsBounded(t *testing.T) {
	m := recursion()
	c, err := wasmtime.New().Compile(t.Context(), m.Encode(), nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.Close(context.Background())) }()
	in, err := c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 16, State: &runtime.HostState{}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, in.Close(context.Background())) }()
	_, err = in.Function("f").Call()
	trap := (*runtime.Trap)(nil)
	require.ErrorAs(t, err, &trap)
	assert.Equal(t, "stack overflow", trap.Reason)
	assert.Len(t, trap.Trace, 30)
	assert.Equal(t, "$0", trap.Trace[0])
}

func TestHostFunctionsThatDoNotFit(t *testing.T) {
	m := wasmtest.Module{Imports: []wasmtest.Import{{Module: "env", Name: "f", Type: unit}},
		Functions: []wasmtest.Function{{Export: "g", Type: unit}}}
	_, err := wasmtime.New().Compile(t.Context(), m.Encode(), nil)
	assert.EqualError(t, err, "the module imports env.f, which the host does not have")

	vector := runtime.HostFunc{Module: "env", Name: "f", Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.V128}}}
	_, err = wasmtime.New().Compile(t.Context(), m.Encode(), []runtime.HostFunc{vector})
	assert.EqualError(t, err, "host function env.f: it has a parameter or result of type v128")
}

// An instance reserves gigabytes of addresses, and its store, its code and its host functions are out of
// reach of Go's collector. All of it goes when it is closed.
func TestCloseFreesEverything(t *testing.T) {
	fail := runtime.HostFunc{Module: "env", Name: "fail", Type: unit,
		Call: func(*runtime.HostState, runtime.Memory, []uint64) error { return errors.New("no") }}
	m := wasmtest.Module{Pages: 4,
		Imports: []wasmtest.Import{{Module: fail.Module, Name: fail.Name, Type: fail.Type}},
		Functions: []wasmtest.Function{
			{Export: "fail", Type: unit, Code: wasmtest.Call(0)},
			{Export: "trap", Type: unit, Code: wasmtest.Code(wasmtest.Unreachable)},
			{Export: "good", Type: unit},
		}}
	file := m.Encode()
	round := func() {
		c, err := wasmtime.New().Compile(t.Context(), file, []runtime.HostFunc{fail})
		require.NoError(t, err)
		for _, name := range []string{"fail", "trap", "good"} {
			in, err := c.Instantiate(t.Context(), runtime.InstanceOptions{MemoryBytes: 1 << 20, State: &runtime.HostState{}})
			require.NoError(t, err)
			_, err = in.Function(name).Call()
			assert.Equal(t, name != "good", err != nil)
			require.NoError(t, in.Close(t.Context()))
			assert.Zero(t, in.Memory().Size(), "nothing is read from a closed instance")
		}
		require.NoError(t, c.Close(t.Context()))
	}
	for range 20 {
		round()
	}
	before, goroutines := mappings(t), goruntime.NumGoroutine()
	for range 200 {
		round()
	}
	assert.Less(t, mappings(t), before+50)
	for waited := time.Duration(0); goruntime.NumGoroutine() > goroutines && waited < time.Minute; waited += time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, goruntime.NumGoroutine(), goroutines)
}

// mappings returns the number of memory mappings of the process, 0 where there is no way to ask.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	return bytes.Count(maps, []byte("\n"))
}
