package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func largeGenerators() map[string]generator {
	return map[string]generator{"largest-files": largestFiles}
}

// vector is the contents of a section with so many equal items.
func vector(n int, item ...byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(n)), bytes.Repeat(item, n)...)
}

func section(id byte, body []byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

// largestFiles have as much of one thing as is allowed.
func largestFiles(m *abi.Manifest) ([]variant, error) {
	small := attacking(wasmtest.Module{}, m)
	with := func(id byte, body []byte) []byte { return replaceSection(small, section(id, body)) }
	var exports []wasmtest.Export
	for i := range 9_000 {
		exports = append(exports, wasmtest.Export{Name: fmt.Sprintf("%01000d", i), Kind: wasmbin.MemoryKind})
	}
	manyTypes := []byte{0x60}
	for range 2 {
		manyTypes = append(manyTypes, vector(100, byte(wasmbin.I64))...)
	}
	// The four types of the guest come first.
	types := slices.Concat(binary.AppendUvarint(nil, 9_996), typesOf(small), bytes.Repeat(manyTypes, 9_992))
	functions := slices.Concat(binary.AppendUvarint(nil, 40_004), []byte{0, 1, 2, 3}, make([]byte, 40_000))
	bodies := slices.Concat(binary.AppendUvarint(nil, 40_004), bodiesOf(small), bytes.Repeat([]byte{2, 0, wasmtest.End}, 40_000))
	return variants(map[string][]byte{
		"15 MiB of data":           attacking(wasmtest.Module{Pages: 250, Data: []wasmtest.Data{{Offset: 1 << 16, Bytes: bytes.Repeat([]byte{7}, 15<<20)}}}, m),
		"15 MiB of custom section": append(slices.Clone(small), slices.Repeat(custom("x", make([]byte, 7<<20)), 2)...),
		"9,000 exports":            attacking(wasmtest.Module{Exports: exports}, m),
		"9,996 types":              with(1, types),
		"40,000 functions":         replaceSection(with(3, functions), section(10, bodies)),
		"16 tables":                with(4, vector(16, byte(wasmbin.FuncRef), 0, 0x80, 0x80, 0x04)),
		"200,000 elements": replaceSection(with(4, vector(1, byte(wasmbin.FuncRef), 0, 1)),
			section(9, slices.Concat([]byte{1, 1, 0}, vector(200_000, 0)))),
		"1,000 globals of 128 bits": with(6, vector(1000, append(append([]byte{byte(wasmbin.V128), 1, 0xfd, 12}, make([]byte, 16)...), wasmtest.End)...)),
		"names of all functions":    append(slices.Clone(small), custom("name", append([]byte{1, 0x80, 0x80, 0x80, 0x03}, make([]byte, 6<<20)...))...),
	})
}

// typesOf and bodiesOf are the items of a section, without their number.
func typesOf(file []byte) []byte  { return itemsOf(file, 1) }
func bodiesOf(file []byte) []byte { return itemsOf(file, 10) }

func itemsOf(file []byte, id byte) []byte {
	for _, s := range sections(file)[1:] {
		if s[0] == id {
			_, width := binary.Uvarint(s[1:])
			_, count := binary.Uvarint(s[1+width:])
			return s[1+width+count:]
		}
	}
	return nil
}
