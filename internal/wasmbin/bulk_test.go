package wasmbin_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

const (
	pages   = 5
	memory  = pages << 16
	segment = 150_000
	entries = 30_000 // of a table and of a segment of elements
)

// bulkModule exports the instructions for bulk memory and tables under their names, each a function of
// three numbers, and at (i32) -> i32, which tells whether an entry of the table is null.
func bulkModule() []byte {
	contents := make([]byte, segment)
	for i := range contents {
		contents[i] = byte(i * 7)
	}
	elements := []byte{5, 0x70}
	elements = append(elements, uleb(entries)...)
	for i := range entries {
		if i%3 == 0 {
			elements = append(elements, 0xd0, 0x70, 0x0b)
		} else {
			elements = append(elements, 0xd2, 0, 0x0b)
		}
	}
	operands := []byte{0x20, 0, 0x20, 1, 0x20, 2}
	function := func(code ...byte) []byte { return sized(append(append([]byte{0}, code...), 0x0b)) }
	names := []string{"memory.copy", "memory.fill", "memory.init", "data.drop", "table.copy", "table.init", "table.fill", "table.grow", "at"}
	var exports [][]byte
	for i, name := range names {
		exports = append(exports, append(sized([]byte(name)), 0, byte(i)))
	}
	exports = append(exports, append(sized([]byte("memory")), 2, 0))
	return module(
		section(1, counted([]byte{0x60, 3, 0x7f, 0x7f, 0x7f, 0}, []byte{0x60, 1, 0x7f, 1, 0x7f})...),
		section(3, counted([]byte{0}, []byte{0}, []byte{0}, []byte{0}, []byte{0}, []byte{0}, []byte{0}, []byte{1}, []byte{1})...),
		section(4, counted(append([]byte{0x70, 1}, append(uleb(entries), uleb(entries+10)...)...))...),
		section(5, counted([]byte{1, pages, pages})...),
		section(7, counted(exports...)...),
		section(9, counted(elements)...),
		section(12, 1),
		section(10, counted(
			function(append(bytes.Clone(operands), 0xfc, 10, 0, 0)...),
			function(append(bytes.Clone(operands), 0xfc, 11, 0)...),
			function(append(bytes.Clone(operands), 0xfc, 8, 0, 0)...),
			function(0xfc, 9, 0),
			function(append(bytes.Clone(operands), 0xfc, 14, 0, 0)...),
			function(append(bytes.Clone(operands), 0xfc, 12, 0, 0)...),
			function(0x20, 0, 0xd0, 0x70, 0x20, 2, 0xfc, 17, 0),
			function(0xd0, 0x70, 0x20, 0, 0xfc, 15, 0),
			function(0x20, 0, 0x25, 0, 0xd1),
		)...),
		section(11, counted(append([]byte{1}, sized(contents)...))...),
	)
}

func uleb(n int) []byte {
	var out []byte
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// edges draws numbers around the places where something changes.
func edges(places ...int) *rapid.Generator[uint32] {
	return rapid.Custom(func(t *rapid.T) uint32 {
		return uint32(rapid.SampledFrom(places).Draw(t, "place") + rapid.IntRange(-2, 2).Draw(t, "off"))
	})
}

// Instructions for bulk memory do what they always did, whole or not at all, whatever the length.
func TestBulkMemory(t *testing.T) {
	m := newMachine(t, bulkModule())
	mem, _ := m.mod.Memory().Read(0, memory)
	contents := make([]byte, segment)
	for i := range contents {
		contents[i] = byte(i * 7)
	}
	for i := range mem {
		mem[i] = byte(i * 5)
	}
	lengths := edges(0, 3, 1_024, 1<<16, 2<<16, 3<<16, memory, segment, 1<<31, 0)
	places := edges(0, 100, 1<<16, 2<<16, memory/2, memory-1_024, memory-1<<16, memory, 1<<31, 0)
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom([]string{"memory.copy", "memory.fill", "memory.init"}).Draw(rt, "op")
		to, from, n := places.Draw(rt, "to"), places.Draw(rt, "from"), lengths.Draw(rt, "n")
		source := uint64(memory)
		if op == "memory.init" {
			source = segment
			from = rapid.OneOf(edges(0, 1<<16, segment-1<<16, segment), places).Draw(rt, "from")
		}
		want := bytes.Clone(mem)
		fits := uint64(to)+uint64(n) <= memory && (op == "memory.fill" || uint64(from)+uint64(n) <= source)
		if fits {
			switch op {
			case "memory.copy":
				copy(want[to:to+n], mem[from:from+n])
			case "memory.fill":
				for i := range n {
					want[to+i] = byte(from)
				}
			case "memory.init":
				copy(want[to:to+n], contents[from:from+n])
			}
		}
		_, used, err := m.call(op, uint64(to), uint64(from), uint64(n))
		if fits != (err == nil) || err != nil && !bytes.Contains([]byte(err.Error()), []byte("out of bounds memory access")) {
			rt.Fatalf("%s %d %d %d: %v", op, to, from, n, err)
		}
		if !bytes.Equal(want, mem) {
			rt.Fatalf("%s %d %d %d: memory is another one", op, to, from, n)
		}
		if fits && (used < int64(n)/32 || used > int64(n)/32+500) {
			rt.Fatalf("%s of %d bytes uses %d units", op, n, used)
		}
	})
	_, _, err := m.call("data.drop", 0, 0, 0)
	require.NoError(t, err)
	for _, n := range []uint64{0, 1, 1 << 17} {
		_, _, err = m.call("memory.init", 0, 0, n)
		assert.Equal(t, n == 0, err == nil, n)
	}
}

// What is out of bounds by one at its end changes nothing, though whole pieces of it would fit.
func TestBulkTrapsBeforeItWrites(t *testing.T) {
	const n, rows = 2<<16 + 100, 20_000
	for _, test := range []struct {
		op       string
		to, from uint64
		n        uint64
	}{
		{"memory.copy", memory - n + 1, 0, n}, {"memory.copy", 0, memory - n + 1, n}, {"memory.copy", memory - n + 1, 100, n},
		{"memory.copy", 1<<32 - 100, 0, n}, {"memory.copy", 0, 1<<32 - 100, n},
		{"memory.fill", memory - n + 1, 7, n}, {"memory.fill", 1<<32 - 100, 7, n},
		{"memory.init", memory - n + 1, 0, n}, {"memory.init", 0, segment - n + 1, n}, {"memory.init", 0, 1<<32 - 100, n},
		{"table.copy", entries - rows + 1, 0, rows}, {"table.copy", 0, entries - rows + 1, rows},
		{"table.fill", entries - rows + 1, 0, rows},
		{"table.init", entries - rows + 1, 0, rows}, {"table.init", 0, entries - rows + 1, rows}, {"table.init", 0, 1<<32 - 100, rows},
	} {
		m := newMachine(t, bulkModule())
		mem, _ := m.mod.Memory().Read(0, memory)
		for i := range mem {
			mem[i] = byte(i * 5)
		}
		if test.op == "table.copy" || test.op == "table.fill" {
			_, _, err := m.call("table.init", 0, 0, entries)
			require.NoError(t, err)
		}
		state := func() (null []uint64) {
			for i := range uint64(entries / 100) {
				isNull, _, err := m.call("at", i*100)
				require.NoError(t, err)
				null = append(null, isNull...)
			}
			return null
		}
		was, table := bytes.Clone(mem), state()
		_, _, err := m.call(test.op, test.to, test.from, test.n)
		require.Error(t, err, test)
		assert.Equal(t, table, state(), test)
		assert.True(t, bytes.Equal(was, mem), test)
	}
}

// Each piece is charged before it is done: with the fuel of half of it, half of it is done.
func TestBulkStopsBetweenPieces(t *testing.T) {
	m := newMachine(t, bulkModule())
	mem, _ := m.mod.Memory().Read(0, memory)
	m.slice, m.most = 3_000, 2
	_, err := m.sliced("memory.fill", 0, 1, memory)
	require.ErrorIs(t, err, errFuel)
	done := bytes.Count(mem, []byte{1})
	assert.Equal(t, 1<<16, done)
}

func TestBulkTables(t *testing.T) {
	m := newMachine(t, bulkModule())
	null := make([]bool, entries) // the table, as it should be
	for i := range null {
		null[i] = true
	}
	places := edges(0, 100, 8_192, entries/2, entries-8_192, entries, 1<<31, 0)
	lengths := edges(0, 3, 8_192, 16_384, 24_576, entries, 1<<31, 0)
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom([]string{"table.copy", "table.fill", "table.init"}).Draw(rt, "op")
		to, from, n := places.Draw(rt, "to"), places.Draw(rt, "from"), lengths.Draw(rt, "n")
		fits := uint64(to)+uint64(n) <= entries && (op == "table.fill" || uint64(from)+uint64(n) <= entries)
		if fits {
			switch op {
			case "table.copy":
				copy(null[to:to+n], null[from:from+n])
			case "table.fill":
				for i := range n {
					null[to+i] = true
				}
			case "table.init":
				for i := range n {
					null[to+i] = (from+i)%3 == 0
				}
			}
		}
		_, _, err := m.call(op, uint64(to), uint64(from), uint64(n))
		if fits != (err == nil) {
			rt.Fatalf("%s %d %d %d: %v", op, to, from, n, err)
		}
		look := []uint32{to - 1, to, to + n - 1, to + n}
		for i := uint32(0); i < entries; i += 150 {
			look = append(look, i)
		}
		for _, i := range look {
			if i >= entries {
				continue
			}
			if isNull, _, err := m.call("at", uint64(i)); err != nil || isNull[0] == 1 != null[i] {
				rt.Fatalf("entry %d is another one after %s %d %d %d", i, op, to, from, n)
			}
		}
	})
	for _, test := range []struct {
		n    uint64
		want uint64
	}{{0, entries}, {10, entries}, {1, 0xffffffff}, {1 << 31, 0xffffffff}} {
		results, _, err := m.call("table.grow", test.n)
		require.NoError(t, err)
		assert.Equal(t, test.want, results[0], test.n)
	}
}

// Different instructions for bulk memory and tables are bounded in number: each needs a function.
func TestBulkFunctions(t *testing.T) {
	init := func(segments int) error {
		var code []byte
		for i := range segments {
			code = append(append(append(code, 0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 8), uleb(i)...), 0)
		}
		_, err := instrument(module(section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(5, 1, 0, 1),
			section(12, uleb(segments)...),
			section(10, counted(sized(append(append([]byte{1, 1, 0x7f}, code...), 0x0b)))...),
			section(11, append(uleb(segments), bytes.Repeat([]byte{1, 0}, segments)...)...)))
		return err
	}
	require.NoError(t, init(1_000))
	var limit *wasmbin.LimitError
	require.ErrorAs(t, init(1_001), &limit)
}
