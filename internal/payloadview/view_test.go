package payloadview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// adapterOf makes what a manifest says of an adapter from JSON, checked as a manifest is.
func adapterOf(view, write string) (*abi.Adapter, error) {
	a := abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: "a", APIs: []string{"x"}}
	if err := json.Unmarshal([]byte(view), &a.View); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(write), &a.Write); err != nil {
		return nil, err
	}
	m := abi.Manifest{Transport: 1, ID: "m", Version: "1", Adapters: []abi.Adapter{a}}
	return &a, m.Validate()
}

func diagnose(t require.TestingT, b []byte) string {
	s, err := cbor.Diagnose(b)
	require.NoError(t, err)
	return s
}

// checkView compares a scan with the oracle.
func checkView(t require.TestingT, a *abi.Adapter, doc []byte) *View {
	v, err := Compile(a.View, a.Write).Scan(doc)
	if !utf8.Valid(doc) || !jsonspan.Valid(doc) {
		require.Error(t, err)
		return nil
	}
	want, wrong := wantView(a.View, a.Write, parseTree(doc))
	if wrong != nil {
		require.Error(t, err, "%s", doc)
		if wrong == ErrTooLarge {
			require.ErrorIs(t, err, wrong)
		}
		return nil
	}
	require.NoError(t, err, "%s", doc)
	if v == nil { // nothing can be found
		require.Equal(t, "[]", diagnose(t, want))
		require.False(t, leadsInto(a, doc[jsonspan.SkipSpace(doc, 0)]))
		return nil
	}
	require.True(t, leadsInto(a, doc[jsonspan.SkipSpace(doc, 0)]))
	require.Equal(t, diagnose(t, want), diagnose(t, v.CBOR()), "%s\n%s", doc, jsonOf(a))
	require.Equal(t, want, v.CBOR())
	return v
}

// leadsInto tells whether a path of the adapter leads into a document that begins like this.
func leadsInto(a *abi.Adapter, first byte) bool {
	paths := slices.Clone(a.Write)
	for _, s := range a.View {
		paths = append(paths, s.Path)
	}
	return slices.ContainsFunc(paths, func(p abi.Path) bool { return p[0].Each && first == '[' || !p[0].Each && first == '{' })
}

func TestViewIsWhatTheSelectorsFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		checkView(t, g.adapter(), g.document())
	})
}

func FuzzView(f *testing.F) {
	f.Add([]byte(`{"input":[{"role":"system","content":"x"},{"role":"user"}],"a":1}`), `[{"path":["input",true],"where":[{"member":"role","equals":"system"}],"members":["content"]}]`, `[["a"]]`)
	f.Add([]byte(`{"input":[{"content":[{"text":"long text"},{"text":""}],"role":"a"}]}`), `[{"path":["input",true,"content",true],"where":[{"of":2,"member":"role","prefix":"a"}],"members":["text"],"clip":3}]`, `[["input",true]]`)
	f.Add([]byte(`[1,[2,3],{"a":null}]`), `[{"path":[true]},{"path":[true,true]},{"path":[true,"a"],"where":[{"of":1,"member":"a","equals":null}]}]`, `[[true]]`)
	f.Fuzz(func(t *testing.T, doc []byte, view, write string) {
		a, err := adapterOf(view, write)
		if err != nil {
			return
		}
		if depth(doc) > 500 {
			return // the oracle recurses
		}
		checkView(t, a, doc)
	})
}

func depth(doc []byte) int { return strings.Count(string(doc), "[") + strings.Count(string(doc), "{") }

func scanned(t *testing.T, view, write, doc string) (*View, error) {
	t.Helper()
	a, err := adapterOf(view, write)
	require.NoError(t, err)
	return Compile(a.View, a.Write).Scan([]byte(doc))
}

func TestView(t *testing.T) {
	for name, c := range map[string]struct{ view, doc, want string }{
		"string":      {`[{"path":["a"]}]`, `{"a":"x\u0041"}`, `[{"at": ["a"], "value": "xA"}]`},
		"clip 0":      {`[{"path":["a"],"clip":0}]`, `{"a":"xyz"}`, `[{"at": ["a"], "value": {"head": "", "tail": "", "bytes": 3}, "clipped": true}]`},
		"clip odd":    {`[{"path":["a"],"clip":3}]`, `{"a":"wxyz"}`, `[{"at": ["a"], "value": {"head": "wx", "tail": "z", "bytes": 4}, "clipped": true}]`},
		"clip even":   {`[{"path":["a"],"clip":4}]`, `{"a":"vwxyz"}`, `[{"at": ["a"], "value": {"head": "vw", "tail": "yz", "bytes": 5}, "clipped": true}]`},
		"clip fits":   {`[{"path":["a"],"clip":4}]`, `{"a":"w\nyz"}`, `[{"at": ["a"], "value": "w\nyz"}]`},
		"clip utf8":   {`[{"path":["a"],"clip":4}]`, `{"a":"é😀é!é"}`, `[{"at": ["a"], "value": {"head": "\u00e9", "tail": "\u00e9", "bytes": 11}, "clipped": true}]`},
		"clip escape": {`[{"path":["a"],"clip":4}]`, `{"a":"\u00e9\ud83d\ude00\u00e9\u0021\n\n"}`, `[{"at": ["a"], "value": {"head": "\u00e9", "tail": "\n\n", "bytes": 11}, "clipped": true}]`},
		"surrogate":   {`[{"path":["a"]}]`, `{"a":"\ud800"}`, `[{"at": ["a"], "value": "\ufffd"}]`},
		"numbers": {`[{"path":["a",true]}]`, `{"a":[-0,18446744073709551615,-9223372036854775808,-9223372036854775809,1.0,1e3,1e999]}`,
			`[{"at": ["a", 0], "value": 0}, {"at": ["a", 1], "value": 18446744073709551615}, {"at": ["a", 2], "value": -9223372036854775808}, ` +
				`{"at": ["a", 3], "value": -9223372036854776000.0}, {"at": ["a", 4], "value": 1.0}, {"at": ["a", 5], "value": 1000.0}, {"at": ["a", 6], "value": Infinity}]`},
		"words":       {`[{"path":["a",true]}]`, `{"a":[true,false,null]}`, `[{"at": ["a", 0], "value": true}, {"at": ["a", 1], "value": false}, {"at": ["a", 2], "value": null}]`},
		"list":        {`[{"path":["a"]}]`, `{"a":[ 1,[2,3] ]}`, `[{"at": ["a"], "value": {"list": 2}}]`},
		"empty list":  {`[{"path":["a"]}]`, `{"a":[ ]}`, `[{"at": ["a"], "value": {"list": 0}}]`},
		"object":      {`[{"path":["a"]}]`, `{"a":{"b":1}}`, `[{"at": ["a"], "value": {"object": {}}}]`},
		"members":     {`[{"path":["a"],"members":["long","b","c"]}]`, `{"a":{"long":[1,2],"c":{"x":1},"b":null,"d":1}}`, `[{"at": ["a"], "value": {"object": {"b": null, "c": {"object": {}}, "long": {"list": 2}}}}]`},
		"escaped key": {`[{"path":["a"],"members":["b"]}]`, `{"\u0061":{"\u0062":1}}`, `[{"at": ["a"], "value": {"object": {"b": 1}}}]`},
		"top list":    {`[{"path":[true],"members":["a"]}]`, `[{"a":1},2]`, `[{"at": [0], "value": {"object": {"a": 1}}}, {"at": [1], "value": 2}]`},
		"no match":    {`[{"path":["a","b"]},{"path":["a",true]}]`, `{"a":"x","b":1}`, `[]`},
		"in order": {`[{"path":["b",true],"members":[]},{"path":["a"]},{"path":["b",true]}]`, `{"b":[1,2],"a":3}`,
			`[{"at": ["b", 0], "value": 1}, {"at": ["b", 1], "value": 2}, {"at": ["a"], "value": 3}, {"at": ["b", 0], "value": 1}, {"at": ["b", 1], "value": 2}]`},
		"filter behind": {`[{"path":["m",true,"c",true],"where":[{"of":2,"member":"r","equals":"s"}]}]`, `{"m":[{"c":[1],"r":"s"},{"c":[2],"r":"u"},{"r":"s","c":[3]},{"c":[4]},5]}`,
			`[{"at": ["m", 0, "c", 0], "value": 1}, {"at": ["m", 2, "c", 0], "value": 3}]`},
		"filter of top":  {`[{"path":["a"],"where":[{"of":0,"member":"model","prefix":"gpt-"}]}]`, `{"a":1,"model":"gpt-5"}`, `[{"at": ["a"], "value": 1}]`},
		"filter fails":   {`[{"path":["a"],"where":[{"of":0,"member":"model","suffix":"-5"},{"of":0,"member":"x","equals":1}]}]`, `{"a":1,"model":"gpt-5"}`, `[]`},
		"filter numbers": {`[{"path":[true],"where":[{"member":"n","equals":1}],"members":["i"]}]`, `[{"n":1.0,"i":0},{"n":10e-1,"i":1},{"n":"1","i":2},{"n":[1],"i":3}]`, `[{"at": [0], "value": {"object": {"i": 0}}}, {"at": [1], "value": {"object": {"i": 1}}}]`},
		"filter scalar":  {`[{"path":["a",true],"where":[{"member":"n","equals":1}]}]`, `{"a":[1,"n",null]}`, `[]`},
	} {
		v, err := scanned(t, c.view, `[["w"]]`, c.doc)
		if assert.NoError(t, err, name) {
			assert.Equal(t, c.want, diagnose(t, v.CBOR()), name)
		}
	}
}

// A document into which no path leads is not looked at any further, but checked.
func TestTopOfAnotherKind(t *testing.T) {
	for _, doc := range []string{`[{"a":1}]`, `"a"`, ` 1 `, `null`} {
		v, err := scanned(t, `[{"path":["a"]}]`, `[["w",true]]`, doc)
		assert.NoError(t, err)
		assert.Nil(t, v, doc)
	}
	v, err := scanned(t, `[{"path":["a"]}]`, `[[true]]`, `[{"a":1}]`)
	assert.NoError(t, err)
	assert.NotNil(t, v, "there is something to write")
	_, err = scanned(t, `[{"path":["a"]}]`, `[["w"]]`, `[1,]`)
	assert.ErrorIs(t, err, ErrNotJSON)
}

func TestFaults(t *testing.T) {
	const view = `[{"path":["input",true],"where":[{"member":"role","equals":"s"}],"members":["text"]}]`
	for _, c := range []struct {
		doc string
		err error
		say string
	}{
		{``, ErrNotJSON, "unexpected input at byte 0"},
		{`{"input":[1,]}`, ErrNotJSON, "unexpected input at byte 12"},
		{`{"x":{"y":[1 2]}}`, ErrNotJSON, "unexpected input at byte 13"},
		{`{} x`, ErrNotJSON, "unexpected input at byte 3"},
		{`{"input":[{"role":"s"`, ErrNotJSON, "unexpected input at byte 21"},
		{"{\"x\":\"\xff\"}", ErrNotJSON, "it is not UTF-8"},
		{`{"x":"\x"}`, ErrNotJSON, "unexpected input at byte 7"},
		{`{"input":1,"input":2}`, ErrDuplicate, `[] has the member ["input"] twice`},
		{`{"input":1,"\u0069nput":2}`, ErrDuplicate, `[] has the member ["input"] twice`},
		{`{"w":1,"w":2}`, ErrDuplicate, `[] has the member ["w"] twice`},
		{`{"w":{"v":1,"v":[]}}`, ErrDuplicate, `["w"] has the member ["v"] twice`},
		{`{"input":[0,{"role":"s","role":"u"}]}`, ErrDuplicate, `["input",1] has the member ["role"] twice`},
		{`{"input":[{"text":1,"text":2}]}`, ErrDuplicate, `["input",0] has the member ["text"] twice`},
		{`{"x":1,"x":2,"input":[{"z":1,"z":2,"role":"s"}]}`, nil, ""}, // nobody asked for them
		{`{"w":{"v":{"a":1,"a":1}}}`, nil, ""},
		{strings.Repeat("[", 10_001), ErrNotJSON, "unexpected input at byte 10000"},
	} {
		_, err := scanned(t, view, `[["w","v"]]`, c.doc)
		if c.err == nil {
			assert.NoError(t, err, c.doc)
			continue
		}
		assert.ErrorIs(t, err, c.err, c.doc)
		assert.ErrorContains(t, err, c.say, c.doc)
	}
}

// A document may nest as deep as anywhere else, on the paths and beside them.
func TestDepth(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, view := range []string{`[{"path":["x"]}]`, `[{"path":[true,true]}]`, `[{"path":[true,true,true],"where":[{"member":"a","equals":1}]}]`} {
		_, err := scanned(t, view, `[["w"]]`, deep(10_000))
		assert.NoError(t, err)
		_, err = scanned(t, view, `[["w"]]`, deep(10_001))
		assert.ErrorIs(t, err, ErrNotJSON)
	}
	_, err := scanned(t, `[{"path":["a",true,"b"]}]`, `[["w"]]`, `{"a":[{"b":`+deep(9_997)+`}]}`)
	assert.NoError(t, err)
	_, err = scanned(t, `[{"path":["a",true,"b"]}]`, `[["w"]]`, `{"a":[{"b":`+deep(9_998)+`}]}`)
	assert.ErrorIs(t, err, ErrNotJSON)
}

func TestViewIsBounded(t *testing.T) {
	list := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	_, err := scanned(t, `[{"path":[true]}]`, `[["w"]]`, list(1_024, "1"))
	assert.NoError(t, err)
	_, err = scanned(t, `[{"path":[true]}]`, `[["w"]]`, list(1_025, "1"))
	assert.ErrorIs(t, err, ErrTooLarge)
	_, err = scanned(t, `[{"path":[true]},{"path":[true]}]`, `[["w"]]`, list(513, "1"))
	assert.ErrorIs(t, err, ErrTooLarge, "the selectors' values together")
	text := `"` + strings.Repeat("x", 1_000) + `"`
	v, err := scanned(t, `[{"path":[true]}]`, `[["w"]]`, list(250, text))
	require.NoError(t, err)
	assert.Less(t, len(v.CBOR()), 256<<10)
	_, err = scanned(t, `[{"path":[true]}]`, `[["w"]]`, list(260, text))
	assert.ErrorIs(t, err, ErrTooLarge)
}

// The exact limit: one byte more is too much.
func TestViewSizeToTheByte(t *testing.T) {
	size := func(last int) (int, error) {
		doc := "[" + strings.Repeat(`"`+strings.Repeat("x", 1_000)+`",`, 258) + `"` + strings.Repeat("y", last) + `"]`
		v, err := scanned(t, `[{"path":[true]}]`, `[["w"]]`, doc)
		if err != nil {
			return 0, err
		}
		return len(v.CBOR()), nil
	}
	n, err := size(10)
	require.NoError(t, err)
	room := 256<<10 - n
	require.Positive(t, room)
	require.LessOrEqual(t, 10+room, 1_023, fmt.Sprint(room))
	n, err = size(10 + room)
	require.NoError(t, err)
	assert.Equal(t, 256<<10, n)
	_, err = size(11 + room)
	assert.ErrorIs(t, err, ErrTooLarge)
}
