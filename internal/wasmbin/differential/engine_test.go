package differential_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// An engine is what the comparison needs of one. Values are words as wazero has them: two for a v128,
// for a reference 0 or not.
type engine interface {
	host(module string, functions []hostFunction) error
	instantiate(bin []byte, name string) (module, error)
	// vectors reports whether functions with v128 in their type can be called.
	vectors() bool
	close()
}

// A module is an instance of an engine.
type module interface {
	call(name string, args []uint64) ([]uint64, error)
	// global returns the value of an exported global.
	global(name string) (uint64, bool)
	setGlobal(name string, v uint64)
	// memory is nil if the module has none or does not show it.
	memory() []byte
}

type hostFunction struct {
	name            string
	params, results []byte
	call            func(caller module, stack []uint64) error
}

// How the host ends a run: its stack is full, or the host gives up.
var (
	errStack  = errors.New("stack overflow")
	errEnough = errors.New("enough")
)

type wazeroEngine struct {
	ctx     context.Context
	runtime wazero.Runtime
}

// firstEngine is the one on which modules run as they are.
func firstEngine(t testing.TB) engine {
	e := newWazero()
	t.Cleanup(e.close)
	return e
}

func newWazero() *wazeroEngine {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2)
	return &wazeroEngine{ctx, wazero.NewRuntimeWithConfig(ctx, config)}
}

func (e *wazeroEngine) wasi() error {
	_, err := wasi_snapshot_preview1.Instantiate(e.ctx, e.runtime)
	return err
}

func (e *wazeroEngine) vectors() bool { return true }

func (e *wazeroEngine) close() { _ = e.runtime.Close(e.ctx) }

func (e *wazeroEngine) host(name string, functions []hostFunction) error {
	b := e.runtime.NewHostModuleBuilder(name)
	for _, f := range functions {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, stack []uint64) {
			if err := f.call(&wazeroModule{e, m}, stack); err != nil {
				panic(err)
			}
		}), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(e.ctx)
	return err
}

func (e *wazeroEngine) instantiate(bin []byte, name string) (module, error) {
	m, err := e.runtime.InstantiateWithConfig(e.ctx, bin, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
	if m == nil {
		return nil, reason(err)
	}
	return &wazeroModule{e, m}, reason(err)
}

type wazeroModule struct {
	engine *wazeroEngine
	module api.Module
}

func (m *wazeroModule) call(name string, args []uint64) ([]uint64, error) {
	results, err := m.module.ExportedFunction(name).Call(m.engine.ctx, args...)
	return results, reason(err)
}

func (m *wazeroModule) global(name string) (uint64, bool) {
	g := m.module.ExportedGlobal(name)
	if g == nil {
		return 0, false
	}
	return value64(g), true
}

func (m *wazeroModule) setGlobal(name string, v uint64) {
	m.module.ExportedGlobal(name).(api.MutableGlobal).Set(v)
}

// indexed returns the value of a global that need not be exported.
func (m *wazeroModule) indexed(i uint32) uint64 {
	return value64(m.module.(experimental.InternalModule).Global(int(i)))
}

func value64(g api.Global) uint64 {
	v := g.Get()
	switch g.Type() {
	case api.ValueTypeI32, api.ValueTypeF32:
		v &= math.MaxUint32
	}
	return v
}

// memory is called for modules that have one: what the engine answers for others is of no use.
func (m *wazeroModule) memory() []byte {
	view, _ := m.module.Memory().Read(0, m.module.Memory().Size())
	return view
}

// reason makes an error of a run one that says the same in all worlds.
func reason(err error) error {
	if err == nil || errors.Is(err, errStack) || errors.Is(err, errEnough) {
		return err
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	if _, cause, ok := strings.Cut(line, " failed: "); ok && strings.HasPrefix(line, "start function[") {
		line = cause
	}
	if _, cause, ok := strings.Cut(line, "]: "); ok && strings.HasPrefix(line, "data[") {
		line = cause
	}
	return errors.New(strings.TrimPrefix(line, "wasm error: "))
}

// clean makes results comparable: numbers without what an engine leaves above them, references as 0 or
// 1.
func clean(words []uint64, types []byte) []uint64 {
	out := slices.Clone(words)
	at := 0
	for _, t := range types {
		switch t {
		case 0x7f, 0x7d:
			out[at] &= math.MaxUint32
		case 0x7b:
			at++
		case 0x70:
			out[at] = min(out[at], 1)
		}
		at++
	}
	return out
}
