package jsondiff_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/jsondiff"
	"github.com/pintle-wasm/pintle/internal/payloadview"
)

// applied carries edits out.
func applied(t require.TestingT, doc []byte, edits []adaptersv2.Edit) []byte {
	if len(edits) == 1 && len(edits[0].At) == 0 {
		require.Equal(t, adaptersv2.OpSet, edits[0].Op)
		return edits[0].Value
	}
	view, err := payloadview.Rewriting().Scan(doc)
	require.NoError(t, err)
	plan, err := view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: edits}})
	require.NoError(t, err, "%s\n%v", doc, edits)
	return bytes.Join(plan.Pieces(payloadview.MessagesPart), nil)
}

func check(t require.TestingT, from, to []byte) []adaptersv2.Edit {
	edits := jsondiff.Edits(from, to)
	got := applied(t, from, edits)
	require.True(t, jsonspan.Equal(to, got), "from %s\nto   %s\ngot  %s\n%v", from, to, got, edits)
	for _, e := range edits {
		require.Contains(t, []adaptersv2.Op{adaptersv2.OpSet, adaptersv2.OpInsert, adaptersv2.OpRemove}, e.Op)
	}
	return edits
}

func document(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if depth == 0 || rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			return rapid.SampledFrom([]string{"1", "1.0", "10e-1", "12345678901234567890", "null", "true", `""`, `"a"`, `"\u0061"`, `"\ud800"`, `"b"`, "{}", "[]"}).Draw(t, "scalar")
		}
		list := rapid.SliceOfN(document(depth-1), 0, 5).Draw(t, "items")
		if rapid.Bool().Draw(t, "list") {
			return "[" + strings.Join(list, ",") + "]"
		}
		for i := range list {
			key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"f"`, `"\u0061"`, `"\ud800"`, `""`, `"0"`}).Draw(t, "key")
			list[i] = key + rapid.SampledFrom([]string{":", " : "}).Draw(t, "colon") + list[i]
		}
		return "{" + strings.Join(list, ", ") + "}"
	})
}

// Whatever becomes whatever, the edits lead there.
func TestEditsLeadThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := document(4).Draw(t, "from"), document(4).Draw(t, "to")
		check(t, []byte(from), []byte(to))
		require.Empty(t, jsondiff.Edits([]byte(from), []byte(" "+from+"\n")))
	})
}

func FuzzEdits(f *testing.F) {
	f.Add(`{"a":[1,{"b":2}],"c":1}`, `{"a":[0,1,{"b":3}],"d":1}`)
	f.Add(`[[1],[2],[3]]`, `[[3],[2],[2],[1]]`)
	f.Add(`{"a":1,"a":2}`, `{"a":2,"b":{"\ud800":1}}`)
	f.Fuzz(func(t *testing.T, from, to string) {
		if !jsonspan.Valid([]byte(from)) || !jsonspan.Valid([]byte(to)) {
			jsondiff.Edits([]byte(from), []byte(to)) // it has to end
			return
		}
		if _, err := payloadview.Rewriting().Scan([]byte(from)); err == nil && strings.ToValidUTF8(to, "") == to {
			check(t, []byte(from), []byte(to))
		}
	})
}

func TestWhatIsEqualIsNotTouched(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{"a":1,"b":[1,2]}`, `{"b":[1.0,2],"a":1}`, `set []`}, // another order of keys
		{`{"m":{"a":1,"b":2}}`, `{"m":{"b":2,"a":1}}`, `set ["m"]`},
		{`{"a":1,"b":2}`, `{"a":1,"b":3,"c":4}`, `set ["b"]; set ["c"]`},
		{`{"a":1,"b":2}`, `{"b":2}`, `remove ["a"]`},
		{`{"input":[{"role":"system","content":"x"},{"big":1}]}`,
			`{"input":[{"role":"system","content":"y"},{"role":"developer"},{"role":"developer"},{"big":1}]}`,
			`set ["input",0,"content"]; insert ["input",1]; insert ["input",1]`},
		{`[1,2,3,4]`, `[2,4]`, `remove [0]; remove [2]`},
		{`[]`, `[1]`, `set []`},
		{`{"a":[[1],[2],[3]]}`, `{"a":[[0],[1],[3]]}`, `insert ["a",0]; remove ["a",1]`},
		{`[[[[[[[[[[1]]]]]]]]]]`, `[[[[[[[[[[2]]]]]]]]]]`, `set [0,0,0,0,0,0,0,0]`}, // no deeper
		{`{"n":12345678901234567890}`, `{"n":12345678901234567891}`, `set ["n"]`},
	} {
		var got []string
		for _, e := range check(t, []byte(c.from), []byte(c.to)) {
			got = append(got, fmt.Sprint(e.Op, " ", e.At))
		}
		assert.Equal(t, c.want, strings.Join(got, "; "), "%s → %s", c.from, c.to)
	}
}

// A large payload costs time in proportion and none of its items is set anew.
func TestLargePayloads(t *testing.T) {
	var from, to bytes.Buffer
	from.WriteString(`{"input":[{"role":"system","content":"base"}`)
	to.WriteString(`{"input":[{"role":"system","content":"composed"},{"role":"developer","content":"more"}`)
	for i := range 10_000 {
		item := fmt.Sprintf(`,{"role":"user","content":[{"type":"image","data":%q}],"n":%d}`, strings.Repeat("A", 1000), i%7)
		from.WriteString(item)
		to.WriteString(strings.Replace(item, ":", ": ", 1)) // spelled anew
	}
	from.WriteString(`]}`)
	to.WriteString(`]}`)
	edits := check(t, from.Bytes(), to.Bytes())
	assert.Len(t, edits, 2)
}
