// Package wasmtest writes small WebAssembly modules for tests: guests that do one wrong thing, which no
// compiler would write.
package wasmtest

import (
	"encoding/binary"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// Signatures that guests use.
var (
	SigNone  = wasmbin.FuncType{}
	SigAlloc = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}
	SigOp    = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I64}}
	SigPanic = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32}}
	SigLog   = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32, wasmbin.I32}}
)

// A Module is written by Encode.
type Module struct {
	Imports   []Import
	Functions []Function // indices continue those of the imports
	Pages     uint32     // initial memory; exported as memory
	Data      []Data
	Globals   int                 // mutable i32 globals, all 0
	Typed     []wasmbin.ValueType // mutable globals of numbers and v128 behind those, all 0
	Exports   []Export            // besides memory and functions
	Start     int                 // index of the start function plus 1; 0: none
	Custom    []Custom
	Trailing  []Custom // behind the data section
}

// An Import is an imported function.
type Import struct {
	Module, Name string
	Type         wasmbin.FuncType
}

// A Function is a defined function. Code has no final end, which Encode adds.
type Function struct {
	Export string // empty: not exported
	Type   wasmbin.FuncType
	Locals []wasmbin.ValueType
	Code   []byte
}

// An Export gives a name to something else than a function.
type Export struct {
	Name  string
	Kind  wasmbin.Kind
	Index int
}

// Data is copied into memory at the start.
type Data struct {
	Offset uint32
	Bytes  []byte
}

// Custom is a custom section.
type Custom struct {
	Name  string
	Bytes []byte
}

// Encode writes the module.
func (m *Module) Encode() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, c := range m.Custom {
		out = section(out, 0, append(name(nil, c.Name), c.Bytes...))
	}
	var types, imports, functions, exports, code, data []byte
	n := uint64(0)
	for _, im := range m.Imports {
		types = signature(types, im.Type)
		imports = uleb(append(name(name(imports, im.Module), im.Name), 0), n)
		n++
	}
	exported := uint64(1)
	exports = append(name(nil, abi.MemoryExport), 2, 0)
	for _, f := range m.Functions {
		types = signature(types, f.Type)
		functions = uleb(functions, n)
		if f.Export != "" {
			exports = uleb(append(name(exports, f.Export), 0), n)
			exported++
		}
		n++
		body := uleb(nil, uint64(len(f.Locals)))
		for _, t := range f.Locals {
			body = append(body, 1, byte(t))
		}
		body = append(append(body, f.Code...), 0x0b)
		code = append(uleb(code, uint64(len(body))), body...)
	}
	for _, e := range m.Exports {
		exports = uleb(append(name(exports, e.Name), byte(e.Kind)), uint64(e.Index))
		exported++
	}
	for _, d := range m.Data {
		data = append(append(data, 0), I32Const(int32(d.Offset))...)
		data = append(uleb(append(data, 0x0b), uint64(len(d.Bytes))), d.Bytes...)
	}
	out = vector(out, 1, len(m.Imports)+len(m.Functions), types)
	out = vector(out, 2, len(m.Imports), imports)
	out = vector(out, 3, len(m.Functions), functions)
	out = vector(out, 5, 1, uleb([]byte{0}, uint64(m.Pages)))
	var globals []byte
	for range m.Globals {
		globals = append(globals, byte(wasmbin.I32), 1, 0x41, 0, 0x0b)
	}
	for _, t := range m.Typed {
		globals = append(append(append(globals, byte(t), 1), zero(t)...), 0x0b)
	}
	out = vector(out, 6, m.Globals+len(m.Typed), globals)
	out = vector(out, 7, int(exported), exports)
	if m.Start > 0 {
		out = section(out, 8, uleb(nil, uint64(m.Start-1)))
	}
	out = vector(out, 10, len(m.Functions), code)
	out = vector(out, 11, len(m.Data), data)
	for _, c := range m.Trailing {
		out = section(out, 0, append(name(nil, c.Name), c.Bytes...))
	}
	return out
}

// zero is the constant expression for a global's initial value.
func zero(t wasmbin.ValueType) []byte {
	switch t {
	case wasmbin.I32:
		return I32Const(0)
	case wasmbin.I64:
		return I64Const(0)
	case wasmbin.F32:
		return append([]byte{0x43}, make([]byte, 4)...)
	case wasmbin.V128:
		return append([]byte{0xfd, 0x0c}, make([]byte, 16)...)
	default:
		return append([]byte{0x44}, make([]byte, 8)...)
	}
}

func signature(dst []byte, t wasmbin.FuncType) []byte {
	dst = append(dst, 0x60)
	for _, list := range [][]wasmbin.ValueType{t.Params, t.Results} {
		dst = uleb(dst, uint64(len(list)))
		for _, v := range list {
			dst = append(dst, byte(v))
		}
	}
	return dst
}

func vector(dst []byte, id byte, n int, items []byte) []byte {
	if n == 0 {
		return dst
	}
	return section(dst, id, append(uleb(nil, uint64(n)), items...))
}

func section(dst []byte, id byte, body []byte) []byte {
	return append(uleb(append(dst, id), uint64(len(body))), body...)
}

func name(dst []byte, s string) []byte { return append(uleb(dst, uint64(len(s))), s...) }

func uleb(dst []byte, n uint64) []byte { return binary.AppendUvarint(dst, n) }
