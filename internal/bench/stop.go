package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// wallClock is the budget of the guests that never end.
const wallClock = 50 * time.Millisecond

// stops measures when guests that never end are stopped.
func (b *bench) stops() (*table, error) {
	t := &table{title: "Guests that never end",
		note: fmt.Sprintf("How long a call takes whose wall-clock budget is %v and whose fuel is not bounded, and one with the\n"+
			"  default fuel, %d units of about a nanosecond.", wallClock, defaultFuel)}
	code := wasmtest.Code
	forms := []struct {
		name  string
		guest []byte
	}{
		{"an endless loop", wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(),
			code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable))},
		{"2^60 calls, no loop", wasmtest.Guest(wasmtest.Module{Functions: []wasmtest.Function{doubling()}}, wasmtest.Manifest(),
			code(wasmtest.I32Const(60), wasmtest.Call(0), wasmtest.Unreachable))},
	}
	for _, budget := range []struct {
		name   string
		limits runtime.Limits
		kind   runtime.Kind
	}{
		{"stopped by the clock", runtime.Limits{Time: wallClock, Fuel: math.MaxInt64}, runtime.KindTimeout},
		{"stopped by fuel", runtime.Limits{}, runtime.KindFuel},
	} {
		for _, form := range forms {
			f := figure{name: form.name + ", " + budget.name}
			var times []time.Duration
			for range b.clock.rounds {
				took, err := b.stopped(form.guest, budget.limits, budget.kind)
				if err != nil {
					return nil, err
				}
				times = append(times, took)
			}
			f.summarize(times)
			t.figures = append(t.figures, f)
			if budget.kind == runtime.KindTimeout {
				t.atMost(2*millis(wallClock), "ms", f.name+", the slowest", millis(f.worst))
			}
		}
	}
	return t, nil
}

// doubling calls itself twice with its argument less one, until that is 0.
func doubling() wasmtest.Function {
	again := wasmtest.Code(wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0))
	return wasmtest.Function{
		Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}},
		Code: wasmtest.Code(wasmtest.LocalGet(0), wasmtest.If(again, again)),
	}
}

const defaultFuel = 50_000_000

// stopped returns how long a call took that has to be stopped for the given reason. Each runs in a guest
// that was just loaded: one that fails again and again is quarantined.
func (b *bench) stopped(file []byte, limits runtime.Limits, kind runtime.Kind) (time.Duration, error) {
	g, err := b.load("endless.wasm", file, runtime.Options{Limits: limits})
	if err != nil {
		return 0, err
	}
	start := time.Now()
	_, err = g.Call(b.ctx, runtime.Call{Op: abi.RenderV1, Offer: "a", Session: "s", Request: []byte{0xa0}})
	took := time.Since(start)
	stopped := (*runtime.Error)(nil)
	if !errors.As(err, &stopped) || stopped.Kind != kind {
		return 0, fmt.Errorf("expected to be stopped by %s: %w", kind, err)
	}
	return took, nil
}
