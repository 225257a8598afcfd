package payloadview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// editsOf reads edits from JSON: [{"op": …, "at": […], "value": …}].
func editsOf(text string) ([]adaptersv2.Edit, error) {
	var list []struct {
		Op    adaptersv2.Op   `json:"op"`
		At    []any           `json:"at"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, err
	}
	var edits []adaptersv2.Edit
	for _, e := range list {
		edits = append(edits, adaptersv2.Edit{Op: e.Op, At: addressOf(e.At), Value: adaptersv2.JSON(e.Value)})
	}
	return edits, nil
}

func addressOf(steps []any) (at adaptersv2.Address) {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			at = append(at, adaptersv2.Member(s))
		case float64:
			at = append(at, adaptersv2.Index(uint64(s)))
		}
	}
	return at
}

func answerOf(prompt, messages []adaptersv2.Edit) *adaptersv2.Answer {
	return &adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{Edits: prompt}, Messages: &adaptersv2.MessageEdits{Edits: messages}}
}

func whole(pieces [][]byte) []byte { return bytes.Join(pieces, nil) }

// checkPlan compares a plan with the oracle: every part, byte for byte.
func checkPlan(t require.TestingT, v *View, doc []byte, prompt, messages []adaptersv2.Edit) {
	tree := parseTree(doc)
	all := slices.Concat(prompt, messages)
	wrong := wantEdit(tree, all)
	p, err := v.Plan(answerOf(prompt, messages))
	if wrong != nil {
		require.Error(t, err, "%s\n%s", doc, jsonOf(all))
		return
	}
	require.NoError(t, err, "%s\n%s", doc, jsonOf(all))
	for part, edits := range map[Part][]adaptersv2.Edit{0: nil, PromptPart: prompt, MessagesPart: messages, PromptPart | MessagesPart: all} {
		want := tree.lead + string(tree.apply(nil, edits)) + string(doc[len(tree.lead)+len(tree.raw):])
		got := p.Pieces(part)
		require.Equal(t, want, string(whole(got)), "%s\n%s", doc, jsonOf(edits))
		require.True(t, jsonspan.Valid(whole(got)))
		require.Equal(t, !jsonspan.Equal(doc, whole(got)), p.Changes(part), "%s\n%s", doc, jsonOf(edits))
		for _, piece := range got {
			require.NotEmpty(t, piece)
		}
		// The list says the same without the operation that others do not know.
		listed := p.Edits(part)
		for _, e := range listed {
			require.NotEqual(t, adaptersv2.OpAppend, e.Op)
		}
		again, err := v.Plan(answerOf(nil, listed))
		require.NoError(t, err, "%s\n%s", doc, jsonOf(listed))
		require.True(t, jsonspan.Equal(whole(got), whole(again.Pieces(MessagesPart))), "%s\n%s\n%s", doc, jsonOf(edits), jsonOf(listed))
	}
}

func TestEditsMeanWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		a, doc := g.adapter(), g.document()
		program := Compile(a.View, a.Write)
		program.anywhere = true // what may be written is another test's matter
		v, err := program.Scan(doc)
		if err != nil || v == nil {
			return
		}
		where := addresses(parseTree(doc), nil)
		if len(where) == 0 {
			return
		}
		var lists [2][]adaptersv2.Edit
		for i := range lists {
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				lists[i] = append(lists[i], g.edit(where))
			}
		}
		checkPlan(t, v, doc, lists[0], lists[1])
		native, err := Anywhere().Scan(doc)
		require.NoError(t, err)
		checkPlan(t, native, doc, lists[0], lists[1])
	})
}

func FuzzSplice(f *testing.F) {
	const view = `[{"path":["input",true],"where":[{"member":"role","equals":"s"}]},{"path":["a","b"]}]`
	f.Add([]byte(`{"input":[{"role":"s"}, 1 ,{}],"a":{"b":1}}`), view, `[{"op":"set","at":["a","b"],"value":"x"}]`,
		`[{"op":"remove","at":["input",0]},{"op":"insert","at":["input",0],"value":{}},{"op":"insert","at":["input",3],"value":null},{"op":"set","at":["new"],"value":[]}]`)
	f.Add([]byte(`[ [ ] , [1] ]`), `[{"path":[true]}]`, `[]`, `[{"op":"insert","at":[0,0],"value":1},{"op":"remove","at":[1,0]}]`)
	f.Fuzz(func(t *testing.T, doc []byte, view, prompt, messages string) {
		a, err := adapterOf(view, `[["w"]]`)
		if err != nil || depth(doc) > 500 || !utf8.Valid(doc) || !jsonspan.Valid(doc) {
			return
		}
		var lists [2][]adaptersv2.Edit
		for i, text := range []string{prompt, messages} {
			if lists[i], err = editsOf(text); err != nil {
				return
			}
			for _, e := range lists[i] {
				// What can be told of an edit without the document is another test's matter.
				o := op{at: e.At, value: e.Value}
				switch e.Op {
				case adaptersv2.OpSet:
					o.what = set
				case adaptersv2.OpInsert:
					o.what = insert
				case adaptersv2.OpRemove:
					o.what = remove
				case adaptersv2.OpAppend:
					o.what = extend
				default:
					return
				}
				if o.check(Anywhere()) != nil || depth(e.Value) > 100 {
					return
				}
			}
		}
		program := Compile(a.View, a.Write)
		program.anywhere = true
		if v, err := program.Scan(doc); err == nil && v != nil {
			checkPlan(t, v, doc, lists[0], lists[1])
		}
	})
}

func TestEdits(t *testing.T) {
	const view, write = `[{"path":["input",true],"where":[{"member":"r","equals":"s"}]},{"path":["system"]}]`, `[["input"],["system"],["config","x"]]`
	for name, c := range map[string]struct{ doc, edits, want string }{
		"set":             {`{"system" : "a" }`, `[{"op":"set","at":["system"],"value":"b"}]`, `{"system" : "b" }`},
		"add":             {`{"a":1 }`, `[{"op":"set","at":["system"],"value":"b"}]`, `{"a":1 ,"system":"b"}`},
		"add to nothing":  {`{ }`, `[{"op":"set","at":["system"],"value":"b"}]`, `{"system":"b"}`},
		"add below":       {`{"config":{}}`, `[{"op":"set","at":["config","x"],"value":{"y":[]}}]`, `{"config":{"x":{"y":[]}}}`},
		"remove member":   {`{"a":1, "system" :2,"b":3}`, `[{"op":"remove","at":["system"]}]`, `{"a":1,"b":3}`},
		"remove first":    {`{ "system":2, "b":3}`, `[{"op":"remove","at":["system"]}]`, `{ "b":3}`},
		"remove last":     {`{"a":1 , "system":2 }`, `[{"op":"remove","at":["system"]}]`, `{"a":1 }`},
		"remove only":     {`{ "system":2 }`, `[{"op":"remove","at":["system"]}]`, `{}`},
		"replace items":   {`{"input":[ {"r":"s"} , 2 ,{"r":"s"}]}`, `[{"op":"remove","at":["input",0]},{"op":"insert","at":["input",0],"value":9},{"op":"remove","at":["input",2]}]`, `{"input":[9, 2 ]}`},
		"insert in front": {`{"input":[ 1 ,2]}`, `[{"op":"insert","at":["input",0],"value":8},{"op":"insert","at":["input",0],"value":9}]`, `{"input":[8,9, 1 ,2]}`},
		"insert behind":   {`{"input":[1,2 ]}`, `[{"op":"insert","at":["input",2],"value":8},{"op":"insert","at":["input",2],"value":9}]`, `{"input":[1,2 ,8,9]}`},
		"insert empty":    {`{"input":[ ]}`, `[{"op":"insert","at":["input",0],"value":8}]`, `{"input":[8]}`},
		"insert between":  {`{"input":[1, 2]}`, `[{"op":"insert","at":["input",1],"value":8}]`, `{"input":[1,8, 2]}`},
		"behind a known":  {`{"input":[{"r":"s"} , 2,3]}`, `[{"op":"insert","at":["input",1],"value":8}]`, `{"input":[{"r":"s"} ,8, 2,3]}`},
		"behind the last": {`{"input":[1,{"r":"s"} ]}`, `[{"op":"insert","at":["input",2],"value":8}]`, `{"input":[1,{"r":"s"} ,8]}`},
		"far behind":      {`{"input":[{"r":"s"},2,{"r":"s"},4, 5]}`, `[{"op":"remove","at":["input",4]},{"op":"set","at":["input",3],"value":8}]`, `{"input":[{"r":"s"},2,{"r":"s"},8]}`},
		"both at once":    {`{"input":[1, {"a":1}]}`, `[{"op":"insert","at":["input",1],"value":8},{"op":"set","at":["input",1,"a"],"value":2}]`, `{"input":[1,8, {"a":2}]}`},
		"all for one":     {`{"input":[1, 2]}`, `[{"op":"remove","at":["input",0]},{"op":"remove","at":["input",1]},{"op":"insert","at":["input",2],"value":3}]`, `{"input":[3]}`},
		"members in order": {`{"config":{"x":{}}}`, `[{"op":"set","at":["config","x","z"],"value":1},{"op":"set","at":["config","x","a"],"value":2}]`,
			`{"config":{"x":{"z":1,"a":2}}}`},
		"append":        {`{"system" : "a\u00e9" }`, `[{"op":"append","at":["system"],"value":"\n\"b\""}]`, `{"system" : "a\u00e9\n\"b\"" }`},
		"append to set": {`{"system":"a"}`, `[{"op":"set","at":["system"],"value":"c"},{"op":"append","at":["system"],"value":"d"},{"op":"append","at":["system"],"value":"e"}]`, `{"system":"cde"}`},
		"set below append": {`{"input":["a", "b"]}`, `[{"op":"append","at":["input",1],"value":"d"},{"op":"set","at":["input",1],"value":"c"},{"op":"insert","at":["input",1],"value":7}]`,
			`{"input":["a",7, "cd"]}`},
		"escaped name": {`{"\u0073ystem":1}`, `[{"op":"set","at":["system"],"value":2}]`, `{"\u0073ystem":2}`},
		"new name":     {`{"config":{"x":{}}}`, `[{"op":"set","at":["config","x","\"é\n"],"value":1}]`, `{"config":{"x":{"\"é\n":1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			edits, err := editsOf(c.edits)
			require.NoError(t, err)
			v, err := scanned(t, view, write, c.doc)
			require.NoError(t, err)
			p, err := v.Plan(answerOf(nil, edits))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(whole(p.Pieces(MessagesPart))))
			assert.Equal(t, c.doc, string(whole(p.Pieces(PromptPart))))
			assert.True(t, p.Changes(MessagesPart))
			assert.False(t, p.Changes(PromptPart))
		})
	}
}

// White space around values is no part of a string.
func TestAppendWithWhiteSpace(t *testing.T) {
	at := addressOf([]any{"a"})
	v, err := scanned(t, `[{"path":["a"]}]`, `[["a"]]`, `{"a": "x" }`)
	require.NoError(t, err)
	more := []adaptersv2.Edit{{Op: adaptersv2.OpAppend, At: at, Value: adaptersv2.JSON("\t\"y\"\n")}, {Op: adaptersv2.OpAppend, At: at, Value: adaptersv2.JSON(` "z" `)}}
	p, err := v.Plan(answerOf([]adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON("\n\"N\" ")}}, more))
	require.NoError(t, err)
	assert.Equal(t, `{"a": "xyz" }`, string(whole(p.Pieces(MessagesPart))))
	assert.JSONEq(t, `{"a": "Nyz" }`, string(whole(p.Pieces(PromptPart|MessagesPart))))
	assert.JSONEq(t, `{"a": "N" }`, string(whole(p.Pieces(PromptPart))))
}

// Pieces are slices of the document and of the values: nothing is copied.
// Many places, known and unknown ones, and many edits.
func TestManyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		var items []string
		for range rapid.IntRange(30, 80).Draw(t, "items") {
			items = append(items, g.space()+g.pick(`{"r":"s","a":[1,2]}`, `{"a":[],"r":"s"}`, `{"r":"u"}`, `1`, `[ ]`)+g.space())
		}
		doc := []byte(`{"input":[` + strings.Join(items, ",") + `],"b":1}`)
		a, err := adapterOf(`[{"path":["input",true],"where":[{"member":"r","equals":"s"}]}]`, `[["input"]]`)
		require.NoError(t, err)
		v, err := Compile(a.View, a.Write).Scan(doc)
		require.NoError(t, err)
		where := slices.DeleteFunc(addresses(parseTree(doc), nil), func(at adaptersv2.Address) bool { return len(at) < 2 })
		used := map[string]bool{}
		var edits []adaptersv2.Edit
		for range rapid.IntRange(1, 30).Draw(t, "edits") {
			e := g.edit(where)
			key := fmt.Sprint(e.At[:2])
			if e.Op != adaptersv2.OpInsert && used[key] {
				continue
			}
			used[key] = true
			edits = append(edits, e)
		}
		half := rapid.IntRange(0, len(edits)).Draw(t, "half")
		if v.program.writes(edits[0].At) {
			checkPlan(t, v, doc, edits[:half], edits[half:])
		}
	})
}

func TestPiecesAreNotCopies(t *testing.T) {
	v, err := scanned(t, `[{"path":["a"]}]`, `[["a"]]`, `{"x":"long","a":1,"y":2}`)
	require.NoError(t, err)
	value := adaptersv2.JSON(`"new"`)
	p, err := v.Plan(answerOf(nil, []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: addressOf([]any{"a"}), Value: value}}))
	require.NoError(t, err)
	pieces := p.Pieces(MessagesPart)
	require.Len(t, pieces, 3)
	assert.Same(t, &v.data[0], &pieces[0][0])
	assert.Same(t, &value[0], &pieces[1][0])
	assert.Same(t, &v.data[len(v.data)-1], &pieces[2][len(pieces[2])-1])
}

func TestValues(t *testing.T) {
	v, err := scanned(t, `[{"path":["a"]}]`, `[["a"]]`, `{"a":[]}`)
	require.NoError(t, err)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for value, ok := range map[string]bool{
		"": false, " ": false, "1": true, " 1 ": true, "1 2": false, "{": false, `"a`: false, "nul": false, "\"\xff\"": false, `"\ud800"`: true,
		deep(9_999): true, deep(10_000): false,
	} {
		_, err := v.Plan(answerOf(nil, []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: addressOf([]any{"a"}), Value: adaptersv2.JSON(value)}}))
		assert.Equal(t, ok, err == nil, "%.40q %v", value, err)
	}
}

// Places that the scan has noted are found without another look at the document: what lies between them
// might as well be garbage by then.
func TestNoSecondLook(t *testing.T) {
	doc := []byte(`{"before":[1,{"a":[2]}],"system":[{"type":"text","text":"p"}, {"type":"text","text":"old"}],"behind":{"b":[3]},"input":[9,{"r":"s"}, 8]}`)
	a, err := adapterOf(`[{"path":["system",true],"members":["text"]},{"path":["input",true],"where":[{"member":"r","equals":"s"}]}]`,
		`[["system"],["input"],["instructions"]]`)
	require.NoError(t, err)
	v, err := Compile(a.View, a.Write).Scan(doc)
	require.NoError(t, err)
	for _, part := range []string{`[1,{"a":[2]}]`, `{"b":[3]}`, `9,`, ` 8`} {
		at := bytes.Index(doc, []byte(part))
		copy(doc[at+1:at+len(part)-1], bytes.Repeat([]byte("#"), len(part)))
	}
	edits, err := editsOf(`[{"op":"set","at":["system",0,"text"],"value":"q"},{"op":"remove","at":["system",1]},{"op":"insert","at":["system",1],"value":7},
		{"op":"insert","at":["system",2],"value":8},{"op":"set","at":["instructions"],"value":"i"},
		{"op":"remove","at":["input",1]},{"op":"insert","at":["input",0],"value":6},{"op":"insert","at":["input",2],"value":5},{"op":"insert","at":["input",3],"value":4}]`)
	require.NoError(t, err)
	answer := answerOf(nil, edits)
	answer.Prompt.At = addressOf([]any{"system", 0.0, "text"})
	p, err := v.Plan(answer)
	require.NoError(t, err)
	_, ok := p.Prompt()
	assert.True(t, ok)
	assert.Contains(t, string(whole(p.Pieces(MessagesPart))), `"system":[{"type":"text","text":"q"},7,8]`)
	assert.Contains(t, string(whole(p.Pieces(MessagesPart))), `"input":[6,9,5,`)
	assert.True(t, strings.HasSuffix(string(whole(p.Pieces(MessagesPart))), `,4],"instructions":"i"}`))
}

func TestLongAddresses(t *testing.T) {
	doc := []byte(strings.Repeat("[", 65) + `"p"` + strings.Repeat("]", 65))
	v, err := Anywhere().Scan(doc)
	require.NoError(t, err)
	for n, ok := range map[int]bool{64: true, 65: false} {
		at := addressOf(slices.Repeat([]any{0.0}, n))
		p, err := v.Plan(answerOf(nil, []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON("1")}}))
		if assert.Equal(t, ok, err == nil, n) && ok {
			assert.Equal(t, strings.Repeat("[", 64)+"1"+strings.Repeat("]", 64), string(whole(p.Pieces(MessagesPart))))
		}
	}
	v, err = Anywhere().Scan(doc[1 : len(doc)-1])
	require.NoError(t, err)
	for n, ok := range map[int]bool{64: true, 65: false} {
		answer := answerOf(nil, nil)
		answer.Prompt.At = addressOf(slices.Repeat([]any{0.0}, n))
		p, err := v.Plan(answer)
		require.NoError(t, err)
		_, found := p.Prompt()
		assert.Equal(t, ok, found, n)
	}
}

func TestNamesAreUTF8(t *testing.T) {
	v, err := Anywhere().Scan([]byte(`{"\ud800":1}`))
	require.NoError(t, err)
	_, err = v.Plan(answerOf(nil, []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: addressOf([]any{"\xed\xa0\x80"}), Value: adaptersv2.JSON("1")}}))
	assert.ErrorContains(t, err, "not UTF-8")
}

func TestPrompt(t *testing.T) {
	const doc = `{"s":"a\u0062","o":[1,{"t":"x"},"y"],"n":5}`
	v, err := scanned(t, `[{"path":["s"]}]`, `[["s"]]`, doc)
	require.NoError(t, err)
	for _, c := range []struct {
		at  []any
		raw string
	}{
		{[]any{"s"}, `"a\u0062"`}, {[]any{"o", 2.0}, `"y"`}, {[]any{"o", 1.0, "t"}, `"x"`}, {[]any{"n"}, ""}, {[]any{"z"}, ""}, {[]any{"o"}, ""},
		{[]any{"o", 3.0}, ""}, {[]any{"o", 9.0}, ""}, {[]any{"s", "x"}, ""}, {[]any{"o", 1.0, "t", "u"}, ""}, {nil, ""}, {slices.Repeat([]any{"s"}, 65), ""},
		{[]any{0.0}, ""},
	} {
		answer := answerOf([]adaptersv2.Edit{{Op: adaptersv2.OpSet, At: addressOf([]any{"s"}), Value: adaptersv2.JSON("1")}}, nil)
		answer.Prompt.At = addressOf(c.at)
		p, err := v.Plan(answer)
		require.NoError(t, err, c.at)
		raw, ok := p.Prompt()
		assert.Equal(t, c.raw, string(raw), c.at)
		assert.Equal(t, c.raw != "", ok)
		assert.Equal(t, strings.Replace(doc, `"a\u0062"`, "1", 1), string(whole(p.Pieces(PromptPart))), "the place itself is no edit")
	}
	// Beside edits of which the places have to be looked for, in a list and in an object.
	for _, at := range [][]any{{"o", "x"}, {0.0}} {
		answer := answerOf(nil, []adaptersv2.Edit{
			{Op: adaptersv2.OpSet, At: addressOf([]any{"o", 2.0}), Value: adaptersv2.JSON("1")},
			{Op: adaptersv2.OpRemove, At: addressOf([]any{"n"})},
		})
		answer.Prompt = &adaptersv2.PromptEdits{At: addressOf(at)}
		native, err := Anywhere().Scan([]byte(doc))
		require.NoError(t, err)
		p, err := native.Plan(answer)
		require.NoError(t, err)
		_, ok := p.Prompt()
		assert.False(t, ok)
		assert.Equal(t, `{"s":"a\u0062","o":[1,{"t":"x"},1]}`, string(whole(p.Pieces(MessagesPart))))
	}
	p, err := v.Plan(nil)
	require.NoError(t, err)
	_, ok := p.Prompt()
	assert.False(t, ok)
	assert.Equal(t, doc, string(whole(p.Pieces(PromptPart|MessagesPart))))
}

// An edit that writes what is there already, in other words, changes nothing.
func TestChanges(t *testing.T) {
	const doc = `{"a":[{"x":1}, "b" ,[2]],"s":"p"}`
	v, err := Anywhere().Scan([]byte(doc))
	require.NoError(t, err)
	for edits, want := range map[string]bool{
		`[]`: false,
		`[{"op":"set","at":["s"],"value":"\u0070"}]`:                                                                                                    false,
		`[{"op":"set","at":["s"],"value":"q"}]`:                                                                                                         true,
		`[{"op":"remove","at":["a",0]},{"op":"insert","at":["a",0],"value":{"x":1.0}}]`:                                                                 false,
		`[{"op":"remove","at":["a",0]},{"op":"insert","at":["a",1],"value":{"x":1.0}}]`:                                                                 false,
		`[{"op":"remove","at":["a",0]},{"op":"insert","at":["a",2],"value":{"x":1.0}}]`:                                                                 true,
		`[{"op":"remove","at":["a",2]},{"op":"insert","at":["a",3],"value":[2]},{"op":"set","at":["s"],"value":"p"}]`:                                   false,
		`[{"op":"remove","at":["a",0]},{"op":"insert","at":["a",0],"value":{"x":1.0}},{"op":"set","at":["a",2,0],"value":3}]`:                           true,
		`[{"op":"remove","at":["a",0]},{"op":"insert","at":["a",0],"value":"b"},{"op":"remove","at":["a",1]},{"op":"insert","at":["a",2],"value":"b"}]`: true,
		`[{"op":"remove","at":["s"]},{"op":"set","at":["t"],"value":"p"}]`:                                                                              true,
		`[{"op":"set","at":["t"],"value":"p"}]`:                                                                                                         true,
	} {
		list, err := editsOf(edits)
		require.NoError(t, err)
		p, err := v.Plan(answerOf(nil, list))
		require.NoError(t, err)
		assert.Equal(t, want, p.Changes(MessagesPart), edits)
		assert.Equal(t, want, !jsonspan.Equal([]byte(doc), p.Pieces(MessagesPart)...), edits)
	}
}
