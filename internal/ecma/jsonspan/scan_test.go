package jsonspan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents are seeds and table in one: valid and broken ones of every kind of fault.
var documents = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `nulls`, `tru e`, `None`, `[]`, `{}`, `[ ]`, `{ }`, ` [1 , 2] `, "\t{\r\n\"a\" : 1}",
	`0`, `-0`, `00`, `01`, `-`, `-a`, `1.`, `.5`, `1.5`, `1e`, `1e+`, `1E-05`, `1e5.5`, `+1`, `0x1`, `1_0`, `NaN`, `-Infinity`,
	`12345678901234567890123`, `1 2`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `[`, `]`, `{`, `}`, `[}`, `{]`, `{"a"}`, `{"a":}`, `{"a":1,}`,
	`{,}`, `{a:1}`, `{"a":1 "b":2}`, `{"a" "b"}`, `{1:2}`, `{"a":1}}`, `{"a":{"b":[{"c":null}]}}`, `[[],[[]],{}]`, `[[1],[2,3]`,
	`"`, `"a`, `"a\`, `"a\"`, `""`, `"\u"`, `"\u12"`, `"\u12g4"`, `"\u12345"`, `"\uD83D\uDE00"`, `"\ud800"`, `"\ud800\ud800\udc00"`,
	`"\udc00\ud800"`, `"\ud800A"`, `"\ud800\n"`, `"\x"`, `"\'"`, `"\/\\\"\b\f\n\r\t"`, "\"a\nb\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"",
	"\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", "\"\u2028é😀\"", "\ufeff{}", "{}\x00", `"` + strings.Repeat("x", 100) + `"`,
	`"` + strings.Repeat("x", 31) + `\n` + strings.Repeat("y", 33) + "\x01\"", `"` + strings.Repeat(`\\`, 20) + `"`,
	`{"a":1,"a":2,"\u0061":3}`, `{"":0}`, "{\"\xff\":1}", strings.Repeat("[", 70) + strings.Repeat("]", 70),
	strings.Repeat(`{"a":[`, 70) + strings.Repeat("]}", 70), strings.Repeat("[", 64) + "}" + strings.Repeat("]", 63),
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, d := range documents {
		checkValid(t, []byte(d))
	}
}

func FuzzValid(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkValid(t, data) })
}

func checkValid(t *testing.T, data []byte) {
	t.Helper()
	want := json.Valid(data)
	require.Equal(t, want, Valid(data), "%q", data)
	for levels := range 4 {
		d, err := Scan(data, levels)
		require.Equal(t, want, err == nil, "%q at %d levels: %v", data, levels, err)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.LessOrEqual(t, syntax.Offset, len(data))
			require.GreaterOrEqual(t, syntax.Offset, 0)
			continue
		}
		checkTree(t, d.Root(), data, 0)
	}
	if !want {
		Equal(data, data) // must come back, whatever it answers
		return
	}
	require.True(t, Equal(data, data))
	if strings.Contains(string(data), `\u`) { // lone surrogates are equal only to themselves
		return
	}
	var compact strings.Builder
	require.NoError(t, json.NewEncoder(&compact).Encode(json.RawMessage(data)))
	require.True(t, Equal(data, []byte(compact.String())), "%q %q", data, compact.String())
}

// checkTree compares a value and its parts with what encoding/json reads, walking to the depth that tests need.
func checkTree(t *testing.T, n Node, data []byte, depth int) {
	t.Helper()
	raw := n.Raw()
	require.True(t, json.Valid(raw), "%q", raw)
	if depth == 6 {
		return
	}
	switch n.Kind() {
	case String:
		var want string
		require.NoError(t, json.Unmarshal(raw, &want))
		got, ok := n.Text()
		require.True(t, ok)
		require.Equal(t, want, got, "%q", raw)
		require.Equal(t, len(raw)-1, Offset(raw, len(got)))
		require.Equal(t, 1, Offset(raw, 0))
		if !strings.ContainsRune(got, '\ufffd') {
			require.True(t, n.Is(got))
		}
	case Array:
		var want []json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &want))
		c := n.First()
		for i := range want {
			require.Equal(t, string(want[i]), string(c.Raw()))
			checkTree(t, c, data, depth+1)
			c = c.Next()
		}
		require.Equal(t, Absent, c.Kind())
	case Object:
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &want))
		keys := map[string]int{}
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		_, err := dec.Token()
		require.NoError(t, err)
		for c := n.First(); c.Kind() != Absent; c = c.Next() {
			token, err := dec.Token()
			require.NoError(t, err)
			require.Equal(t, token, c.Key())
			var value json.RawMessage
			require.NoError(t, dec.Decode(&value))
			require.Equal(t, string(value), string(c.Raw()))
			keys[c.Key()]++
			checkTree(t, c, data, depth+1)
		}
		require.False(t, dec.More())
		for key, count := range keys {
			if strings.ContainsRune(key, '\ufffd') {
				continue // several different keys may decode to this
			}
			m, unique := n.Member(key)
			require.Equal(t, string(want[key]), string(m.Raw()))
			require.Equal(t, count == 1, unique)
		}
	}
}

func TestDepthLimit(t *testing.T) {
	for _, pair := range [][2]string{{"[", "]"}, {`{"k":`, "}"}} {
		inner := "1"
		if pair[0] == "[" {
			inner = ""
		}
		for extra, want := range []bool{true, false} {
			n := MaxDepth + extra
			doc := []byte(strings.Repeat(pair[0], n) + inner + strings.Repeat(pair[1], n))
			assert.Equal(t, want, Valid(doc))
			assert.Equal(t, want, json.Valid(doc))
			for _, levels := range []int{0, 1, 100, MaxDepth, MaxDepth + 5} {
				_, err := Scan(doc, levels)
				assert.Equal(t, want, err == nil, "%d levels", levels)
			}
		}
	}
	_, err := Scan([]byte(strings.Repeat("[", 1<<20)), 1<<20)
	assert.Error(t, err)
	assert.False(t, Valid([]byte(strings.Repeat(`[{"a":`, 1<<20))))
}

func TestSyntaxErrorNamesThePlace(t *testing.T) {
	for doc, at := range map[string]int{`{"a":1,}`: 7, `[1,2`: 4, `{"a":tru}`: 5, `1 x`: 2, ``: 0, "\"a\nb\"": 2, `[1}`: 2} {
		_, err := Scan([]byte(doc), 1)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, doc)
		assert.Equal(t, at, syntax.Offset, doc)
	}
}

func TestAbsentNode(t *testing.T) {
	var n Node
	assert.Equal(t, Absent, n.Kind())
	assert.Equal(t, Span{}, n.Span())
	assert.Equal(t, Span{}, n.KeySpan())
	assert.Empty(t, n.Raw())
	assert.Nil(t, n.RawKey())
	assert.Empty(t, n.Key())
	assert.Equal(t, Absent, n.First().Kind())
	assert.Equal(t, Absent, n.Next().Kind())
	m, unique := n.Member("x")
	assert.Equal(t, Absent, m.Kind())
	assert.True(t, unique)
	_, ok := n.Text()
	assert.False(t, ok)
	assert.False(t, n.Is(""))
}

func TestMemberKeysAreComparedUnescaped(t *testing.T) {
	d, err := Scan([]byte(`{"\u0072ole":"\u0064ev","x":[{"y":"\ud83d\ude00"}]}`), 0)
	require.NoError(t, err)
	role, unique := d.Root().Member("role")
	assert.True(t, unique)
	assert.True(t, role.Is("dev"))
	assert.False(t, role.Is("device"))
	assert.False(t, role.Is("de"))
	x, _ := d.Root().Member("x")
	y, _ := x.First().Member("y")
	assert.True(t, y.Is("😀"))
	missing, unique := d.Root().Member("y")
	assert.Equal(t, Absent, missing.Kind())
	assert.True(t, unique)
}

func TestOffset(t *testing.T) {
	raw := []byte(`"a\n\u00e9\ud83d\ude00\ud800z"`)
	text := Text(raw)
	assert.Equal(t, "a\né😀\ufffdz", text)
	for _, c := range []struct {
		n    int
		rest string
	}{{0, `a\n\u00e9\ud83d\ude00\ud800z"`}, {1, `\n\u00e9\ud83d\ude00\ud800z"`}, {2, `\u00e9\ud83d\ude00\ud800z"`},
		{4, `\ud83d\ude00\ud800z"`}, {8, `\ud800z"`}, {11, `z"`}, {12, `"`}, {99, `"`}} {
		assert.Equal(t, c.rest, string(raw[Offset(raw, c.n):]), "%d", c.n)
	}
}
