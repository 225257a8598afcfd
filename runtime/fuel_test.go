package runtime_test

import (
	"bytes"
	"context"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// branching calls itself twice, 1<<40 times in all, without a loop.
func branching() []byte {
	sig := wasmtest.SigAlloc
	self := wasmtest.Code(wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0))
	return wasmtest.Guest(wasmtest.Module{Functions: []wasmtest.Function{{Type: sig, Code: wasmtest.Code(
		wasmtest.LocalGet(0), 0x45, wasmtest.If(wasmtest.I32Const(1), wasmtest.Return), // i32.eqz
		self, self, wasmtest.I32Add)}}}, wasmtest.Manifest(), wasmtest.Code(wasmtest.I32Const(40), wasmtest.Call(0), wasmtest.Drop, wasmtest.I64Const(0)))
}

// flooding does nothing but call a host function.
func flooding() []byte {
	yield := wasmtest.Import{Module: "wasi_snapshot_preview1", Name: "sched_yield", Type: wasmbin.FuncType{Results: []wasmbin.ValueType{wasmbin.I32}}}
	return wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{yield}}, wasmtest.Manifest(),
		wasmtest.Code(wasmtest.Loop(wasmtest.Call(0), wasmtest.Drop, wasmtest.Branch(0)), wasmtest.Unreachable))
}

// filling clears all of its memory again and again.
func filling() []byte {
	all := wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(7), wasmtest.I32Const(32<<20), []byte{0xfc, 11, 0})
	return wasmtest.Guest(wasmtest.Module{Pages: 512}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Loop(all, wasmtest.Branch(0)), wasmtest.Unreachable))
}

func spinning() []byte {
	return wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless)
}

// Whatever shape the work has, it ends within twice the budget.
func TestFuelEndsEveryShapeOfWork(t *testing.T) {
	const budget = 20_000_000
	for name, file := range map[string][]byte{
		"endless loop": spinning(), "exponential recursion": branching(), "host calls": flooding(), "filling memory": filling(),
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: budget, Time: time.Minute}}), file)
			for range 2 {
				_, err := render(t.Context(), g)
				e := asError(t, err)
				assert.Equal(t, runtime.KindFuel, e.Kind, e)
				assert.Equal(t, "it used up its fuel of 20000000 units", e.Reason)
				assert.Greater(t, e.Fuel, uint64(budget))
				assert.Less(t, e.Fuel, uint64(2*budget))
			}
		})
	}
}

// A guest whose memory did not grow because its time was over has run out of time, also if it traps over that.
func TestTimeEndsWhileMemoryGrows(t *testing.T) {
	const pages = 256
	file := wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), wasmtest.Code(wasmtest.I32Const(pages), wasmtest.MemoryGrow(),
		wasmtest.Drop, wasmtest.I32Const(pages<<16), wasmtest.I32Load8(), wasmtest.Drop, wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable))
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: plenty, Time: time.Nanosecond}})
	_, err := render(t.Context(), load(t, r, file))
	e := asError(t, err)
	assert.Equal(t, runtime.KindTimeout, e.Kind, e)
	assert.Equal(t, "it did not return within 1ns", e.Reason)
}

// The same with time: fuel without end, and the clock ends it.
func TestTimeEndsEveryShapeOfWork(t *testing.T) {
	for name, file := range map[string][]byte{
		"endless loop": spinning(), "exponential recursion": branching(), "host calls": flooding(), "filling memory": filling(),
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: plenty, Time: 50 * time.Millisecond}}), file)
			_, err := render(t.Context(), g)
			e := asError(t, err)
			assert.Equal(t, runtime.KindTimeout, e.Kind, e)
			assert.Equal(t, "it did not return within 50ms", e.Reason)
			assert.Positive(t, e.Fuel)
		})
	}
}

// The same guest on the same input uses the same fuel, whatever its budget is, how often it ran before,
// and what else runs.
func TestFuelIsTheSameEveryTime(t *testing.T) {
	measure := func(g *runtime.Guest, prompt string) uint64 {
		request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: &prompt})
		require.NoError(t, err)
		var u runtime.Usage
		_, err = g.Call(runtime.WithUsage(t.Context(), &u), runtime.Call{Op: abi.RenderV1, Request: request})
		require.NoError(t, err)
		assert.Equal(t, 1, u.Calls)
		return u.Fuel
	}
	long := string(make([]byte, 20_000))
	g := loadC(t, runtime.Options{})
	short, more := measure(g, "hello"), measure(g, long)
	assert.Positive(t, short)
	assert.Greater(t, more, short)
	for range 5 {
		assert.Equal(t, short, measure(g, "hello"))
	}
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 20 {
				assert.Equal(t, more, measure(g, long))
			}
		})
	}
	others.Wait()

	exact := loadC(t, runtime.Options{Limits: runtime.Limits{Fuel: more}})
	assert.Equal(t, more, measure(exact, long), "all that it needs is enough")
	request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: &long})
	require.NoError(t, err)
	scarce := loadC(t, runtime.Options{Limits: runtime.Limits{Fuel: more - 1}})
	_, err = scarce.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
	assert.Equal(t, runtime.KindFuel, asError(t, err).Kind, "one unit less is not")
}

// Usage adds up what calls cost, those that fail included.
func TestUsage(t *testing.T) {
	var u runtime.Usage
	ctx := runtime.WithUsage(t.Context(), &u)
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 1000}})
	_, err := render(ctx, load(t, r, spinning()))
	e := asError(t, err)
	assert.Equal(t, runtime.Usage{Calls: 1, Fuel: e.Fuel}, u)
	_, err = render(ctx, load(t, r, wasmtest.Says("x")))
	require.NoError(t, err)
	assert.Equal(t, 2, u.Calls)
	assert.Greater(t, u.Fuel, e.Fuel)
}

// Each call of a host function costs more than the guest's code for it.
func TestHostFunctionsCostFuel(t *testing.T) {
	measure := func(calls int) uint64 {
		yield := wasmtest.Import{Module: "wasi_snapshot_preview1", Name: "sched_yield", Type: wasmbin.FuncType{Results: []wasmbin.ValueType{wasmbin.I32}}}
		answer := wasmtest.Text("x")
		code := bytes.Repeat(wasmtest.Code(wasmtest.Call(0), wasmtest.Drop), calls)
		g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(
			wasmtest.Module{Imports: []wasmtest.Import{yield}, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(),
			wasmtest.Code(code, wasmtest.Answer(16, uint32(len(answer))))))
		var u runtime.Usage
		_, err := render(runtime.WithUsage(t.Context(), &u), g)
		require.NoError(t, err)
		return u.Fuel
	}
	each := (measure(50) - measure(10)) / 40
	assert.GreaterOrEqual(t, each, uint64(100))
	assert.Less(t, each, uint64(200))
}

// A guest that is out of fuel again and again is left alone for a while.
func TestOutOfFuelIsAFailure(t *testing.T) {
	g := load(t, newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 1000}}), spinning())
	for range 3 {
		_, err := render(t.Context(), g)
		assert.Equal(t, runtime.KindFuel, asError(t, err).Kind)
	}
	_, err := render(t.Context(), g)
	assert.Equal(t, runtime.KindQuarantined, asError(t, err).Kind)
}

// While a guest runs, everybody else gets on: the garbage collector stops the world within 20 ms.
func TestBusyGuestDoesNotHoldUpTheCollector(t *testing.T) {
	for name, file := range map[string][]byte{
		"endless loop": spinning(), "exponential recursion": branching(), "host calls": flooding(), "filling memory": filling(),
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, newRuntime(t, runtime.Options{Limits: patient}), file)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, goruntime.GOMAXPROCS(0))
			for range cap(done) {
				go func() {
					_, err := render(ctx, g)
					done <- err
				}()
			}
			time.Sleep(20 * time.Millisecond) // the slices have grown
			// A guest that holds others up does so every time; a busy machine does now and then.
			var stalls []time.Duration
			short := 0
			for (len(stalls) < 10 || 2*short < len(stalls)) && len(stalls) < 60 {
				var stats goruntime.MemStats
				start := time.Now()
				time.Sleep(time.Millisecond)   // the guests run on all processors
				goruntime.ReadMemStats(&stats) // stops the world and does nothing else of length
				stall := time.Since(start) - time.Millisecond
				if stalls = append(stalls, stall); stall <= 20*time.Millisecond {
					short++
				}
			}
			goruntime.GC()
			cancel()
			for range cap(done) {
				assert.Equal(t, runtime.KindCanceled, asError(t, <-done).Kind)
			}
			assert.GreaterOrEqual(t, 2*short, len(stalls), "%v", stalls)
		})
	}
}

// A start has a budget of its own, and the error says that it was the start.
func TestFuelEndsAnEndlessInitialiser(t *testing.T) {
	for _, m := range []wasmtest.Module{
		{Functions: []wasmtest.Function{{Export: abi.InitExport, Code: endless}}},
		{Functions: []wasmtest.Function{{Code: endless}}, Start: 1},
	} {
		_, err := newRuntime(t, runtime.Options{}).Load(t.Context(), "i", wasmtest.Guest(m, wasmtest.Manifest(), wasmtest.I64Const(0)), runtime.GuestOptions{})
		e := asError(t, err)
		assert.Equal(t, runtime.KindFuel, e.Kind)
		assert.Equal(t, "it used up its fuel of 1000000000 units while it started", e.Reason)
	}
}
