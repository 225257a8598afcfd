package payloadview

import (
	"encoding/json"
	"errors"
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
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
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
		"clip cuts":   {`[{"path":["a"],"clip":4}]`, `{"a":"😀é"}`, `[{"at": ["a"], "value": {"head": "", "tail": "\u00e9", "bytes": 6}, "clipped": true}]`},
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
		"half a pair": {`[{"path":["\ufffd"]},{"path":["\ufffd","b"]}]`, `{"\ud800":{"b":1}}`, `[]`},
		"top list":    {`[{"path":[true],"members":["a"]}]`, `[{"a":1},2]`, `[{"at": [0], "value": {"object": {"a": 1}}}, {"at": [1], "value": 2}]`},
		"no match":    {`[{"path":["a","b"]},{"path":["a",true]}]`, `{"a":"x","b":1}`, `[]`},
		"in order": {`[{"path":["b",true],"members":[]},{"path":["a"]},{"path":["b",true]}]`, `{"b":[1,2],"a":3}`,
			`[{"at": ["b", 0], "value": 1}, {"at": ["b", 1], "value": 2}, {"at": ["a"], "value": 3}, {"at": ["b", 0], "value": 1}, {"at": ["b", 1], "value": 2}]`},
		"filter behind": {`[{"path":["m",true,"c",true],"where":[{"of":2,"member":"r","equals":"s"}]}]`, `{"m":[{"c":[1],"r":"s"},{"c":[2],"r":"u"},{"r":"s","c":[3]},{"c":[4]},5]}`,
			`[{"at": ["m", 0, "c", 0], "value": 1}, {"at": ["m", 2, "c", 0], "value": 3}]`},
		"filter of top":   {`[{"path":["a"],"where":[{"of":0,"member":"model","prefix":"gpt-"}]}]`, `{"a":1,"model":"gpt-5"}`, `[{"at": ["a"], "value": 1}]`},
		"filter fails":    {`[{"path":["a"],"where":[{"of":0,"member":"model","suffix":"-5"},{"of":0,"member":"x","equals":1}]}]`, `{"a":1,"model":"gpt-5"}`, `[]`},
		"suffix":          {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":"-5"}]}]`, `{"a":1,"m":"gpt-5"}`, `[{"at": ["a"], "value": 1}]`},
		"suffix, escaped": {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":"é\"5"}]}]`, `{"a":1,"m":"\ud83d\ude00\u00e9\"\u0035"}`, `[{"at": ["a"], "value": 1}]`},
		"suffix too long": {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":"xgpt-5"}]}]`, `{"a":1,"m":"gpt-5"}`, `[]`},
		"suffix cut":      {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":"\ufffd"}]}]`, `{"a":1,"m":"é"}`, `[]`},
		"of no string":    {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":""}]},{"path":["a"],"where":[{"of":0,"member":"m","suffix":"5"}]}]`, `{"a":1,"m":5}`, `[]`},
		"suffixes": {`[{"path":["a"],"where":[{"of":0,"member":"m","suffix":"long tail"}]},{"path":["b"],"where":[{"of":0,"member":"m","suffix":"il"},{"of":0,"member":"m","prefix":"a\n"}]},
			{"path":["a"],"where":[{"of":0,"member":"m","suffix":"it"}]}]`, `{"m":"a\nlong tail","a":1,"b":2}`, `[{"at": ["a"], "value": 1}, {"at": ["b"], "value": 2}]`},
		"prefix and suffix": {`[{"path":["a"],"where":[{"of":0,"member":"m","prefix":"<p","suffix":"p>"}]},{"path":["a"],"where":[{"of":0,"member":"m","prefix":"<p","suffix":"q>"}]}]`, `{"m":"<p>","a":1}`, `[{"at": ["a"], "value": 1}]`},
		"shown and entered": {`[{"path":["m",true],"members":["c"]},{"path":["m",true,"c",true]}]`, `{"m":[{"c":[1,2]}]}`,
			`[{"at": ["m", 0], "value": {"object": {"c": {"list": 2}}}}, {"at": ["m", 0, "c", 0], "value": 1}, {"at": ["m", 0, "c", 1], "value": 2}]`},
		"filter numbers": {`[{"path":[true],"where":[{"member":"n","equals":1}],"members":["i"]}]`, `[{"n":1.0,"i":0},{"n":10e-1,"i":1},{"n":"1","i":2},{"n":[1],"i":3},{"n":2,"i":4},{"n":true,"i":5}]`, `[{"at": [0], "value": {"object": {"i": 0}}}, {"at": [1], "value": {"object": {"i": 1}}}]`},
		"filters apart": {`[{"path":[true],"where":[{"member":"r","equals":1}]},{"path":[true],"where":[{"member":"z","equals":1}]}]`, `[{"r":2},{"z":1},{"r":1}]`,
			`[{"at": [2], "value": {"object": {}}}, {"at": [1], "value": {"object": {}}}]`},
		"filter scalar": {`[{"path":["a",true],"where":[{"member":"n","equals":1}]}]`, `{"a":[1,"n",null]}`, `[]`},
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

// What a view shows, and all that a path of names leads to, is found again without a look at the document.
func TestPlacesAreRemembered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		a, doc := g.adapter(), g.document()
		v, err := Compile(a.View, a.Write).Scan(doc)
		if err != nil || v == nil {
			return
		}
		tree := parseTree(doc)
		var entries []struct{ At adaptersv2.Address }
		require.NoError(t, abi.Decode(v.CBOR(), &entries))
		var all []adaptersv2.Address
		for _, e := range entries {
			all = append(all, e.At)
		}
		paths := slices.Clone(a.Write)
		for _, s := range a.View {
			paths = append(paths, s.Path)
		}
		for _, p := range paths {
			var at adaptersv2.Address
			for _, s := range p {
				if s.Each {
					break
				}
				at = append(at, adaptersv2.Member(s.Member))
				if found, _, err := tree.resolve(at); err != nil || found == nil {
					break
				}
				all = append(all, slices.Clone(at))
			}
		}
		r := resolver{view: v}
		for _, at := range all {
			place := 0
			for _, step := range at {
				var ok bool
				place, ok = r.child(place, step)
				require.True(t, ok, "%s in %s", at, doc)
			}
			found, _, err := tree.resolve(at)
			require.NoError(t, err)
			p := v.places[place]
			require.Equal(t, string(found.raw), string(doc[p.from:p.to]), at)
			if len(at) > 0 {
				require.Equal(t, found.lead+found.key+string(found.raw)+found.trail, string(doc[p.lead:p.trail]), at)
			}
			if found.open == '[' && p.elements >= 0 {
				require.Equal(t, len(found.items), p.elements)
			}
		}
	})
}

// A member twice in a value that is looked into only when the object around it has been passed.
func TestLateFaults(t *testing.T) {
	const view = `[{"path":["m",true,"c","d"],"where":[{"of":2,"member":"r","equals":"s"}]}]`
	_, err := scanned(t, view, `[["w"]]`, `{"m":[{"c":{"d":1,"d":2},"r":"s"}]}`)
	assert.ErrorIs(t, err, ErrDuplicate)
	assert.ErrorContains(t, err, `["m",0,"c"] has the member ["d"] twice`)
	_, err = scanned(t, view, `[["w"]]`, `{"m":[{"c":{"d":1,"d":2},"r":"u"}]}`)
	assert.NoError(t, err, "nobody looks into it")
}

// Objects in which many members are looked for are searched another way than others.
func TestManyMembers(t *testing.T) {
	var names []string
	for i := range 16 {
		names = append(names, fmt.Sprintf("n%d", i), fmt.Sprintf("é%d", i))
	}
	list := func(names []string) string {
		raw, err := json.Marshal(names)
		require.NoError(t, err)
		return string(raw)
	}
	a, err := adapterOf(`[{"path":[true],"members":`+list(names[:16])+`},{"path":[true],"members":`+list(names[16:])+`}]`, `[["w"]]`)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var items []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(append(names, "x", "other", "n99")), 0, 20, rapid.ID).Draw(t, "names") {
			raw := list([]string{name})
			raw = raw[1 : len(raw)-1]
			if rapid.Bool().Draw(t, "escaped") {
				raw = strings.NewReplacer("n", `\u006e`, "é", `\u00e9`).Replace(raw)
			}
			items = append(items, raw+":"+rapid.SampledFrom([]string{"1", `"x"`, "[]"}).Draw(t, "value"))
		}
		checkView(t, a, []byte("[{"+strings.Join(items, ",")+"}]"))
	})
}

// Wherever a document is cut off, and whatever byte stands in another one's place, a fault is found if
// and only if it is no JSON any more.
func TestEveryFaultIsFound(t *testing.T) {
	const doc = ` {"input" : [ {"role":"s" ,"text":["a",{}], "more":1}, {}, [], "s", 12 ] ,"w": {"v" : [ ]} , "x":{"y":[1,null]}} `
	a, err := adapterOf(`[{"path":["input",true],"where":[{"member":"role","equals":"s"}],"members":["text"]},{"path":["w","v",true]}]`, `[["w","v"]]`)
	require.NoError(t, err)
	program := Compile(a.View, a.Write)
	check := func(doc string) {
		_, err := program.Scan([]byte(doc))
		if errors.Is(err, ErrDuplicate) {
			return
		}
		assert.Equal(t, jsonspan.Valid([]byte(doc)), err == nil, "%s", doc)
	}
	for i := range doc {
		check(doc[:i])
		for _, c := range []byte(`{}[]",:\ x1-`) {
			check(doc[:i] + string(c) + doc[i+1:])
			check(doc[:i] + string(c) + doc[i:])
		}
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
	for _, c := range []struct {
		view, doc string // XX is the place of a value that is n deep
		n         int
	}{
		{`[{"path":["a"]}]`, `{"x":XX}`, 9_999},
		{`[{"path":["a"]}]`, `{"a":XX}`, 9_999},
		{`[{"path":["a",true]}]`, `{"a":[XX]}`, 9_998},
		{`[{"path":["a"],"members":["l"]}]`, `{"a":{"l":[XX]}}`, 9_997},
		{`[{"path":["a","b"],"where":[{"of":1,"member":"r","equals":1}]}]`, `{"a":{"b":XX,"r":1}}`, 9_998},
	} {
		_, err := scanned(t, c.view, `[["w"]]`, strings.Replace(c.doc, "XX", deep(c.n), 1))
		assert.NoError(t, err, c.doc)
		_, err = scanned(t, c.view, `[["w"]]`, strings.Replace(c.doc, "XX", deep(c.n+1), 1))
		assert.ErrorIs(t, err, ErrNotJSON, c.doc)
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
