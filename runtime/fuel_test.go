package runtime_test

import (
	"bytes"
	"context"
	goruntime "runtime"
	"slices"
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

// While a guest runs, everybody else gets on: the garbage collector stops the world within 20 ms. A machine that is
// busy with other things takes longer for it; how long shows while goroutines run that let others in all the time.
func TestBusyGuestDoesNotHoldUpTheCollector(t *testing.T) {
	for name, file := range map[string][]byte{
		"endless loop": spinning(), "exponential recursion": branching(), "host calls": flooding(), "filling memory": filling(),
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, newRuntime(t, runtime.Options{Limits: patient}), file)
			guests := func(ctx context.Context) {
				_, err := render(ctx, g)
				assert.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
			}
			friendly := func(ctx context.Context) {
				for ctx.Err() == nil {
					goruntime.Gosched()
				}
			}
			const tries = 20
			var mine, others time.Duration
			for range tries { // a guest that holds others up does so every time, a busy machine now and then
				others, mine = stall(t, friendly), stall(t, guests)
				if mine <= 20*time.Millisecond+2*others {
					return
				}
			}
			assert.Fail(t, "the world stands still", "%v, and %v without guests", mine, others)
		})
	}
}

// stall is how long it takes to stop the world while all processors run something: the median of a few times.
func stall(t *testing.T, run func(ctx context.Context)) time.Duration {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		running.Go(func() { run(ctx) })
	}
	time.Sleep(20 * time.Millisecond) // the slices have grown
	var stalls []time.Duration
	for range 11 {
		var stats goruntime.MemStats
		start := time.Now()
		time.Sleep(time.Millisecond)   // they run on all processors
		goruntime.ReadMemStats(&stats) // stops the world and does nothing else of length
		stalls = append(stalls, time.Since(start)-time.Millisecond)
	}
	goruntime.GC()
	cancel()
	running.Wait()
	slices.Sort(stalls)
	return stalls[len(stalls)/2]
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
