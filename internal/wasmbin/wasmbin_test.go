package wasmbin_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func section(id byte, body ...byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(sections, nil)...)
}

// typed wants one of the errors that the package promises.
func typed(t testing.TB, err error) {
	switch err.(type) {
	case *wasmbin.FormatError, *wasmbin.LimitError, *wasmbin.UnsupportedError:
	default:
		assert.Fail(t, "error of another type", "%T: %v", err, err)
	}
}

func TestParse(t *testing.T) {
	m, err := wasmbin.Parse(wasmtest.Says("hi"), wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, 3, m.Functions)
	require.Len(t, m.Memories, 1)
	assert.Equal(t, uint32(1), m.Memories[0].Min)
	render, ok := m.Export("developer_messages_v1_render")
	require.True(t, ok)
	assert.Equal(t, "(i32, i32) -> i64", render.Type.String())
	contents, before := m.CustomSection("pintle.manifest")
	require.Len(t, contents, 1)
	assert.True(t, before[0])
}

func TestRefused(t *testing.T) {
	funcs := func(n int) [][]byte { // n functions of type () -> () with empty bodies
		count := binary.AppendUvarint(nil, uint64(n))
		types := section(1, 1, 0x60, 0, 0)
		decl := append(bytes.Clone(count), make([]byte, n)...)
		bodies := append(bytes.Clone(count), bytes.Repeat([]byte{2, 0, 0x0b}, n)...)
		return [][]byte{types, section(3, decl...), section(10, bodies...)}
	}
	body := func(b ...byte) []byte {
		return module(section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(10, append(binary.AppendUvarint([]byte{1}, uint64(len(b))), b...)...))
	}
	tests := map[string]struct {
		file []byte
		want string
	}{
		"empty":             {nil, "does not start with"},
		"text":              {[]byte("(module)"), "does not start with"},
		"component":         {[]byte("\x00asm\x0d\x00\x01\x00"), "component"},
		"version":           {[]byte("\x00asm\x02\x00\x00\x00"), "version"},
		"unknown section":   {module(section(14)), "unknown section id 14"},
		"order":             {module(section(3, 0), section(1, 0)), "out of order"},
		"twice":             {module(section(1, 0), section(1, 0)), "repeated"},
		"section too long":  {module([]byte{1, 0x80, 0x80, 4}), "claims 65536 bytes"},
		"size overlong":     {module([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x7f}), "does not fit in 32 bits"},
		"left over":         {module(section(1, 0, 0)), "1 bytes too many"},
		"type form":         {module(section(1, 1, 0x40)), "not a function type"},
		"value type":        {module(section(1, 1, 0x60, 1, 0x40, 0)), "unknown value type"},
		"type index":        {module(section(1, 1, 0x60, 0, 0), section(3, 1, 1)), "type 1 of 1"},
		"counts":            {module(section(1, 1, 0x60, 0, 0), section(3, 1, 0)), "1 functions declared, 0 code bodies"},
		"two exports":       {module(section(5, 1, 0, 1), section(7, 2, 1, 'a', 2, 0, 1, 'a', 2, 0)), `two exports are named "a"`},
		"export index":      {module(section(7, 1, 1, 'a', 0, 0)), "function 0 of 0"},
		"utf-8":             {module(section(0, 1, 0xff)), "not valid UTF-8"},
		"shared memory":     {module(section(5, 1, 3, 1, 1)), "shared memory"},
		"64-bit memory":     {module(section(5, 1, 4, 1)), "64-bit memory"},
		"memory bounds":     {module(section(5, 1, 1, 2, 1)), "maximum of memory is below its minimum"},
		"two memories":      {module(section(5, 2, 0, 1, 0, 1)), "2 memories, of the proposal multiple memories"},
		"exceptions":        {module(section(13, 0)), "section id 13, of the proposal exception handling"},
		"count without end": {module(section(1, 0xff, 0x4d)), "9983 types announced"},
		"functions":         {module(funcs(50_001)...), "functions: 50001, at most 50000"},
		"locals":            {body(1, 0x80, 0x8b, 0xee, 0x77, 0x7f, 0x0b), "locals of function 0: 251364736"},
		"locals overflow":   {body(2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b), "locals of function 0"},
		"locals in all":     {body(2, 0xd8, 4, 0x7f, 0x91, 3, 0x7e, 0x0b), "locals of function 0: 1001, at most 1000"},
		"body":              {body(append([]byte{0}, make([]byte, 128<<10)...)...), "bytes of function 0: 131073, at most 131072"},
		"params":            {module(section(1, append([]byte{1, 0x60, 101}, append(bytes.Repeat([]byte{0x7f}, 101), 0)...)...)), "parameters of one function type: 101"},
		"table":             {module(section(4, 1, 0x70, 0, 0x81, 0x80, 4)), "initial entries of a table: 65537"},
		"data segments":     {module(section(12, 0xa1, 0x8d, 6)), "data segments: 100001"},
		"globals":           {module(section(6, append([]byte{0xe9, 7}, make([]byte, 2000)...)...)), "globals: 1001"},
		"global's value":    {module(section(6, 1, 0x7f, 0, 0x20, 0, 0x0b)), "local.get in a constant of global"},
		"long constant":     {module(section(6, 1, 0x7f, 0, 0x41, 0, 0x41, 0, 0x0b)), "more than one instruction"},
		"endless constant":  {module(section(6, append([]byte{1, 0x7e, 0, 0x42}, bytes.Repeat([]byte{0x80}, 11)...)...)), "does not fit in 64 bits"},
		"constant cut off":  {module(section(6, 1, 0x7c, 0, 0x44, 0)), "f64.const is cut off"},
		"element kind":      {module(section(9, 1, 8)), "unknown element segment 8"},
		"elements":          {module(section(4, 1, 0x70, 0, 1), section(9, 1, 0, 0x41, 0, 0x0b, 0xff, 0xff, 0xff, 0xff, 0x0f)), "entries of element segments: 4294967295, at most 200000"},
		"elements in all":   {module(section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(9, append([]byte{2, 1, 0, 2, 0, 0, 1, 0}, 0xbf, 0x9a, 0x0c)...)), "entries of element segments: 200001, at most 200000"},
		"elements missing":  {module(section(4, 1, 0x70, 0, 1), section(9, 1, 0, 0x41, 0, 0x0b, 4, 0, 0)), "4 entries of element segments announced, only 2 bytes left"},
		"data kind":         {module(section(11, 1, 3)), "unknown data segment 3"},
		"data":              {module(section(11, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f)), "data segment claims 4294967295 bytes"},
		"initial memory":    {module(section(5, 1, 0, 0x81, 0x80, 4)), "a memory cannot have more than 65536 pages"},
		"export kind":       {module(section(7, 1, 1, 'a', 4, 0)), "unknown export kind 4"},
		"custom sections":   {module(slices.Repeat([][]byte{section(0, 1, 'a')}, 257)...), "custom sections: 257, at most 256"},
		"custom section":    {module(section(0, append([]byte{1, 'a'}, make([]byte, 8<<20+1)...)...)), "bytes of custom section a: 8388609"},
		"names":             {module(section(7, append([]byte{1, 0x81, 8}, make([]byte, 1100)...)...)), "bytes of export name: 1025"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := wasmbin.Parse(test.file, wasmbin.DefaultLimits())
			require.Error(t, err)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

func TestCustomSections(t *testing.T) {
	file := module(section(0, 1, 'a', 1, 2), section(1, 0), section(0, 1, 'b'), section(0, 1, 'a', 3))
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, module(section(0, 1, 'a', 9), section(1, 0), section(0, 1, 'b')), m.WithCustomFirst("a", []byte{9}))
	assert.Equal(t, append(module(section(0, 1, 'c')), file[8:]...), m.WithCustomFirst("c", nil))
}

func FuzzParse(f *testing.F) {
	f.Add(wasmtest.Says("hi"))
	f.Add(module(section(0, 1, 'a', 1, 2), section(1, 1, 0x60, 1, 0x7f, 0), section(5, 1, 1, 1, 2)))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0a\x05\x01\x03\x01\x01\x7f"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
		if err != nil {
			typed(t, err)
			return
		}
		// A module with one more section still parses.
		again, err := wasmbin.Parse(m.WithCustomFirst("x", []byte{1}), wasmbin.DefaultLimits())
		if err == nil {
			assert.Equal(t, m.Functions, again.Functions)
		}
	})
}
