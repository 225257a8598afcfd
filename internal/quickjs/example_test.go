package quickjs_test

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

func ExampleEngine() {
	module, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	if err != nil {
		panic(err)
	}
	fmt.Println(quickjs.Engine(module.Sum()))
	fmt.Printf("%q\n", quickjs.Engine([32]byte{}))
	// Output:
	// quickjs-wasi 3.7.0 (QuickJS-NG 0.18.0)
	// ""
}

// bare is the engine on plain wazero, which neither counts nor stops anything.
type bare struct {
	module api.Module
	ask    *func() // what is done when the engine asks whether to stop
}

func (b bare) asked(do func()) { *b.ask = do }

func (b bare) Call(export string, args ...uint64) (uint64, error) {
	f := b.module.ExportedFunction(export)
	stack := make([]uint64, 8)
	copy(stack, args)
	err := f.CallWithStack(context.Background(), stack)
	return stack[0], err
}

func (b bare) Read(offset, count uint32) ([]byte, bool) { return b.module.Memory().Read(offset, count) }
func (b bare) Write(offset uint32, data []byte) bool    { return b.module.Memory().Write(offset, data) }
func (bare) Charge(int) error                           { return nil }
func (bare) Stop() error                                { return nil }
func (bare) Watch(*quickjs.VM)                          {}

// newBare makes an instance of the engine.
func newBare(ctx context.Context) (bare, error) {
	r := wazero.NewRuntime(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	env := r.NewHostModuleBuilder("env")
	stub := func(name string, params, results int) {
		types := []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32}
		env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { clear(stack) }),
			types[:params], types[:results]).Export(name)
	}
	ask := func() {}
	env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		stack[0] = 0
		ask()
	}), nil, []api.ValueType{api.ValueTypeI32}).Export("host_interrupt")
	stub("host_get_timezone_offset", 2, 1)
	stub("host_promise_rejection", 3, 0)
	stub("host_module_normalize", 2, 1)
	stub("host_module_load", 2, 1)
	stub("host_call", 5, 1)
	if _, err := env.Instantiate(ctx); err != nil {
		return bare{}, err
	}
	module, err := r.InstantiateWithConfig(ctx, engine.Module(), wazero.NewModuleConfig().WithStartFunctions())
	return bare{module, &ask}, err
}

// Drive an engine without a sandbox. A host uses package runtime.
func ExampleStart() {
	ctx := context.Background()
	machine, err := newBare(ctx)
	if err != nil {
		panic(err)
	}
	defer func() { _ = machine.module.Close(ctx) }()
	vm, _, err := quickjs.Start(machine, &abi.Bundle{Code: `globalThis.__pintle = {
		call(op, request) { return "+1hello " + JSON.parse(request).id },
		settled() { return "." },
		more() { return JSON.stringify({logs: [[1, "greeting"]]}) },
		reseed() {},
	}`}, quickjs.Host{})
	if err != nil {
		panic(err)
	}
	request, err := abi.Encode(map[string]any{"id": "world"})
	if err != nil {
		panic(err)
	}
	answer, notes, err := vm.Call(quickjs.Call{Op: abi.RenderV1, Request: request, AnswerBytes: 1 << 10})
	if err != nil {
		panic(err)
	}
	value, err := abi.DecodeAnswer(answer)
	if err != nil {
		panic(err)
	}
	text, err := abi.Text(value)
	fmt.Println(text, notes.Logs, err)
	// Output: hello world [{1 greeting}] <nil>
}
