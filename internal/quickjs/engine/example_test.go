package engine_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
)

func ExampleModule() {
	fmt.Println(engine.NPMName, engine.NPMVersion, len(engine.Module()), "bytes")
	// Output: quickjs-wasi 3.7.0 638148 bytes
}
