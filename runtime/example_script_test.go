package runtime_test

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// A builder asks a program what it registers, to write the manifest from it.
func ExampleRuntime_Registered() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer func() { _ = r.Close(ctx) }()
	bundle, err := abi.EncodeBundle(&abi.Bundle{Code: `globalThis.__pintle = {
		call() { return "1hi" }, settled() { return "." }, more() { return "{}" }, reseed() {},
		registered() { return JSON.stringify({contributions: [{id: "hi"}]}) },
	}`})
	if err != nil {
		panic(err)
	}
	module, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	if err != nil {
		panic(err)
	}
	registered, err := r.Registered(ctx, "hi", module.WithCustomFirst(abi.BundleSection, bundle))
	fmt.Println(string(registered), err)
	// Output: {"contributions":[{"id":"hi"}]} <nil>
}
