//go:build wasmtime && cgo

package enginetest

import (
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wasmtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// engines returns those of this build; the last one is under test.
func engines(cache string) []runtime.Engine {
	return []runtime.Engine{wazero.New(wazero.Config{CacheDir: cache}), wasmtime.New()}
}
