package wazero

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pintle-wasm/pintle/runtime"
)

type code struct {
	engine  *Engine
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
	size := opts.InitialBytes
	for _, m := range c.module.ExportedMemories() {
		size = max(size, uint64(m.Min())<<16)
	}
	if size > opts.MemoryBytes {
		return nil, fmt.Errorf("%d KiB of memory are more than the %d KiB allowed", size>>10, opts.MemoryBytes>>10)
	}
	in := &instance{
		memory: memory{slabs: &c.engine.slabs, limit: opts.MemoryBytes, want: size, state: opts.State},
		call:   callContext{Context: context.Background(), state: opts.State},
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err := c.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, &in.memory), c.module, config)
	if err != nil {
		return nil, asTrap(err)
	}
	in.module, in.call.memory = module, module.Memory()
	if now := uint64(in.call.memory.Size()); now < size {
		if _, ok := in.call.memory.Grow(uint32((size - now) >> 16)); !ok {
			err = fmt.Errorf("its memory cannot have %d KiB", size>>10)
		}
	}
	if end := opts.State.Err(); end != nil {
		err = end
	}
	if err != nil {
		return nil, errors.Join(err, module.Close(context.Background()))
	}
	return in, nil
}

// A callContext carries what host functions need through the engine. It is the same for all calls of an
// instance, so that a call makes none.
type callContext struct {
	context.Context
	state  *runtime.HostState
	memory api.Memory
}

type instance struct {
	module api.Module
	memory memory
	call   callContext
}

func (in *instance) Function(name string) runtime.Function {
	f := in.module.ExportedFunction(name)
	if f == nil {
		return nil
	}
	params, results := len(f.Definition().ParamTypes()), len(f.Definition().ResultTypes())
	return &function{
		Function: f, name: name, instance: in, stack: stackOf(f),
		args: make([]uint64, max(params, results)), params: params, answers: results > 0,
	}
}

func (in *instance) Global(name string) runtime.Global {
	g, ok := in.module.ExportedGlobal(name).(api.MutableGlobal)
	if !ok {
		return nil
	}
	switch g.Type() {
	case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64:
		return g
	}
	return nil
}

func (in *instance) Memory() runtime.Memory { return in.call.memory }

func (in *instance) Close(ctx context.Context) error { return in.module.Close(ctx) }
