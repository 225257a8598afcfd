package assemblyscriptsdk_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/payloadview"
)

// A document remembers where in it something can be changed.
type document struct {
	t      *rapid.T
	text   strings.Builder
	places []place
}

// A place is a value, or where one could be.
type place struct {
	at     adaptersv2.Address
	isList bool
	length int  // of a list
	isItem bool // it is in a list or object, and so can be taken out
	member bool // of an object
}

func (d *document) space() {
	d.text.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n\t"}).Draw(d.t, "space"))
}

func (d *document) value(at adaptersv2.Address, depth int) {
	kind := rapid.IntRange(0, 5).Draw(d.t, "kind")
	p := place{at: at, isItem: len(at) > 0, member: len(at) > 0 && !at[len(at)-1].InList}
	switch {
	case depth > 0 && kind <= 2:
		n := rapid.IntRange(0, 4).Draw(d.t, "items")
		p.isList, p.length = true, n
		d.places = append(d.places, p)
		d.items("[", "]", n, func(i int) { d.value(append(slices.Clip(at), adaptersv2.Index(uint64(i))), depth-1) })
	case depth > 0 && kind <= 4:
		names := []string{"a", "b", "c", "d"}[:rapid.IntRange(0, 4).Draw(d.t, "members")]
		d.places = append(d.places, p)
		d.items("{", "}", len(names), func(i int) {
			d.text.WriteString(rapid.SampledFrom([]string{`"` + names[i] + `"`, fmt.Sprintf(`"\u%04x"`, names[i][0])}).Draw(d.t, "name"))
			d.space()
			d.text.WriteString(":")
			d.space()
			d.value(append(slices.Clip(at), adaptersv2.Member(names[i])), depth-1)
		})
	default:
		d.places = append(d.places, p)
		d.text.WriteString(rapid.SampledFrom([]string{"1", "-0.5e+7", "true", "null", `""`, `"a\"]},b\\"`, `"\ud800é🚢"`}).Draw(d.t, "scalar"))
	}
}

func (d *document) items(open, close string, n int, item func(i int)) {
	d.text.WriteString(open)
	d.space()
	for i := range n {
		if i > 0 {
			d.text.WriteString(",")
			d.space()
		}
		item(i)
		d.space()
	}
	d.text.WriteString(close)
}

// changes draws some, of which the host says that they go together: in the words of the probe and as edits.
func (d *document) changes() (words []string, edits []adaptersv2.Edit) {
	for range rapid.IntRange(1, 5).Draw(d.t, "changes") {
		p := rapid.SampledFrom(d.places).Draw(d.t, "place")
		e := adaptersv2.Edit{At: p.at, Value: adaptersv2.JSON(rapid.SampledFrom([]string{"7.0", `"é🚢\ud800"`, `[ ]`, `{"x": 1}`}).Draw(d.t, "value"))}
		word := ""
		switch what := rapid.IntRange(0, 3).Draw(d.t, "what"); {
		case what == 0 && p.isList:
			e.Op, word = adaptersv2.OpInsert, "insert"
			e.At = append(slices.Clip(p.at), adaptersv2.Index(uint64(rapid.IntRange(0, p.length).Draw(d.t, "index"))))
		case what == 1 && p.isItem:
			e.Op, word, e.Value = adaptersv2.OpRemove, "remove", nil
		case what == 2 && p.member:
			e.Op, word = adaptersv2.OpSet, "put"
			if rapid.Bool().Draw(d.t, "new") {
				e.At = slices.Clone(p.at)
				e.At[len(e.At)-1] = adaptersv2.Member("new")
			}
		default:
			e.Op, word = adaptersv2.OpSet, "set"
		}
		if _, err := plan(d.text.String(), append(slices.Clip(edits), e)); err != nil {
			continue // it conflicts with the ones before
		}
		address := ""
		for _, step := range e.At {
			if step.InList {
				address += fmt.Sprintf("/%d", step.Index)
			} else {
				address += "/" + step.Member
			}
		}
		words = append(words, strings.TrimSuffix(word+" "+address+" "+string(e.Value), " "))
		edits = append(edits, e)
	}
	return words, edits
}

func plan(doc string, edits []adaptersv2.Edit) (*payloadview.Plan, error) {
	view, err := payloadview.Anywhere().Scan([]byte(doc))
	if err != nil {
		return nil, err
	}
	return view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: edits}})
}

// What the SDK does to a payload is what the host does with the same edits of version 2, byte for byte.
func TestChangesAreTheHosts(t *testing.T) {
	g := load(t, probe, options{})
	rapid.Check(t, func(t *rapid.T) {
		d := &document{t: t}
		d.space()
		d.value(nil, 3)
		d.space()
		doc := d.text.String()
		words, edits := d.changes()
		if len(edits) == 0 {
			return
		}
		p, err := plan(doc, edits)
		require.NoError(t, err)
		want := string(bytes.Join(p.Pieces(payloadview.MessagesPart), nil))
		got, err := g.change([]byte(doc), strings.Join(words, "\n"))
		require.NoError(t, err, "%q of %s", words, doc)
		if got == nil {
			got = []byte(doc)
		}
		require.Equal(t, want, string(got), "%q of %s", words, doc)
	})
}

func TestMessagesChangePayloads(t *testing.T) {
	g := load(t, probe, options{})
	value, err := g.ask(abi.ReplaceDeveloperMessagesV1, adaptersv1.ReplaceDeveloperMessagesRequest{
		Payload:  adaptersv1.Payload{ID: "changes", Payload: []byte(`{"a":[1 ]}`)},
		Messages: []adaptersv1.Message{{ID: "insert /a/0", Content: "0"}, {ID: "put", Content: "/b 2"}}}, 0)
	require.NoError(t, err)
	got, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.Equal(t, `{"a":[0,1 ],"b":2}`, string(got))

	for _, same := range []string{`set /a/0 1`, "remove /a/0\ninsert /a/0 1"} {
		got, err := g.change([]byte(`{"a":[1]}`), same)
		require.NoError(t, err)
		assert.Nil(t, got, same)
	}
	got, err = g.change([]byte(`{"a":`), "set /a 1")
	require.NoError(t, err)
	assert.Nil(t, got, "no JSON")
}

func TestImpossibleChangesSayWhere(t *testing.T) {
	for change, why := range map[string]string{
		"set /b 1":             "there is no value here to set",
		"remove /b":            "there is nothing here to remove from",
		"insert /a/x/0 1":      "this is no list to insert into",
		"set /a 1\nset /a/0 2": "changes of a JSON text overlap",
	} {
		_, err := load(t, probe, options{}).change([]byte(`{"a":[{"x":1}]}`), change)
		assert.ErrorContains(t, err, why, change)
	}
}

func TestJSONIsWhatTheHostTakesForIt(t *testing.T) {
	g := load(t, probe, options{})
	check := func(t require.TestingT, doc string) {
		text, ok := g.read([]byte(doc), "")
		require.Equal(t, jsonspan.Valid([]byte(doc)) && utf8.ValidString(doc), ok, "%q", doc)
		if ok && doc[0] != '"' {
			require.Equal(t, strings.Trim(doc, " \n"), text)
		}
	}
	for _, doc := range []string{
		"0", "-", "-0", "01", "1.", "1.0", ".5", "1e", "1e+", "1E-9", "+1", "tru", "true", "truex", "nul", "null", "fals", "false", "nan",
		"[", "]", "[]", "[1,]", "[,1]", "[1 2]", "[1,2]]", "{", "{}", "{1:2}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1,"b"}`, `{,}`, `{"a":1]`, `[1}`,
		`["\u12g4"]`, `["\u123"]`, `["\x"]`, `["\uABCD\uabcd\/\b"]`, "[\"\x1f\"]", "[\"\x7f\"]", "[\"\t\"]", "[\"\xff\"]", "[\"\xed\xa0\x80\"]", `["`, `["\`, `["\"`, `["\u`,
		"\xef\xbb\xbf[]", " [ ] ", "[]\x00", "\v[]", "[1]//", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
		strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), `["` + strings.Repeat("x", 100) + "\x02" + `"]`,
	} {
		check(t, doc)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := &document{t: t}
		d.value(nil, 3)
		doc := []byte(d.text.String())
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			at := rapid.IntRange(0, len(doc)-1).Draw(t, "at")
			doc[at] = rapid.SampledFrom([]byte("{}[],:\"\\ue0-.1 \n\x00\xc3\xa9t")).Draw(t, "byte")
		}
		check(t, string(doc))
	})
}
