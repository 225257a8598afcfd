//go:build wasmtime && cgo

package wasmtime

import (
	"context"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/runtime"
)

// An instance has a store of its own: wasmtime frees instances only together with their store.
type instance struct {
	store    *wasmtime.Store
	instance *wasmtime.Instance
	state    *runtime.HostState
	memory   memory
	failed   error // of the host function that ended the run; wasmtime would carry only its text
}

// Close frees the store and everything in it, host functions included.
func (in *instance) Close(context.Context) error {
	in.memory = memory{}
	in.store.Close()
	return nil
}

func (in *instance) Memory() runtime.Memory { return &in.memory }

// A callback is what wasmtime calls for a host function.
type callback = func(*wasmtime.Caller, []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap)

// hostFunction makes the callback for a host function. The values are kept between calls, as no host
// function runs twice at a time.
func (in *instance) hostFunction(f runtime.HostFunc) callback {
	stack := make([]uint64, max(len(f.Type.Params), len(f.Type.Results)))
	results := make([]wasmtime.Val, len(f.Type.Results))
	return func(caller *wasmtime.Caller, args []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap) {
		for i, v := range args {
			stack[i] = number(v.Get())
		}
		in.memory.enter(caller)
		err := in.memory.touch(in.state)
		if err == nil {
			err = f.Call(in.state, &in.memory, stack)
		}
		in.memory.enter(in.store)
		if err != nil {
			in.failed = err
			return nil, wasmtime.NewTrap("a host function failed")
		}
		for i, t := range f.Type.Results {
			results[i] = value(kinds[t], stack[i])
		}
		return results, nil
	}
}

func (in *instance) Function(name string) runtime.Function {
	f := in.instance.GetFunc(in.store, name)
	if f == nil {
		return nil
	}
	signature := f.Type(in.store)
	defer signature.Close()
	out := &function{instance: in, function: f}
	for _, p := range signature.Params() {
		out.params = append(out.params, p.Kind())
	}
	out.args = make([]any, len(out.params))
	return out
}

type function struct {
	instance *instance
	function *wasmtime.Func
	params   []wasmtime.ValKind
	args     []any // of params, kept between calls
}

func (f *function) Call(args ...uint64) (uint64, error) {
	for i, kind := range f.params {
		var bits uint64
		if i < len(args) {
			bits = args[i]
		}
		f.args[i] = value(kind, bits)
	}
	in := f.instance
	in.failed = nil
	result, err := f.function.Call(in.store, f.args...)
	in.memory.enter(in.store)
	if err != nil {
		return 0, in.trap(err)
	}
	if several, ok := result.([]wasmtime.Val); ok {
		result = several[0].Get()
	}
	return number(result), nil
}

func (in *instance) Global(name string) runtime.Global {
	export := in.instance.GetExport(in.store, name)
	if export == nil || export.Global() == nil {
		return nil
	}
	g := export.Global()
	t := g.Type(in.store)
	defer t.Close()
	kind := t.Content().Kind()
	if !t.Mutable() || !numeric(kind) {
		return nil
	}
	return &global{in.store, g, kind}
}

type global struct {
	store  *wasmtime.Store
	global *wasmtime.Global
	kind   wasmtime.ValKind
}

func (g *global) Get() uint64 { return number(g.global.Get(g.store).Get()) }

// Set cannot fail: the global is mutable and the value of its type.
func (g *global) Set(bits uint64) { _ = g.global.Set(g.store, value(g.kind, bits)) }
