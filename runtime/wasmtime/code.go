//go:build wasmtime && cgo

package wasmtime

import (
	"context"
	"fmt"
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

type code struct {
	engine  *wasmtime.Engine
	module  *wasmtime.Module
	imports []hostImport // as the module lists them
}

// A hostImport is one import of the module and the host function that it gets.
type hostImport struct {
	runtime.HostFunc
	signature *wasmtime.FuncType
}

// link finds the host function of every import.
func (c *code) link(host []runtime.HostFunc) error {
	offered := map[[2]string]runtime.HostFunc{}
	for _, f := range host {
		offered[[2]string{f.Module, f.Name}] = f
	}
	for _, im := range c.module.Imports() {
		name := [2]string{im.Module(), *im.Name()}
		f, ok := offered[name]
		if !ok {
			return fmt.Errorf("the module imports %s.%s, which the host does not have", name[0], name[1])
		}
		signature, err := funcType(f.Type)
		if err != nil {
			return fmt.Errorf("host function %s.%s: %w", name[0], name[1], err)
		}
		c.imports = append(c.imports, hostImport{f, signature})
	}
	return nil
}

func funcType(t wasmbin.FuncType) (*wasmtime.FuncType, error) {
	params, err := valTypes(t.Params)
	if err != nil {
		return nil, err
	}
	results, err := valTypes(t.Results)
	if err != nil {
		return nil, err
	}
	return wasmtime.NewFuncType(params, results), nil
}

func valTypes(types []wasmbin.ValueType) ([]*wasmtime.ValType, error) {
	out := make([]*wasmtime.ValType, len(types))
	for i, t := range types {
		kind, ok := kinds[t]
		if !ok {
			return nil, fmt.Errorf("it has a parameter or result of type %s", t)
		}
		out[i] = wasmtime.NewValType(kind)
	}
	return out, nil
}

func (c *code) Instantiate(ctx context.Context, opts runtime.InstanceOptions) (runtime.Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &instance{store: wasmtime.NewStore(c.engine), state: opts.State}
	const unlimited = -1
	in.store.Limiter(int64(min(opts.MemoryBytes, math.MaxInt64)), unlimited, unlimited, unlimited, unlimited)
	imports := make([]wasmtime.AsExtern, len(c.imports))
	for i, im := range c.imports {
		imports[i] = wasmtime.NewFunc(in.store, im.signature, in.hostFunction(im.HostFunc))
	}
	var err error
	if in.instance, err = wasmtime.NewInstance(in.store, c.module, imports); err != nil {
		err = in.trap(err)
		in.store.Close()
		return nil, err
	}
	if err := in.memory.begin(in, opts); err != nil {
		in.store.Close()
		return nil, err
	}
	return in, nil
}

func (c *code) Close(context.Context) error {
	c.release()
	return nil
}

// release frees everything. All of it may be done twice.
func (c *code) release() {
	for _, im := range c.imports {
		im.signature.Close()
	}
	if c.module != nil {
		c.module.Close()
	}
	c.engine.Close()
}
