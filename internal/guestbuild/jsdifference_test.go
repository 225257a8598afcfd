package guestbuild_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/runtime"
)

// A node is a JSON value as it is written.
type node struct {
	kind byte   // '{', '[', or 0 for a value without parts
	text string // of a value without parts
	keys []string
	kids []*node
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	if n.kind == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte(n.kind)
	for i, kid := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.kind == '{' {
			fmt.Fprintf(b, "%q:", n.keys[i])
		}
		kid.write(b)
	}
	b.WriteByte(n.kind + 2) // the closing bracket
}

// normal writes the value with its numbers as JavaScript would, and members in alphabetical order.
func (n *node) normal() string {
	sorted := *n
	if n.kind == '{' {
		order := slices.Clone(n.keys)
		slices.Sort(order)
		sorted.keys, sorted.kids = order, nil
		for _, key := range order {
			sorted.kids = append(sorted.kids, n.kids[slices.Index(n.keys, key)])
		}
	}
	if n.kind == 0 {
		if f, err := strconv.ParseFloat(n.text, 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return n.text
	}
	var parts []string
	for i, kid := range sorted.kids {
		part := kid.normal()
		if n.kind == '{' {
			part = strconv.Quote(sorted.keys[i]) + ":" + part
		}
		parts = append(parts, part)
	}
	return string(n.kind) + strings.Join(parts, ",")
}

// A draft draws documents and programs. Numbers of a document differ, so that one cannot be taken for another.
type draft struct {
	t       *rapid.T
	numbers int
	names   int
}

func (d *draft) number() *node {
	d.numbers++
	form := rapid.SampledFrom([]string{"%d.0", "%de0", "%d.50", "%d", "0.%d0", "1%d00000000000000001"}).Draw(d.t, "number")
	return &node{text: fmt.Sprintf(form, d.numbers)}
}

func (d *draft) value(depth int) *node {
	kinds := []string{"number", "string", "word"}
	if depth > 0 {
		kinds = append(kinds, "list", "object", "list", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(d.t, "kind") {
	case "number":
		return d.number()
	case "string":
		return &node{text: rapid.SampledFrom([]string{`"a"`, `"b"`, `""`, `"é"`, `"\n"`}).Draw(d.t, "string")}
	case "word":
		return &node{text: rapid.SampledFrom([]string{"true", "false", "null"}).Draw(d.t, "word")}
	case "list":
		n := &node{kind: '['}
		for range rapid.IntRange(0, 5).Draw(d.t, "length") {
			n.kids = append(n.kids, d.value(depth-1))
		}
		return n
	}
	return d.object(depth)
}

func (d *draft) object(depth int) *node {
	n := &node{kind: '{'}
	n.keys = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"role", "content", "type", "text", "w", "__proto__", "toJSON", ""}), 0, 5, rapid.ID).Draw(d.t, "keys")
	for range n.keys {
		n.kids = append(n.kids, d.value(depth-1))
	}
	return n
}

// An action is one step of what an adapter does to a payload.
type action struct {
	At    []any           `json:"at"`
	Do    string          `json:"do"`
	Key   string          `json:"key"`
	Index int             `json:"index"`
	To    int             `json:"to"`
	Value json.RawMessage `json:"value,omitempty"`

	loose bool // it takes numbers out of where they are written
}

// act draws an action on a part of the document and carries it out.
func (d *draft) act(root *node) action {
	n, a := root, action{At: []any{}}
	for n.kind != 0 && len(n.kids) > 0 && rapid.Bool().Draw(d.t, "deeper") {
		i := rapid.IntRange(0, len(n.kids)-1).Draw(d.t, "part")
		if n.kind == '{' {
			a.At = append(a.At, n.keys[i])
		} else {
			a.At = append(a.At, i)
		}
		n = n.kids[i]
	}
	doings := []string{"wrap", "copy"}
	if n.kind == '{' {
		doings = append(doings, "add")
	} else if n.kind == '[' {
		doings = append(doings, "insert")
	}
	if len(n.kids) > 0 {
		doings = append(doings, map[byte][]string{'{': {"delete", "set"}, '[': {"remove", "move"}}[n.kind]...)
	}
	a.Do = rapid.SampledFrom(doings).Draw(d.t, "do")
	at := func(most int) int { return rapid.IntRange(0, most).Draw(d.t, "index") }
	fresh := func() *node {
		d.numbers++
		v := &node{text: strconv.Itoa(-d.numbers)}
		if rapid.Bool().Draw(d.t, "object") {
			v = &node{kind: '{', keys: []string{"fresh", "value"}, kids: []*node{{text: `"a"`}, v}}
		}
		a.Value = json.RawMessage(v.String())
		return v
	}
	switch a.Do {
	case "copy":
		a.loose = true
	case "wrap":
		a.loose = n.kind == 0
		inner := *n
		*n = node{kind: '{', keys: []string{"w"}, kids: []*node{&inner}}
	case "add":
		d.names++
		a.Key = fmt.Sprintf("new%d", d.names)
		n.keys, n.kids = append(n.keys, a.Key), append(n.kids, fresh())
	case "set":
		i := at(len(n.kids) - 1)
		a.Key, n.kids[i] = n.keys[i], fresh()
	case "delete":
		i := at(len(n.kids) - 1)
		a.Key = n.keys[i]
		n.keys, n.kids = slices.Delete(n.keys, i, i+1), slices.Delete(n.kids, i, i+1)
	case "insert":
		a.Index = at(len(n.kids))
		n.kids = slices.Insert(n.kids, a.Index, fresh())
	case "remove":
		a.Index = at(len(n.kids) - 1)
		n.kids = slices.Delete(n.kids, a.Index, a.Index+1)
	case "move":
		a.Index, a.To = at(len(n.kids)-1), at(len(n.kids)-1)
		kid := n.kids[a.Index]
		a.loose = slices.ContainsFunc(n.kids, func(k *node) bool { return k.kind == 0 })
		n.kids = slices.Insert(slices.Delete(n.kids, a.Index, a.Index+1), a.To, kid)
	}
	return a
}

// exact tells whether numbers have to stay as they were written: not those that an adapter takes out of their
// place one by one, also by changing an object or list and then moving it.
func exact(actions []action) bool {
	moving := func(a action) bool { return a.Do == "copy" || a.Do == "wrap" || a.Do == "move" }
	return !slices.ContainsFunc(actions, moving) || len(actions) == 1 && !actions[0].loose
}

const actingAdapter = `import { registerSystemPromptPayloadAdapter } from "pintle";
registerSystemPromptPayloadAdapter({
  provider: "acme",
  readSystemPrompt: () => "old",
  replaceSystemPrompt: (payload, actions) => JSON.parse(actions).reduce((doc, a) => change(doc, a.at, a), payload),
});
function change(value, at, a) {
  if (at.length === 0) return act(value, a);
  const [step, ...rest] = at;
  if (Array.isArray(value)) return value.with(step, change(value[step], rest, a));
  return { ...value, [step]: change(value[step], rest, a) };
}
function act(value, { do: what, key, index, to, value: fresh }) {
  switch (what) {
    case "wrap": return { w: value };
    case "copy": return JSON.parse(JSON.stringify(value));
    case "add": case "set": return { ...value, [key]: fresh };
    case "delete": { const copy = { ...value }; delete copy[key]; return copy; }
    case "insert": return value.toSpliced(index, 0, fresh);
    case "remove": return value.toSpliced(index, 1);
    case "move": return value.toSpliced(index, 1).toSpliced(to, 0, value[index]);
  }
}`

// Whatever an adapter makes of a payload, the host sends just that; and what the adapter only moved around or
// left alone is written as it was.
func TestJavaScriptDifference(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{"index.js": actingAdapter}, runtime.GuestOptions{})
	rapid.Check(t, func(rt *rapid.T) {
		d := &draft{t: rt}
		doc := d.object(4)
		if rapid.IntRange(0, 3).Draw(rt, "large") == 0 { // large ones are not frozen all the way down
			doc.keys, doc.kids = append(doc.keys, "pad"), append(doc.kids, &node{text: `"` + strings.Repeat("x", 256<<10) + `"`})
		}
		payload := doc.String()
		var actions []action
		for range rapid.IntRange(0, 4).Draw(rt, "actions") {
			actions = append(actions, d.act(doc))
		}
		program, err := json.Marshal(append([]action{}, actions...))
		require.NoError(rt, err)
		a := g.ask(t, object{"adapter": "acme", "provider": "acme", "base": "old", "systemPrompt": string(program),
			"payload": json.RawMessage(payload), "unchanged": true})
		require.NoError(rt, a.Err, payload)
		got := parseNode(rt, a.Payload)
		if doc.normal() != got.normal() || exact(actions) && doc.String() != got.String() {
			short := func(s string) string { return strings.ReplaceAll(s, strings.Repeat("x", 256<<10), "x…") }
			rt.Fatalf("payload %s\nactions %s\nexpected %s\ngot      %s", short(payload), program, short(doc.String()), short(got.String()))
		}
	})
}

// parseNode reads a JSON text.
func parseNode(t require.TestingT, text []byte) *node {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := readNode(d)
	require.NoError(t, err, string(text))
	return n
}

func readNode(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		n := &node{kind: byte(v)}
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, key.(string))
			}
			kid, err := readNode(d)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		_, err := d.Token()
		return n, err
	case json.Number:
		return &node{text: v.String()}, nil
	default:
		b, err := json.Marshal(v)
		return &node{text: string(b)}, err
	}
}

// Payloads nest deeper than addresses may.
func TestJavaScriptDifferenceOfDeepPayloads(t *testing.T) {
	h := newJSHost(t)
	const depth = 200
	payload := strings.Repeat(`{"w":`, depth) + `{"n":1.0,"list":[1.0]}` + strings.Repeat("}", depth)
	for body, want := range map[string]string{
		`return { ...payload, k: -1 };`: payload[:len(payload)-1] + `,"k":-1}`,
		// An object that is made anew has the numbers that it is made of, a list that it takes over its own.
		`const above = []; let at = payload; while (at.w) { above.push(at); at = at.w; }
		 return above.reduceRight((w, a) => ({ ...a, w }), { ...at, k: -1 });`: strings.Replace(payload, `{"n":1.0,"list":[1.0]}`, `{"n":1,"list":[1.0],"k":-1}`, 1),
	} {
		files := adapterOf(body)
		files["index.js"] = strings.Replace(files["index.js"], "payload.prompt", `"old"`, 1)
		a := replaced(t, h.guest(t, files, runtime.GuestOptions{}), payload)
		require.NoError(t, a.Err)
		require.Equal(t, want, string(a.Payload))
	}
}
