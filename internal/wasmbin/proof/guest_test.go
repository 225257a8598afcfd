package proof

import (
	"bytes"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// everything is a module for which the rewriter adds all that it can add.
func everything() []byte {
	return nil
}

var _ = bytes.Clone
var _ wasmbin.FuncType
var _ wasmtest.Module
