//go:build wasmtime && cgo

package wasmtime

import (
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// kinds has the types of which the host and a guest exchange values.
var kinds = map[wasmbin.ValueType]wasmtime.ValKind{
	wasmbin.I32: wasmtime.KindI32,
	wasmbin.I64: wasmtime.KindI64,
	wasmbin.F32: wasmtime.KindF32,
	wasmbin.F64: wasmtime.KindF64,
}

// numeric reports whether a kind is one of those.
func numeric(kind wasmtime.ValKind) bool {
	for _, k := range kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// number returns the bits of a Go value that stands for a number of WebAssembly; 0 for anything else.
func number(v any) uint64 {
	switch v := v.(type) {
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	}
	return 0
}

// value returns the Go value that stands for the bits of a number.
func value(kind wasmtime.ValKind, bits uint64) wasmtime.Val {
	switch kind {
	case wasmtime.KindI32:
		return wasmtime.ValI32(int32(bits))
	case wasmtime.KindI64:
		return wasmtime.ValI64(int64(bits))
	case wasmtime.KindF32:
		return wasmtime.ValF32(math.Float32frombits(uint32(bits)))
	default:
		return wasmtime.ValF64(math.Float64frombits(bits))
	}
}
