package proof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	for _, bin := range guests(t) {
		require.NoError(t, Check(bin))
	}
}

// replaced returns a module with one section changed. A section that is not there is added in its
// place.
func replaced(t *testing.T, bin []byte, id byte, change func(body []byte) []byte) []byte {
	out := bytes.Clone(bin[:8])
	done := false
	add := func(body []byte) {
		done = true
		if body = change(body); body != nil {
			out = append(binary.AppendUvarint(append(out, id), uint64(len(body))), body...)
		}
	}
	r := reader{data: bin, pos: 8, end: len(bin)}
	for r.more() {
		start := r.pos
		at := r.byte()
		body := r.part()
		switch {
		case at == id:
			add(bin[body.pos:body.end])
			continue
		case at != 0 && sectionRank[at] > sectionRank[id] && !done:
			add(nil)
		}
		out = append(out, bin[start:r.pos]...)
	}
	require.NoError(t, r.err)
	require.True(t, done)
	return out
}

// swap replaces the one place where old stands.
func swap(t *testing.T, old, with string) func([]byte) []byte {
	return func(body []byte) []byte {
		require.Equal(t, 1, bytes.Count(body, []byte(old)), "%q", old)
		return bytes.Replace(body, []byte(old), []byte(with), 1)
	}
}

// more adds an item to a section.
func more(item ...byte) func([]byte) []byte {
	return func(body []byte) []byte {
		if len(body) == 0 {
			body = []byte{0}
		}
		body = append(bytes.Clone(body), item...)
		body[0]++ // fewer than 127 items
		return body
	}
}

// What is wrong outside of code is refused.
func TestOutline(t *testing.T) {
	good := guests(t)[0]
	m, err := parse(good)
	require.NoError(t, err)
	require.NoError(t, m.outline())
	fuel, depth, tick := byte(m.fuel), byte(m.depth), byte(m.tick)
	exported := map[string]byte{}
	for _, e := range m.exports {
		exported[e.name] = byte(e.index)
	}
	name := func(s string, kind, index byte) []byte {
		return append(append([]byte{byte(len(s))}, s...), kind, index)
	}
	var setter byte
	for n := range exported {
		if f := uint32(exported[n]); n[0] == '$' && int(f) >= m.imported && bytes.Contains([]byte(n), []byte("set")) {
			setter = byte(f)
		}
	}
	require.NotZero(t, setter, "%v", exported)

	ticks, grows := string([]byte{byte(m.functions[m.tick])}), string([]byte{byte(m.functions[m.grow])})
	fuelled := "$pintle.fuel\x03" + string([]byte{fuel})
	for what, test := range map[string]struct {
		section byte
		change  func([]byte) []byte
		want    string
	}{
		"start section":            {8, func([]byte) []byte { return []byte{3} }, "start section"},
		"no tick":                  {2, swap(t, "pintle/meter\x04tick", "pintle/mete_\x04tick"), "is not imported"},
		"no grow":                  {2, swap(t, "\x04grow\x00", "\x04gro_\x00"), "is imported"},
		"tick of another type":     {2, swap(t, "\x04tick\x00"+ticks, "\x04tick\x00"+grows), "wrong type"},
		"tick twice":               {2, swap(t, "\x04grow\x00", "\x04tick\x00"), "imported twice"},
		"fuel not exported":        {7, swap(t, "$pintle.fuel", "$pintle.fue_"), "not exported"},
		"depth not exported":       {7, swap(t, "$pintle.depth", "$pintle.dept_"), "not exported"},
		"fuel exported again":      {7, more(name("x", 3, fuel)...), "shows a counter"},
		"depth exported again":     {7, more(name("x", 3, depth)...), "shows a counter"},
		"counters exchanged":       {7, swap(t, fuelled, "$pintle.fuel\x03"+string([]byte{depth})), "not exported"},
		"fuel is another":          {7, swap(t, fuelled, "$pintle.fuel\x03\x00"), "shows a counter"},
		"tick exported":            {7, more(name("x", 0, tick)...), "lets the meter be called"},
		"grow exported":            {7, more(name("x", 0, tick+1)...), "lets the meter be called"},
		"accessor exported":        {7, more(name("x", 0, setter)...), "is for the host"},
		"private export of memory": {7, more(name("$pintle.m", 2, 0)...), "no function and no global"},
		"export of nothing":        {7, more(name("x", 0, 99)...), "is not there"},
		"global not exported":      {7, swap(t, "\x03\x00", "\x03\x01"), "global 0 is mutable and not exported"},
		"tick in a table":          {9, more(1, 0, 1, tick), "is for the host"},
		"grow in a table":          {9, more(3, 0, 1, tick+1), "is for the host"},
		"accessor in a table":      {9, more(5, 0x70, 1, 0xd2, setter, 0x0b), "is for the host"},
		"tick in a global":         {6, more(0x70, 0, 0xd2, tick, 0x0b), "is for the host"},
		"a global without export":  {6, more(i64, 1, 0x42, 0, 0x0b), "is mutable and not exported"},
		"a vector without access":  {6, more(append(append([]byte{v128, 1, 0xfd, 12}, make([]byte, 16)...), 0x0b)...), "has no accessors"},
		"fuel that is there":       {6, swap(t, "\x7e\x01\x42\x00\x0b", "\x7e\x01\x42\x01\x0b"), "no counter"},
		"fuel that cannot change":  {6, swap(t, "\x7e\x01\x42\x00\x0b", "\x7e\x00\x42\x00\x0b"), "no counter"},
		"fuel of another type":     {6, swap(t, "\x7e\x01\x42\x00\x0b", "\x7f\x01\x41\x00\x0b"), "no counter"},
		"two sections":             {7, func(b []byte) []byte { return append(bytes.Clone(b), 0) }, "bytes are left"},
		"no code":                  {10, func([]byte) []byte { return nil }, "have a body"},
	} {
		t.Run(what, func(t *testing.T) {
			err := Check(replaced(t, good, test.section, test.change))
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, e.Error(), test.want)
		})
	}
}

func TestNotAModule(t *testing.T) {
	for name, bin := range map[string][]byte{
		"nothing": nil, "text": []byte("(module)"), "header alone": []byte("\x00asm\x01\x00\x00\x00"),
		"cut off": guests(t)[0][:300],
	} {
		t.Run(name, func(t *testing.T) { require.Error(t, Check(bin)) })
	}
}

// Any bytes are answered, and an error says where.
func FuzzCheck(f *testing.F) {
	for _, bin := range guests(f)[:2] {
		f.Add(bin)
	}
	f.Fuzz(func(t *testing.T, bin []byte) {
		err := Check(bin)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset > len(bin)) {
			t.Fatalf("%v", err)
		}
	})
}
