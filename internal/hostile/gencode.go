package hostile

import (
	"bytes"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func codeGenerators() map[string]generator {
	return map[string]generator{
		"slow-run":         slowRun,
		"many-empty-loops": manyEmptyLoops,
	}
}

// attacking is a guest that runs code when it is attacked and answers otherwise. Code that comes to an end
// leaves nothing behind; the guest answers then.
func attacking(m wasmtest.Module, manifest *abi.Manifest, code ...any) []byte {
	const answerAt = 16
	answer := wasmtest.Text("ok")
	m.Data = append([]wasmtest.Data{{Offset: answerAt, Bytes: answer}}, m.Data...)
	m.Functions = append(m.Functions, wasmtest.Function{Locals: []wasmbin.ValueType{wasmbin.I64}, Code: wasmtest.Code(code...)})
	attack := len(m.Imports) + len(m.Functions) - 1
	return wasmtest.Guest(m, manifest, wasmtest.Code(
		wasmtest.LocalGet(1), wasmtest.I32Const(511), i32GreaterU, wasmtest.If(wasmtest.Call(attack)),
		wasmtest.Answer(answerAt, uint32(len(answer)))))
}

// Instructions that package wasmtest has no name for.
const (
	i32GreaterU = 0x4b
	i64DivU     = 0x80
	i64Or       = 0x84
	localSet    = 0x21
)

func one(file []byte) ([]variant, error) { return []variant{{file: file}}, nil }

func forever(body ...any) []byte { return wasmtest.Loop(append(body, wasmtest.Branch(0))...) }

// slowRun divides the largest number by the last quotient, which nothing can do before that is known.
func slowRun(m *abi.Manifest) ([]variant, error) {
	divide := wasmtest.Code(wasmtest.I64Const(-1), wasmtest.LocalGet(0), wasmtest.I64Const(3), i64Or, i64DivU, localSet, []byte{0})
	return one(attacking(wasmtest.Module{}, m, forever(bytes.Repeat(divide, 8000))))
}

func manyEmptyLoops(m *abi.Manifest) ([]variant, error) {
	return one(attacking(wasmtest.Module{}, m, forever(bytes.Repeat(wasmtest.Loop(), 500))))
}
