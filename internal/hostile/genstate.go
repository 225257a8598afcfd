package hostile

import (
	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func stateGenerators() map[string]generator {
	return map[string]generator{
		"keeps-by-one-instruction": keepsByOneInstruction,
	}
}

// keepsByOneInstruction are guests that have one instruction alone whose effect no copy of memory and
// globals puts back. They trap when they find that it was run before.
func keepsByOneInstruction(m *abi.Manifest) ([]variant, error) {
	const (
		prefix = 0xfc

		memoryInit, dataDrop, tableInit, elemDrop, tableCopy, tableGrow, tableSize, tableFill = 8, 9, 12, 13, 14, 15, 16, 17
	)
	zero := wasmtest.I32Const(0)
	zeros := wasmtest.Code(zero, zero, wasmtest.I32Const(1))
	function := []byte{0xd2, 0} // ref.func 0
	trap := wasmtest.If(wasmtest.Unreachable)
	// Table 0 is empty, table 1 has a function.
	full := wasmtest.Code(zero, []byte{0x25, 0, 0xd1, 0x45}, trap) // table.get 0, ref.is_null, i32.eqz
	grown := wasmtest.Code([]byte{prefix, tableSize, 0}, wasmtest.I32Const(2), i32GreaterU, trap)
	list := map[string][]byte{
		"table.set":  wasmtest.Code(full, zero, function, []byte{0x26, 0}),
		"table.fill": wasmtest.Code(full, zero, function, wasmtest.I32Const(1), []byte{prefix, tableFill, 0}),
		"table.copy": wasmtest.Code(full, zeros, []byte{prefix, tableCopy, 0, 1}),
		"table.init": wasmtest.Code(full, zeros, []byte{prefix, tableInit, 1, 0}),
		"table.grow": wasmtest.Code(grown, function, wasmtest.I32Const(1), []byte{prefix, tableGrow, 0, wasmtest.Drop}),
		// They can be used as long as they are there.
		"elem.drop": wasmtest.Code(zeros, []byte{prefix, tableInit, 1, 1}, []byte{prefix, elemDrop, 1}),
		"data.drop": wasmtest.Code(zeros, []byte{prefix, memoryInit, 1, 0}, []byte{prefix, dataDrop, 1}),
		"global.set": wasmtest.Code(wasmtest.GlobalGet(0), []byte{0xd1, 0x45}, trap,
			function, wasmtest.GlobalSet(0)),
	}
	files := map[string][]byte{}
	for name, code := range list {
		file := attacking(wasmtest.Module{}, m, code)
		for _, s := range [][]byte{
			section(4, vector(2, byte(wasmbin.FuncRef), 0, 2)),
			// Function 0 at the start of table 1, and again for whoever wants it.
			section(9, []byte{2, 2, 1, 0x41, 0, wasmtest.End, 0, 1, 0, 1, 0, 1, 0}),
			section(12, []byte{2}),
			section(11, []byte{2, 0, 0x41, 16, wasmtest.End, 5, 0x82, 0x01, 0x62, 'o', 'k', 1, 1, 'x'}),
		} {
			file = replaceSection(file, s)
		}
		if name == "global.set" { // a global of a function is a reason of its own
			file = replaceSection(file, section(6, vector(1, byte(wasmbin.FuncRef), 1, 0xd0, byte(wasmbin.FuncRef), wasmtest.End)))
		}
		files[name] = file
	}
	return variants(files)
}
