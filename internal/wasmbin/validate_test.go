package wasmbin_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

func counted(items ...[]byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(items))), bytes.Join(items, nil)...)
}

func sized(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }

// world is a module with something of everything, whose function 1 has the given code and the type
// () -> (). Types: 0 () -> (), 1 (i32) -> (i32), 2 () -> (i32, i64), 3 (i32, i64) -> (). Function 0 is an
// import of type 0, function 2 is in no table and has no code. Tables: 0 of funcref, 1 of externref.
// Globals: 0 mutable i32, 1 i64, 2 mutable funcref. Locals: 0 i32, 1 i64, 2 f32, 3 f64, 4 v128, 5
// externref. There is one segment of data and two of elements, of either type.
func world(code ...byte) []byte {
	body := append([]byte{6, 1, 0x7f, 1, 0x7e, 1, 0x7d, 1, 0x7c, 1, 0x7b, 1, 0x6f}, code...)
	return module(
		section(1, counted([]byte{0x60, 0, 0}, []byte{0x60, 1, 0x7f, 1, 0x7f}, []byte{0x60, 0, 2, 0x7f, 0x7e}, []byte{0x60, 2, 0x7f, 0x7e, 0})...),
		section(2, counted([]byte{1, 'm', 1, 'f', 0, 0})...),
		section(3, counted([]byte{0}, []byte{0})...),
		section(4, counted([]byte{0x70, 0, 10}, []byte{0x6f, 0, 10})...),
		section(5, counted([]byte{0, 1})...),
		section(6, counted([]byte{0x7f, 1, 0x41, 0, 0x0b}, []byte{0x7e, 0, 0x42, 0, 0x0b}, []byte{0x70, 1, 0xd0, 0x70, 0x0b})...),
		section(9, counted([]byte{1, 0, 2, 0, 1}, []byte{5, 0x6f, 0})...),
		section(12, 1),
		section(10, counted(sized(append(body, 0x0b)), []byte{2, 0, 0x0b})...),
		section(11, counted([]byte{1, 1, 9})...),
	)
}

// bodyAt is the offset in world of the code that it is given.
func bodyAt(t *testing.T) int {
	at := bytes.Index(world(0x01, 0x00, 0x01, 0x00, 0x01), []byte{0x01, 0x00, 0x01, 0x00, 0x01})
	require.Positive(t, at)
	return at
}

// Every rule about instructions, each with code that breaks it alone and the offset in the code at which
// that is seen.
func TestInvalidCode(t *testing.T) {
	start := bodyAt(t)
	for name, test := range map[string]struct {
		code []byte
		at   int
		want string
	}{
		"empty stack":            {[]byte{0x1a}, 0, "an operand is missing"},
		"stack below a block":    {[]byte{0x41, 0, 0x02, 0x40, 0x1a, 0x0b}, 4, "an operand is missing"},
		"operand of other type":  {[]byte{0x20, 0, 0x20, 1, 0x6a, 0x1a}, 4, "an operand is i64 and not i32"},
		"left over":              {[]byte{0x41, 0}, 2, "a block leaves more on the stack than its results ()"},
		"left over in a block":   {[]byte{0x02, 0x7f, 0x41, 0, 0x41, 0, 0x0b, 0x1a}, 6, "leaves more on the stack than its results i32"},
		"result of other type":   {[]byte{0x02, 0x7f, 0x42, 0, 0x0b, 0x1a}, 4, "an operand is i64 and not i32"},
		"dead but wrong":         {[]byte{0x00, 0x42, 0, 0x68, 0x1a}, 3, "an operand is i64 and not i32"},
		"dead and left over":     {[]byte{0x02, 0x40, 0x00, 0x41, 0, 0x0b}, 5, "leaves more on the stack"},
		"else without if":        {[]byte{0x02, 0x40, 0x05, 0x0b}, 2, "else without if"},
		"two elses":              {[]byte{0x41, 0, 0x04, 0x40, 0x05, 0x05, 0x0b}, 5, "else without if"},
		"if without else":        {[]byte{0x41, 0, 0x04, 0x7f, 0x41, 0, 0x0b, 0x1a}, 6, "if without else has the type () -> i32"},
		"if on nothing":          {[]byte{0x04, 0x40, 0x0b}, 0, "an operand is missing"},
		"block type":             {[]byte{0x02, 0x04, 0x0b}, 0, "block of type 4, there are 4"},
		"block type of letters":  {[]byte{0x02, 0x41, 0x0b}, 0, "unknown block type"},
		"long block type":        {[]byte{0x02, 0xff, 0x7f, 0x0b}, 0, "has more than one byte"},
		"block parameters":       {[]byte{0x02, 0x03, 0x1a, 0x1a, 0x0b}, 0, "an operand is missing"},
		"branch too far":         {[]byte{0x0c, 1}, 0, "branch to label 1, there are 1"},
		"branch without value":   {[]byte{0x02, 0x7f, 0x0c, 0, 0x0b, 0x1a}, 2, "an operand is missing"},
		"branch to a loop":       {[]byte{0x41, 0, 0x42, 0, 0x03, 0x03, 0x0c, 0, 0x0b, 0x0c, 0}, 0, ""},
		"br_if keeps its values": {[]byte{0x02, 0x7f, 0x41, 0, 0x41, 0, 0x0d, 0, 0x0b}, 9, "leaves more on the stack"},
		"br_table of two sorts":  {[]byte{0x02, 0x7f, 0x02, 0x40, 0x41, 0, 0x41, 0, 0x0e, 1, 0, 1, 0x0b, 0x41, 0, 0x0b, 0x1a}, 8, "different numbers of operands"},
		"br_table of two types":  {[]byte{0x02, 0x7f, 0x02, 0x7e, 0x41, 0, 0x41, 0, 0x0e, 1, 0, 1, 0x0b, 0x1a, 0x41, 0, 0x0b, 0x1a}, 8, "an operand is i32 and not i64"},
		"br_table too far":       {[]byte{0x41, 0, 0x0e, 0, 7}, 2, "branch to label 7"},
		"function index":         {[]byte{0x10, 3}, 0, "function 3 does not exist, there are 3"},
		"arguments":              {[]byte{0x42, 0, 0x41, 0, 0x11, 1, 0, 0x1a}, 4, "an operand is i64 and not i32"},
		"type index":             {[]byte{0x41, 0, 0x11, 4, 0}, 2, "type 4 does not exist"},
		"call in externref":      {[]byte{0x41, 0, 0x11, 0, 1}, 2, "call_indirect in a table of externref"},
		"table index":            {[]byte{0x41, 0, 0x11, 0, 2}, 2, "table 2 does not exist"},
		"select of references":   {[]byte{0x20, 5, 0x20, 5, 0x41, 0, 0x1b, 0x1a}, 6, "select of externref has to name its type"},
		"select of two types":    {[]byte{0x20, 0, 0x20, 1, 0x41, 0, 0x1b, 0x1a}, 6, "select of i32 and i64"},
		"select of no types":     {[]byte{0x20, 0, 0x20, 0, 0x41, 0, 0x1c, 0, 0x1a}, 8, "select with 0 types"},
		"local index":            {[]byte{0x20, 6, 0x1a}, 0, "local 6 does not exist, there are 6"},
		"local type":             {[]byte{0x41, 0, 0x21, 1}, 2, "an operand is i32 and not i64"},
		"global index":           {[]byte{0x23, 3, 0x1a}, 0, "global 3 does not exist, there are 3"},
		"global fuel":            {[]byte{0x42, 0, 0x24, 3}, 2, "global 3 does not exist"},
		"global.set of constant": {[]byte{0x42, 0, 0x24, 1}, 2, "global 1, which is not mutable"},
		"alignment":              {[]byte{0x41, 0, 0x28, 3, 0, 0x1a}, 4, "alignment of i32.load is larger than natural"},
		"lane":                   {[]byte{0x20, 4, 0xfd, 27, 4, 0x1a}, 5, "i32x4.extract_lane has lane 4 of 4"},
		"lane of a load":         {[]byte{0x41, 0, 0x20, 4, 0xfd, 87, 3, 0, 2, 0x1a}, 9, "v128.load64_lane has lane 2 of 2"},
		"lane of a shuffle":      {append(append([]byte{0x20, 4, 0x20, 4, 0xfd, 13}, bytes.Repeat([]byte{0}, 15)...), 32, 0x1a), 22, "i8x16.shuffle has lane 32 of 32"},
		"memory byte":            {[]byte{0x3f, 0x80, 0, 0x1a}, 2, "memory.size has the reserved byte 0x80"},
		"ref.null of a number":   {[]byte{0xd0, 0x7f, 0x1a}, 2, "ref.null of i32"},
		"ref.is_null of i32":     {[]byte{0x41, 0, 0xd1, 0x1a}, 2, "ref.is_null of i32"},
		"ref.func":               {[]byte{0xd2, 2, 0x1a}, 0, "function 2, to which nothing outside of code refers"},
		"table.get":              {[]byte{0x41, 0, 0x25, 2, 0x1a}, 2, "table 2 does not exist"},
		"table.set":              {[]byte{0x41, 0, 0xd0, 0x6f, 0x26, 0}, 4, "an operand is externref and not funcref"},
		"table.size":             {[]byte{0xfc, 16, 2, 0x1a}, 0, "table 2 does not exist"},
		"table.copy":             {[]byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 14, 0, 1}, 6, "from a table of externref to one of funcref"},
		"table.init":             {[]byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 12, 0, 1}, 6, "table of externref from elements of funcref"},
		"table.init of nothing":  {[]byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 12, 2, 0}, 6, "element segment 2 does not exist"},
		"elem.drop":              {[]byte{0xfc, 13, 2}, 0, "element segment 2 does not exist"},
		"memory.init":            {[]byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 8, 1, 0}, 6, "data segment 1 does not exist"},
		"data.drop":              {[]byte{0xfc, 9, 1}, 0, "data segment 1 does not exist"},
		"i32.const too large":    {[]byte{0x41, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x1a}, 5, "i32.const does not fit in 32 bits"},
		"i64.const too large":    {append(append([]byte{0x42}, bytes.Repeat([]byte{0x80}, 9)...), 1, 0x1a), 10, "i64.const does not fit in 64 bits"},
		"unknown":                {[]byte{0x27}, 0, "unknown instruction 0x27"},
		"unknown of a prefix":    {[]byte{0xfc, 18}, 0, "unknown instruction 0xfc 18"},
		"a long code":            {[]byte{0xfc, 0x90, 0, 0, 0x1a}, 0, "not in its shortest encoding"},
		"a long code of vectors": {[]byte{0xfd, 0x8c, 0x80, 0}, 0, "not in its shortest encoding"},
		"end too early":          {[]byte{0x0b}, 1, "1 bytes behind the end"},
		"block not closed":       {[]byte{0x02, 0x40}, 3, "the code ends within a block"},
		"cut off":                {[]byte{0x41}, 2, "the code ends within a block"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := instrument(world(test.code...))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			var format *wasmbin.FormatError
			require.ErrorAs(t, err, &format)
			assert.Contains(t, format.Reason, test.want)
			assert.Contains(t, format.Reason, "function 1: ")
			assert.Equal(t, test.at, format.Offset-start)
		})
	}
}

// What later versions of WebAssembly added is named.
func TestUnsupported(t *testing.T) {
	for what, code := range map[string][]byte{
		"exception handling":        {0x08, 0},
		"tail calls":                {0x12, 0},
		"typed function references": {0x14, 0},
		"garbage collection":        {0xfb, 0},
		"threads":                   {0xfe, 0, 2, 0},
		"relaxed SIMD":              {0xfd, 0x80, 2},
		"wide arithmetic":           {0xfc, 19},
		"multiple memories":         {0x3f, 1, 0x1a},
	} {
		_, err := instrument(world(code...))
		var unsupported *wasmbin.UnsupportedError
		require.ErrorAs(t, err, &unsupported, what)
		assert.Contains(t, unsupported.What, what)
		assert.Contains(t, unsupported.What, "function 1: ")
		assert.Equal(t, bodyAt(t), unsupported.Offset, what)
	}
	_, err := instrument(world(0x41, 0, 0x28, 0x42, 1, 0, 0x1a))
	assert.ErrorContains(t, err, "multiple memories")

	for what, file := range map[string][]byte{
		"extended constant expressions": module(section(6, 1, 0x7f, 0, 0x6a, 0x0b)),
		"garbage collection":            module(section(1, 1, 0x5f, 0)),
		"typed function references":     module(section(1, 1, 0x60, 1, 0x64, 0, 0)),
		"multiple memories":             module(section(5, 1, 0, 1), section(11, 1, 2, 1, 0x41, 0, 0x0b, 0)),
		"memory64":                      module(section(4, 1, 0x70, 4, 1)),
		"an import of pintle/meter":     module(section(1, 1, 0x60, 0, 0), section(2, append([]byte{1, 12}, "pintle/meter\x01x\x00\x00"...)...)),
		`export "$pintle.x"`:            module(section(5, 1, 0, 1), section(7, append([]byte{1, 9}, "$pintle.x\x02\x00"...)...)),
	} {
		_, err := instrument(file)
		var unsupported *wasmbin.UnsupportedError
		require.ErrorAs(t, err, &unsupported, what)
		assert.Contains(t, err.Error(), what)
	}
}

// Bounds on code, each at its edge.
func TestCodeLimits(t *testing.T) {
	limits := wasmbin.DefaultLimits()
	limits.Blocks, limits.Loops, limits.Nesting, limits.BranchTargets, limits.StackValues = 4, 2, 3, 2, 5
	block, loop, end := []byte{0x02, 0x40}, []byte{0x03, 0x40}, []byte{0x0b}
	value, vector, drop := []byte{0x41, 0}, []byte{0x20, 4}, []byte{0x1a}
	times := bytes.Repeat
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	read := func(code []byte) error {
		m, err := wasmbin.Parse(world(code...), limits)
		require.NoError(t, err)
		_, err = m.Instrument()
		return err
	}
	for what, test := range map[string]struct{ fits, breaks []byte }{
		"blocks of function 1: 5, at most 4":        {times(join(block, end), 4), times(join(block, end), 5)},
		"loops of function 1: 3, at most 2":         {times(join(loop, end), 2), times(join(loop, end), 3)},
		"nested blocks of function 1: 4, at most 3": {join(times(block, 3), times(end, 3)), join(times(block, 4), times(end, 4))},
		"labels of br_table in function 1: 3, at most 2": {
			join(value, []byte{0x0e, 2, 0, 0, 0}), join(value, []byte{0x0e, 3, 0, 0, 0, 0})},
		"operands on the stack of function 1: 6, at most 5": {
			join(times(value, 3), vector, times(drop, 4)), join(times(value, 4), vector, times(drop, 5))},
	} {
		assert.NoError(t, read(test.fits), what)
		var limit *wasmbin.LimitError
		require.ErrorAs(t, read(test.breaks), &limit, what)
		assert.Contains(t, limit.Error(), what)
	}
	assert.NoError(t, read(times(join(block, vector, vector, []byte{0x00}, end), 3)), "what is left where code ends is gone")
}

// Constants and segments of every form are read to their end, and checked.
func TestSegments(t *testing.T) {
	zero, null := []byte{0x41, 0, 0x0b}, []byte{1, 0xd0, 0x70, 0x0b}
	types := section(1, 1, 0x60, 0, 0)
	imports := section(2, counted([]byte{1, 'm', 1, 'g', 3, 0x7f, 0}, []byte{1, 'm', 1, 'v', 3, 0x7f, 1})...)
	functions, code := section(3, 1, 0), section(10, 1, 2, 0, 0x0b)
	tables := section(4, counted([]byte{0x70, 0, 1}, []byte{0x70, 0, 1}, []byte{0x6f, 0, 1})...)
	memory := section(5, 1, 0, 1)
	globals := func(of byte, init ...byte) []byte {
		return module(types, imports, functions, section(6, append(append([]byte{1, of, 0}, init...), 0x0b)...), code)
	}
	elements := func(segments ...[]byte) []byte {
		return module(types, imports, functions, tables, section(9, counted(bytes.Join(segments, nil))...), code)
	}
	data := func(segments ...[]byte) []byte {
		return module(types, imports, functions, memory, code, section(11, counted(bytes.Join(segments, nil))...))
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"i32":                 {globals(0x7f, 0x41, 0x7f), ""},
		"i64":                 {globals(0x7e, 0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), ""},
		"f32":                 {globals(0x7d, 0x43, 1, 2, 3, 4), ""},
		"f64":                 {globals(0x7c, 0x44, 1, 2, 3, 4, 5, 6, 7, 8), ""},
		"v128":                {globals(0x7b, append([]byte{0xfd, 12}, make([]byte, 16)...)...), ""},
		"imported global":     {globals(0x7f, 0x23, 0), ""},
		"ref.func":            {globals(0x70, 0xd2, 0), ""},
		"ref.null":            {globals(0x6f, 0xd0, 0x6f), ""},
		"other type":          {globals(0x7e, 0x41, 0), "constant of global is i32 and not i64"},
		"mutable global":      {globals(0x7f, 0x23, 1), "global 1, which is mutable"},
		"own global":          {globals(0x7f, 0x23, 2), "global 2, 2 are imported"},
		"no such function":    {globals(0x70, 0xd2, 1), "function 1 of 1"},
		"other reference":     {globals(0x6f, 0xd2, 0), "funcref and not externref"},
		"mutability":          {module(section(6, 1, 0x7f, 2, 0x41, 0, 0x0b)), "unknown mutability 2"},
		"elements 0":          {elements([]byte{0}, zero, []byte{1, 0}), ""},
		"elements 1":          {elements([]byte{1, 0, 1, 0}), ""},
		"elements 2":          {elements([]byte{2, 1}, zero, []byte{0, 1, 0}), ""},
		"elements 3":          {elements([]byte{3, 0, 1, 0}), ""},
		"elements 4":          {elements([]byte{4}, zero, null), ""},
		"elements 5":          {elements([]byte{5, 0x70}, null), ""},
		"elements 6":          {elements([]byte{6, 1}, zero, []byte{0x70}, null), ""},
		"elements 7":          {elements([]byte{7, 0x70}, null), ""},
		"element's kind":      {elements([]byte{1, 1, 0}), "unknown kind 1 of element segment"},
		"elements of numbers": {elements([]byte{5, 0x7f, 0}), "element segment of i32"},
		"no such table":       {elements([]byte{2, 3}, zero, []byte{0, 0}), "table 3 of 3"},
		"table of other type": {elements([]byte{2, 2}, zero, []byte{0, 0}), "funcref for a table of externref"},
		"offset of i64":       {elements([]byte{0, 0x42, 0, 0x0b, 0}), "i64 and not i32"},
		"no such element":     {elements([]byte{1, 0, 1, 1}), "function 1 of 1"},
		"data 0":              {data([]byte{0}, zero, []byte{1, 9}), ""},
		"data 1":              {data([]byte{1, 1, 9}), ""},
		"data 2":              {data([]byte{2, 0}, zero, []byte{1, 9}), ""},
		"data at a global":    {data([]byte{0, 0x23, 0, 0x0b, 1, 9}), ""},
		"no memory":           {module(section(11, counted([]byte{0, 0x41, 0, 0x0b, 0})...)), "data segment without a memory"},
		"data count":          {module(memory, section(12, 2), section(11, 1, 1, 0)), "2 data segments announced, there are 1"},
		"no data count":       {module(types, functions, memory, section(10, 1, 5, 0, 0xfc, 9, 0, 0x0b), section(11, 1, 1, 0)), "data.drop without a data count section"},
		"export of a table":   {module(section(7, 1, 1, 'a', 1, 0)), "names table 0 of 0"},
		"start":               {module(types, functions, section(8, 1), code), "start function 1 of 1"},
		"start with result":   {module(section(1, 1, 0x60, 0, 1, 0x7f), functions, section(8, 0), section(10, 1, 4, 0, 0x41, 0, 0x0b)), "type () -> i32"},
		"loads need a memory": {module(types, functions, section(10, 1, 8, 0, 0x41, 0, 0x28, 0, 0, 0x1a, 0x0b)), "i32.load without a memory"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := instrument(test.file)
			if test.want == "" {
				require.NoError(t, err)
				accepted(t, out.Bytes)
				return
			}
			typed(t, err)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
