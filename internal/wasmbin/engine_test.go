package wasmbin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

var (
	errFuel  = errors.New("out of fuel")
	errStack = errors.New("stack overflow")
)

// accepted wants the engine to accept a module.
func accepted(t testing.TB, bin []byte) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, bin)
	require.NoError(t, err)
}

// A machine runs a rewritten module with a host that gives fuel in slices.
type machine struct {
	t     testing.TB
	ctx   context.Context
	out   *wasmbin.Instrumented
	mod   api.Module
	fuel  api.MutableGlobal
	depth api.MutableGlobal

	slice   int64 // of fuel, given by each tick
	most    int   // ticks before the host gives up, 0: never
	grant   bool  // whether memory may grow
	ticks   int
	given   int64
	deepest int64    // below 0, at a tick
	asked   []uint32 // pages
}

func newMachine(t testing.TB, bin []byte) *machine {
	out, err := instrument(bin)
	require.NoError(t, err)
	m := &machine{t: t, ctx: context.Background(), out: out, slice: 1_000}
	r := wazero.NewRuntimeWithConfig(m.ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
	t.Cleanup(func() { require.NoError(t, r.Close(m.ctx)) })
	_, err = r.NewHostModuleBuilder(wasmbin.MeterModule).
		NewFunctionBuilder().WithFunc(m.tick).Export(wasmbin.TickImport).
		NewFunctionBuilder().WithFunc(m.grow).Export(wasmbin.GrowImport).
		Instantiate(m.ctx)
	require.NoError(t, err)
	m.mod, err = r.Instantiate(m.ctx, out.Bytes)
	require.NoError(t, err)
	m.fuel = m.mod.ExportedGlobal(wasmbin.FuelExport).(api.MutableGlobal)
	m.depth = m.mod.ExportedGlobal(wasmbin.DepthExport).(api.MutableGlobal)
	return m
}

func (m *machine) tick(reason uint32) {
	if reason == wasmbin.TickStack {
		panic(errStack)
	}
	if m.ticks++; m.ticks == m.most {
		panic(errFuel)
	}
	m.deepest = max(m.deepest, -int64(m.fuel.Get()))
	for int64(m.fuel.Get()) < 0 {
		m.fuel.Set(m.fuel.Get() + uint64(m.slice))
		m.given += m.slice
	}
}

func (m *machine) grow(pages uint32) uint32 {
	m.asked = append(m.asked, pages)
	if m.grant {
		return 1
	}
	return 0
}

// call runs an exported function and returns its results and the fuel that it used.
func (m *machine) call(name string, args ...uint64) (results []uint64, used int64, err error) {
	const full = 1 << 40
	m.fuel.Set(full)
	m.depth.Set(0)
	results, err = m.mod.ExportedFunction(name).Call(m.ctx, args...)
	return results, full - int64(m.fuel.Get()), err
}

// sliced is call with nothing at first but what the ticks give.
func (m *machine) sliced(name string, args ...uint64) (used int64, err error) {
	m.ticks, m.given, m.deepest = 0, 0, 0
	m.fuel.Set(0)
	m.depth.Set(0)
	_, err = m.mod.ExportedFunction(name).Call(m.ctx, args...)
	return m.given - int64(m.fuel.Get()), err
}
