package main

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A plain is a guest on wazero alone.
type plain struct {
	module    api.Module
	op        api.Function
	buffer    uint32
	stack     [2]uint64
	answer    []byte
	beforeRun func()
}

// A program is a module that wazero has compiled, with host functions that have no effect.
type program struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	op      string
}

func (b *bench) compile(module []byte, op string) (*program, error) {
	rt := wazero.NewRuntime(b.ctx)
	b.defers(func() error { return rt.Close(b.ctx) })
	if _, err := wasi_snapshot_preview1.Instantiate(b.ctx, rt); err != nil {
		return nil, err
	}
	if err := silentHost(b.ctx, rt); err != nil {
		return nil, err
	}
	code, err := rt.CompileModule(b.ctx, module)
	return &program{rt, code, op}, err
}

// start makes an instance. If it is metered, its fuel is never spent.
func (p *program) start(ctx context.Context) (*plain, error) {
	module, err := p.runtime.InstantiateModule(ctx, p.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	in := &plain{module: module, op: module.ExportedFunction(p.op), beforeRun: metered(module)}
	in.beforeRun()
	if init := module.ExportedFunction(abi.InitExport); init != nil {
		_, err = init.Call(ctx)
	}
	return in, err
}

// metered returns what a host of a metered module does before each call; nothing for any other.
func metered(m api.Module) func() {
	fuel, ok := m.ExportedGlobal(wasmbin.FuelExport).(api.MutableGlobal)
	if !ok {
		return func() {}
	}
	depth := m.ExportedGlobal(wasmbin.DepthExport).(api.MutableGlobal)
	return func() {
		fuel.Set(1 << 62)
		depth.Set(0)
	}
}

// silentHost offers what guests may import.
func silentHost(ctx context.Context, rt wazero.Runtime) error {
	_, err := rt.NewHostModuleBuilder(abi.HostModule).
		NewFunctionBuilder().WithFunc(func(_, _ uint32) {}).Export("panic").
		NewFunctionBuilder().WithFunc(func(_, _, _ uint32) {}).Export("log").
		NewFunctionBuilder().WithFunc(func(_, _, _, _ uint32) uint32 { return ^uint32(0) }).Export("config").
		Instantiate(ctx)
	if err != nil {
		return err
	}
	_, err = rt.NewHostModuleBuilder(wasmbin.MeterModule).
		NewFunctionBuilder().WithFunc(func(uint32) {}).Export(wasmbin.TickImport).
		NewFunctionBuilder().WithFunc(func(uint32) uint32 { return 1 }).Export(wasmbin.GrowImport).
		Instantiate(ctx)
	return err
}

// call writes a request, runs the operation and copies the answer into memory that it keeps.
func (p *plain) call(request []byte) ([]byte, error) {
	if p.buffer == 0 {
		at, err := p.module.ExportedFunction(abi.AllocExport).Call(context.Background(), uint64(len(request)))
		if err != nil {
			return nil, err
		}
		p.buffer = uint32(at[0])
	}
	p.beforeRun()
	if !p.module.Memory().Write(p.buffer, request) {
		return nil, errors.New("the request is outside memory")
	}
	p.stack = [2]uint64{uint64(p.buffer), uint64(len(request))}
	if err := p.op.CallWithStack(context.Background(), p.stack[:]); err != nil {
		return nil, err
	}
	view, ok := p.module.Memory().Read(uint32(p.stack[0]>>32), uint32(p.stack[0]))
	if !ok {
		return nil, errors.New("the answer is outside memory")
	}
	p.answer = append(p.answer[:0], view...)
	return p.answer, nil
}
