package sourcemap

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func parse(t require.TestingT, sources []string, mappings string) *Map {
	text, err := json.Marshal(map[string]any{"version": 3, "sources": sources, "mappings": mappings, "names": []string{}})
	require.NoError(t, err)
	m, err := Parse(string(text))
	require.NoError(t, err)
	return m
}

// What esbuild makes of two files, checked by hand.
func TestLocate(t *testing.T) {
	// line 1: nothing; line 2: column 2 → a.ts 1:1, column 10 → b.ts 3:5, column 14 → no source; line 3: column 0 → b.ts 4:1
	m := parse(t, []string{"a.ts", "b.ts"}, ";EAAA,QCEI,I;AACJ")
	for p, want := range map[Position]Place{
		{2, 3}: {"a.ts", 1, 1}, {2, 10}: {"a.ts", 1, 1}, {2, 11}: {"b.ts", 3, 5}, {2, 14}: {"b.ts", 3, 5},
		{3, 1}: {"b.ts", 4, 1}, {3, 1000}: {"b.ts", 4, 1},
		{1, 1}: {}, {2, 2}: {}, {2, 15}: {}, {4, 1}: {}, {0, 1}: {}, {2, 0}: {}, {-1, -1}: {},
	} {
		assert.Equal(t, want, m.Locate(p), p)
	}
}

func TestSources(t *testing.T) {
	m, err := Parse(`{"version":3,"sourceRoot":"src/","sources":["a.ts",null,"` + strings.Repeat("x", 300) + `"],"mappings":"AAAA,CCAA,CCAA,CCAA"}`)
	require.NoError(t, err)
	assert.Equal(t, Place{"src/a.ts", 1, 1}, m.Locate(Position{1, 1}))
	for column := range 4 {
		assert.Zero(t, m.Locate(Position{1, 2 + column}), "no name, a name that is too long, no such source")
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "source map: unexpected end",
		`[]`:                            "source map: it is no JSON object",
		`{"version":2,"mappings":""}`:   "its version is 2 instead of 3",
		`{"version":3}`:                 "it has no mappings",
		`{"version":3,"sections":[]}`:   "it is made of sections",
		`{"version":3,"mappings":1}`:    `"mappings" is of another type (number)`,
		`{"version":3,"sources":"a"}`:   `"sources" is of another type (string)`,
		`{"version":3,"mappings":null}`: "it has no mappings",
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
}

// What comes before a fault is known, and nothing behind it.
func TestFaults(t *testing.T) {
	for _, fault := range []string{"!", "AA", "AAA", "AAAAAA", "g", "ggggggggA", "D", "ADAA", "AADA", "AAAD", "+/////H", "é"} {
		m := parse(t, []string{"a.ts"}, "AAAA;"+fault+";AAAA")
		assert.Equal(t, Place{"a.ts", 1, 1}, m.Locate(Position{1, 1}), fault)
		assert.Zero(t, m.Locate(Position{2, 1}), fault)
		assert.Zero(t, m.Locate(Position{3, 1}), fault)
		assert.True(t, m.Useful())
		assert.False(t, parse(t, []string{"a.ts"}, fault+";AAAA").Useful(), fault)
	}
}

func appendNumber(dst []byte, n int) []byte {
	v := uint64(n) << 1
	if n < 0 {
		v = uint64(-n)<<1 | 1
	}
	for {
		digit := v & 31
		if v >>= 5; v > 0 {
			digit |= 32
		}
		dst = append(dst, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[digit])
		if v == 0 {
			return dst
		}
	}
}

// Every segment of a map that was written is found again, also where there are many marks.
func TestLocateFindsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var mappings []byte
		want := map[Position]Place{}
		last := Place{"0", 1, 1}
		source := 0
		for line := range rapid.IntRange(1, 60).Draw(t, "lines") {
			if line > 0 {
				mappings = append(mappings, ';')
			}
			column := 0
			for i := range rapid.IntRange(0, 60).Draw(t, "segments") {
				if i > 0 {
					mappings = append(mappings, ',')
				}
				step := rapid.IntRange(1, 1<<10).Draw(t, "step")
				p := Place{"", rapid.IntRange(1, 1<<20).Draw(t, "line"), rapid.IntRange(1, 1<<20).Draw(t, "column")}
				next := rapid.IntRange(0, 9).Draw(t, "source")
				p.Source = fmt.Sprint(next)
				mappings = appendNumber(mappings, step)
				mappings = appendNumber(mappings, next-source)
				mappings = appendNumber(mappings, p.Line-last.Line)
				mappings = appendNumber(mappings, p.Column-last.Column)
				column, source, last = column+step, next, p
				want[Position{line + 1, column + 1}] = p
			}
		}
		m := parse(t, strings.Split("0123456789", ""), string(mappings))
		for p, place := range want {
			assert.Equal(t, place, m.Locate(p), p)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`{"version":3,"sources":["a.ts","b.ts"],"mappings":";EAAA,QCEI,I;AACJ"}`, 2, 11)
	f.Add(`{"version":3,"sourceRoot":"/","sources":[null],"mappings":"AAAA"}`, 1, 1)
	f.Add(`{"version":3,"sources":[],"mappings":",,;;DDDD"}`, 3, 1<<30)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		p := m.Locate(Position{line, column})
		if p != (Place{}) && (p.Source == "" || p.Line < 1 || p.Column < 1) {
			t.Fatal(p)
		}
	})
}

// Asking costs no more in a map that is ten times as large.
func BenchmarkLocate(b *testing.B) {
	for _, lines := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			m := parse(b, []string{"a.ts"}, strings.Repeat("AACA,CAAC;", lines))
			for b.Loop() {
				m.Locate(Position{lines - 1, 2})
			}
		})
	}
}

func ExampleMap_Locate() {
	m, err := Parse(`{"version":3,"sources":["src/index.ts"],"mappings":"AAAA;EAWI"}`)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Locate(Position{Line: 2, Column: 7}))
	// Output: {src/index.ts 12 5}
}

// The root counts for the length of a name, and makes no name where there is none.
func TestSourceRoot(t *testing.T) {
	locate := func(root, source string) Place {
		text, err := json.Marshal(map[string]any{"version": 3, "sourceRoot": root, "sources": []string{source}, "mappings": "AAAA"})
		require.NoError(t, err)
		m, err := Parse(string(text))
		require.NoError(t, err)
		place := m.Locate(Position{1, 1})
		assert.Equal(t, place != Place{}, m.Useful(), "a map without a name is of no use")
		return place
	}
	assert.Equal(t, Place{strings.Repeat("x", maxSource), 1, 1}, locate(strings.Repeat("x", 200), strings.Repeat("x", maxSource-200)))
	assert.Zero(t, locate(strings.Repeat("x", 200), strings.Repeat("x", maxSource-200+1)))
	assert.Zero(t, locate("src/", ""))
}
