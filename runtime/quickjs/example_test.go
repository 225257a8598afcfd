package quickjs_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime/quickjs"
	"github.com/pintle-wasm/pintle/runtime/quickjs/engine"
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
