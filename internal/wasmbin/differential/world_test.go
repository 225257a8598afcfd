package differential_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

// A world is a set of instances that may import from each other. Functions of the host are recorded.
type world struct {
	ctx     context.Context
	runtime wazero.Runtime
	slice   int64 // fuel that a tick gives
	log     []string
	all     map[api.Module]*instance
}

// An instance is a module as it is or, in a world of its own, rewritten.
type instance struct {
	world   *world
	module  api.Module
	memory  api.Memory            // exported or not, nil: none
	globals []wasmbin.SavedGlobal // those of the rewritten module
	fuel    api.MutableGlobal     // nil: not rewritten
	depth   api.MutableGlobal
	granted int64
	ticks   int
}

var errStack = errors.New("stack overflow")

func newWorld(ctx context.Context, config wazero.RuntimeConfig, slice int64) (*world, error) {
	w := &world{ctx: ctx, runtime: wazero.NewRuntimeWithConfig(ctx, config), slice: slice, all: map[api.Module]*instance{}}
	meter := w.runtime.NewHostModuleBuilder(wasmbin.MeterModule)
	meter.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(w.tick), []api.ValueType{api.ValueTypeI32}, nil).
		Export(wasmbin.TickImport)
	meter.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 1 }),
		[]api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}).Export(wasmbin.GrowImport)
	if _, err := meter.Instantiate(ctx); err != nil {
		return nil, err
	}
	host := w.runtime.NewHostModuleBuilder("host")
	for _, h := range wasmgen.Hosts() {
		host.NewFunctionBuilder().WithGoModuleFunction(w.recorder(h.Name, h.Params, h.Results), h.Params, h.Results).Export(h.Name)
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	_, err := wasi_snapshot_preview1.Instantiate(ctx, w.runtime)
	return w, err
}

func (w *world) close() { _ = w.runtime.Close(w.ctx) }

// recorder is a host function that writes down what it is called with and answers a number made of it.
func (w *world) recorder(name string, params, results []byte) api.GoModuleFunc {
	return func(_ context.Context, m api.Module, stack []uint64) {
		args := slices.Clone(stack[:len(params)])
		for i, t := range params {
			if t == api.ValueTypeI32 || t == api.ValueTypeF32 {
				args[i] &= 1<<32 - 1 // an engine may leave anything above
			}
		}
		line := fmt.Sprint(name, args)
		if len(w.log) < 10_000 {
			w.log = append(w.log, line)
		}
		for i := range results {
			stack[i] = uint64(uint32(len(line)*(i+1)*2654435761 + len(w.log)))
		}
	}
}

func (w *world) tick(_ context.Context, m api.Module, stack []uint64) {
	in := w.all[m]
	if in == nil { // the module's start function: it is not known yet
		panic(errors.New("tick before the instance is there"))
	}
	if stack[0] == wasmbin.TickStack {
		panic(errStack)
	}
	in.ticks++
	left := int64(in.fuel.Get())
	given := (-left + w.slice - 1) / w.slice * w.slice // as many slices as it takes
	in.granted += given
	in.fuel.Set(uint64(left + given))
}

// instantiate adds a module. Its start function runs here.
func (w *world) instantiate(bin []byte, name string, rewritten *wasmbin.Instrumented) (*instance, error) {
	if rewritten != nil {
		bin = rewritten.Bytes
	}
	m, err := w.runtime.InstantiateWithConfig(w.ctx, bin, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
	if m == nil {
		return nil, err
	}
	in := &instance{world: w, module: m}
	if hasMemory(bin) {
		in.memory = m.Memory()
	}
	w.all[m] = in
	if rewritten == nil || err != nil {
		return in, err
	}
	in.globals = rewritten.Globals
	in.fuel, _ = m.ExportedGlobal(wasmbin.FuelExport).(api.MutableGlobal)
	in.depth, _ = m.ExportedGlobal(wasmbin.DepthExport).(api.MutableGlobal)
	if in.fuel == nil || in.depth == nil {
		return nil, errors.New("the rewritten module does not export its counters")
	}
	if rewritten.Start {
		_, err = in.call(wasmbin.StartExport)
	}
	return in, err
}

// hasMemory reports whether a module defines or imports a memory.
func hasMemory(bin []byte) bool {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	if err != nil {
		return false
	}
	imports := slices.ContainsFunc(m.Imports, func(i wasmbin.Import) bool { return i.Kind == wasmbin.MemoryKind })
	return imports || len(m.Memories) > 0
}

// call runs an exported function with its arguments in words, two for a v128.
func (in *instance) call(name string, args ...uint64) ([]uint64, error) {
	f := in.module.ExportedFunction(name)
	if f == nil {
		return nil, fmt.Errorf("no function is exported as %q", name)
	}
	for _, other := range in.world.all {
		if other.depth != nil {
			other.depth.Set(0)
		}
	}
	return f.Call(in.world.ctx, args...)
}

// used returns the fuel that the instance has used since it was made.
func (in *instance) used() int64 { return in.granted - int64(in.fuel.Get()) }

// trap says in the same words how runs of both worlds ended.
func trap(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, errStack) {
		return "stack overflow"
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	if _, reason, ok := strings.Cut(line, " failed: "); ok && strings.HasPrefix(line, "start function[") {
		line = reason
	}
	return strings.TrimPrefix(line, "wasm error: ")
}

// compared is how much of a memory is compared when it is larger; the rest is looked at once in a while.
const compared = 1 << 20

// differences returns what is not the same in an instance and its rewritten twin, "" if nothing.
func differences(a, b *instance, whole bool) string {
	ma, mb := a.memory, b.memory
	if (ma == nil) != (mb == nil) {
		return "only one has a memory"
	}
	if ma != nil {
		if ma.Size() != mb.Size() {
			return fmt.Sprintf("memory of %d and of %d bytes", ma.Size(), mb.Size())
		}
		n := ma.Size()
		if !whole {
			n = min(n, compared)
		}
		va, _ := ma.Read(0, n)
		vb, _ := mb.Read(0, n)
		if !bytes.Equal(va, vb) {
			at := 0
			for va[at] == vb[at] {
				at++
			}
			return fmt.Sprintf("memory at %d: %d and %d", at, va[at], vb[at])
		}
	}
	ia, ib := a.module.(experimental.InternalModule), b.module.(experimental.InternalModule)
	for i := range ia.NumGlobal() {
		ga, gb := ia.Global(i), ib.Global(i)
		if ga.Type() != gb.Type() {
			return fmt.Sprintf("global %d: %s and %s", i, api.ValueTypeName(ga.Type()), api.ValueTypeName(gb.Type()))
		}
		x, y := ga.Get(), gb.Get()
		if ga.Type() == 0x70 { // a function's address is its own
			x, y = min(x, 1), min(y, 1)
		}
		if x != y {
			return fmt.Sprintf("global %d: %#x and %#x", i, x, y)
		}
	}
	return savedDifferences(ia, b)
}

// savedDifferences looks at the globals through what the rewritten module exports for that.
func savedDifferences(a experimental.InternalModule, b *instance) string {
	for _, g := range b.globals {
		want, got := a.Global(int(g.Index)).Get(), uint64(0)
		switch {
		case g.Export != "":
			exported := b.module.ExportedGlobal(g.Export)
			if exported == nil {
				return fmt.Sprintf("global %d is not exported as %q", g.Index, g.Export)
			}
			got = exported.Get()
		case g.Type == wasmbin.V128:
			low, err := b.module.ExportedFunction(g.GetLow).Call(b.world.ctx)
			if err != nil {
				return fmt.Sprintf("global %d cannot be read: %v", g.Index, err)
			}
			got = low[0]
		default:
			return fmt.Sprintf("global %d has no export", g.Index)
		}
		if want != got {
			return fmt.Sprintf("global %d is exported as %#x, not as %#x", g.Index, got, want)
		}
	}
	return ""
}
