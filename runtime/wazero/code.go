package wazero

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pintle-wasm/pintle/runtime"
)

type code struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	cache   wazero.CompilationCache // nil: none
}

func (c *code) Close(ctx context.Context) error {
	err := c.runtime.Close(ctx)
	if c.cache != nil {
		err = errors.Join(err, c.cache.Close(ctx))
	}
	return err
}

func (c *code) Instantiate(ctx context.Context, opts runtime.InstanceOptions) (runtime.Instance, error) {
	in := &instance{state: opts.State, memory: memory{limit: opts.MemoryBytes}, functions: map[string]api.Function{}}
	// No start functions: the caller runs the initialiser, on its own terms.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	ctx = experimental.WithMemoryAllocator(ctx, &in.memory)
	var err error
	in.module, err = c.runtime.InstantiateModule(withState(ctx, in.state), c.module, config)
	if err != nil {
		return nil, asTrap(ctx, err)
	}
	return in, nil
}

type stateKey struct{}

// withState adds the host's state of an instance to the context of a call. The context is a new one for
// each call: wazero's watcher of the deadline may still read it when the call has returned.
func withState(ctx context.Context, state *runtime.HostState) context.Context {
	return context.WithValue(ctx, stateKey{}, state)
}

type instance struct {
	module    api.Module
	state     *runtime.HostState
	memory    memory
	functions map[string]api.Function // each object costs 10 KB of stack, so it is made once
	stack     [2]uint64
}

func (in *instance) Call(ctx context.Context, function string, args ...uint64) (uint64, error) {
	f, ok := in.functions[function]
	if !ok {
		if f = in.module.ExportedFunction(function); f == nil {
			return 0, &runtime.Trap{Reason: "no exported function " + function}
		}
		in.functions[function] = f
	}
	stack := in.stack[:]
	stack[0] = 0
	copy(stack, args)
	if err := f.CallWithStack(withState(ctx, in.state), stack); err != nil {
		return 0, asTrap(ctx, err)
	}
	return stack[0], nil
}

func (in *instance) Memory() runtime.Memory { return in.module.Memory() }

func (in *instance) MemoryDenied() bool { return in.memory.denied }

func (in *instance) Close(ctx context.Context) error { return in.module.Close(ctx) }
