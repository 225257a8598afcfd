package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// The tests of version 2 have a host of their own, which reads ABI.md in the plainest way: it parses the
// whole payload, and carries out edits on the parsed tree.

// tree is a parsed JSON value.
type tree struct {
	open   byte // '{', '[' or 0
	raw    string
	keys   []string // of an object, decoded
	inside []*tree
}

func parseTree(t require.TestingT, raw []byte) *tree {
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' && raw[0] != '[' {
		return &tree{raw: string(raw)}
	}
	out := &tree{open: raw[0]}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		if out.open == '{' {
			key, err := dec.Token()
			require.NoError(t, err)
			out.keys = append(out.keys, key.(string))
		}
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
		out.inside = append(out.inside, parseTree(t, value))
	}
	return out
}

func (v *tree) String() string {
	if v.open == 0 {
		return v.raw
	}
	parts := make([]string, len(v.inside))
	for i, child := range v.inside {
		if v.open == '{' {
			parts[i] = string(quote(v.keys[i])) + ":"
		}
		parts[i] += child.String()
	}
	return string(v.open) + strings.Join(parts, ",") + string(v.open+2)
}

// member returns a member; twice is set if there are several.
func (v *tree) member(name string, twice *bool) *tree {
	var found *tree
	for i, key := range v.keys {
		if key == name {
			*twice = *twice || found != nil
			found = v.inside[i]
		}
	}
	return found
}

func (v *tree) text() (string, bool) {
	var s string
	err := json.Unmarshal([]byte(v.raw), &s)
	return s, err == nil && strings.HasPrefix(v.raw, `"`)
}

// twin is the host's side of one adapter.
type twin struct {
	offer abi.Adapter
	role  string
}

var manifest = sync.OnceValues(func() (*abi.Manifest, error) { return guestbuild.ReadManifest(".") })

func twinFor(t require.TestingT, api, role string) twin {
	m, err := manifest()
	require.NoError(t, err)
	i := slices.IndexFunc(m.Adapters, func(a abi.Adapter) bool { return a.ID == api })
	require.GreaterOrEqual(t, i, 0)
	return twin{m.Adapters[i], role}
}

// adapt does what the host does with a payload. handled is false if the adapter wants version 1 to do it.
func (w twin) adapt(t require.TestingT, payload []byte, base, prompt string, messages []Message) (result []byte, handled bool) {
	doc := parseTree(t, payload)
	list := make([]edit.Message, len(messages))
	for i, m := range messages {
		list[i] = edit.Message(m)
	}
	a, err := w.ask(t, payload, prompt, list)
	if err != nil {
		require.True(t, errors.Is(err, errUntouched) || err == edit.UseV1(err.Error()), "%v", err)
		return payload, err == errUntouched
	}
	w.check(t, doc, append(slices.Clone(a.Prompt), a.Messages...))
	edits := a.Messages
	if a.PromptAt != nil {
		at, _ := locate(doc, a.PromptAt)
		require.NotNil(t, at)
		if text, ok := at.text(); ok && text == base {
			edits = append(slices.Clone(a.Prompt), edits...)
		}
	}
	return []byte(rebuilt(doc, nil, edits).String()), true
}

// errUntouched says that the host does not ask about a payload: a member that matters is there twice.
var errUntouched = errors.New("untouched")

// ask puts the host's question to the adapter.
func (w twin) ask(t require.TestingT, payload []byte, prompt string, messages []edit.Message) (edit.Answer, error) {
	r := w.request(t, payload, prompt, messages)
	if r == nil {
		return edit.Answer{}, errUntouched
	}
	return editsFor(w.offer.ID, "", w.role, r)
}

// request is that question, nil if the host asks none.
func (w twin) request(t require.TestingT, payload []byte, prompt string, messages []edit.Message) *edit.Request {
	doc := parseTree(t, payload)
	r := &edit.Request{ID: w.offer.ID, Provider: "p", API: w.offer.ID, SystemPrompt: prompt, Messages: messages}
	twice := doc.open != '{'
	for i := range w.offer.View {
		r.View = append(r.View, view(&w.offer.View[i], doc, &twice)...)
	}
	require.LessOrEqual(t, len(r.View), 1024)
	if twice {
		return nil
	}
	return r
}

// view is what one selector shows.
func view(s *abi.Selector, doc *tree, twice *bool) (entries []edit.Entry) {
	var walk func(v *tree, at edit.Address, rest abi.Path)
	walk = func(v *tree, at edit.Address, rest abi.Path) {
		var next *tree
		if len(rest) > 0 && !rest[0].Each {
			next = v.member(rest[0].Member, twice)
		}
		for _, f := range s.Where {
			if f.Depth(s.Path) != len(at) {
				continue
			}
			m := v.member(f.Member, twice)
			if m == nil {
				return
			}
			want, _ := f.Equals.Text() // the adapters compare with texts only
			if text, ok := m.text(); !ok || f.Contains == nil && text != want || f.Contains != nil && !strings.Contains(text, *f.Contains) {
				return
			}
		}
		switch {
		case len(rest) == 0:
			entries = append(entries, edit.Entry{At: at, Value: shown(s, v, true, twice)})
		case next != nil:
			walk(next, at.Member(rest[0].Member), rest[1:])
		case rest[0].Each && v.open == '[':
			for i, child := range v.inside {
				walk(child, at.Element(i), rest[1:])
			}
		}
	}
	walk(doc, nil, s.Path)
	return entries
}

func shown(s *abi.Selector, v *tree, members bool, twice *bool) edit.Value {
	switch v.open {
	case '[':
		return edit.Value{Kind: edit.List, Len: len(v.inside)}
	case '{':
		out := edit.Value{Kind: edit.Object}
		for _, name := range s.Members {
			if m := v.member(name, twice); members && m != nil {
				out.Members = append(out.Members, edit.Member{Name: name, Value: shown(s, m, false, twice)})
			}
		}
		return out
	}
	text, ok := v.text()
	switch {
	case !ok && v.raw == "null":
		return edit.Value{Kind: edit.Null}
	case !ok:
		return edit.Value{Kind: edit.Number, Number: 1} // the rules make no difference
	}
	clip := 1024
	if s.Clip != nil {
		clip = int(*s.Clip)
	}
	if len(text) <= clip {
		return edit.Value{Kind: edit.String, Text: text}
	}
	head, tail := (clip+1)/2, len(text)-clip/2
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return edit.Value{Kind: edit.String, Text: text[:head], Clipped: true, Tail: text[tail:], Bytes: len(text)}
}

// locate returns the value at an address, nil if there is none, and the container that the last step is
// taken in, nil if there is none.
func locate(v *tree, at edit.Address) (value, container *tree) {
	value = v
	for _, step := range at {
		container, value = value, nil
		switch {
		case container == nil:
			return nil, nil
		case step.Element && container.open == '[' && step.Index < len(container.inside):
			value = container.inside[step.Index]
		case !step.Element && container.open == '{':
			value = container.member(step.Name, new(bool))
		}
	}
	return value, container
}

// check refuses what a host would refuse.
func (w twin) check(t require.TestingT, doc *tree, edits []edit.Edit) {
	require.LessOrEqual(t, len(edits), 1024)
	for i, e := range edits {
		require.True(t, slices.ContainsFunc(w.offer.Write, func(p abi.Path) bool { return covers(p, e.At) }), "%v may not be written", e.At)
		value, container := locate(doc, e.At)
		require.NotNil(t, container, "no place for %v", e)
		last := e.At[len(e.At)-1]
		switch e.Op {
		case edit.OpInsert:
			require.True(t, container.open == '[' && last.Element && last.Index >= 0 && last.Index <= len(container.inside), "%v", e)
		case edit.OpSet:
			require.True(t, value != nil || container.open == '{' && !last.Element, "%v", e)
		case edit.OpRemove:
			require.NotNil(t, value, "%v", e)
		case edit.OpAppend:
			require.NotNil(t, value, "%v", e)
			for _, text := range []string{value.raw, string(e.Value)} {
				require.True(t, strings.HasPrefix(text, `"`), "%v", e)
			}
		}
		require.Equal(t, e.Op != edit.OpRemove, json.Valid(e.Value), "%v", e)
		for j, other := range edits {
			if i == j || !takesAway(e, other.At) {
				continue
			}
			beside := other.Op == edit.OpInsert || other.Op == edit.OpAppend && e.Op == edit.OpSet
			require.True(t, beside && len(other.At) == len(e.At), "%v and %v", e, other)
		}
	}
}

func covers(p abi.Path, at edit.Address) bool {
	if len(at) < len(p) {
		return false
	}
	for i, step := range p {
		if step.Each != at[i].Element || !step.Each && step.Member != at[i].Name {
			return false
		}
	}
	return true
}

// rebuilt is the value at an address with the edits that concern it.
func rebuilt(v *tree, at edit.Address, edits []edit.Edit) *tree {
	out := &tree{open: v.open, raw: v.raw}
	add := func(key string, child *tree) {
		if v.open == '{' {
			out.keys = append(out.keys, key)
		}
		out.inside = append(out.inside, child)
	}
	each := func(here edit.Address, op edit.Op, do func(value *tree)) (found bool) {
		for _, e := range edits {
			if e.Op == op && slices.Equal(e.At, here) {
				do(&tree{raw: string(e.Value)})
				found = true
			}
		}
		return found
	}
	for i, child := range v.inside {
		here, key := at.Element(i), ""
		if v.open == '{' {
			key = v.keys[i]
			here = at.Member(key)
		}
		each(here, edit.OpInsert, func(value *tree) { add("", value) })
		child = rebuilt(child, here, edits)
		each(here, edit.OpSet, func(value *tree) { child = value })
		each(here, edit.OpAppend, func(value *tree) { child = &tree{raw: child.raw[:len(child.raw)-1] + value.raw[1:]} })
		if !each(here, edit.OpRemove, func(*tree) {}) {
			add(key, child)
		}
	}
	if v.open == '[' {
		each(at.Element(len(v.inside)), edit.OpInsert, func(value *tree) { add("", value) })
	}
	for _, e := range edits {
		if n := len(at); v.open == '{' && e.Op == edit.OpSet && len(e.At) == n+1 && slices.Equal(e.At[:n], at) && !slices.Contains(v.keys, e.At[n].Name) {
			add(e.At[n].Name, &tree{raw: string(e.Value)})
		}
	}
	return out
}

// adaptV1 is what the host does with an adapter of version 1.
func adaptV1(p place, payload []byte, base, prompt string, messages []Message) []byte {
	if text, ok := p.read(payload); ok && text == base {
		if out := p.replaceSystem(payload, prompt); out != nil {
			payload = out
		}
	}
	if out := p.replaceDeveloper(payload, messages); out != nil {
		payload = out
	}
	return payload
}

func TestTwin(t *testing.T) {
	doc := parseTree(t, []byte(` {"a" : [1, {"b":"\ud800"}] ,"c":null} `))
	require.Equal(t, `{"a":[1,{"b":"\ud800"}],"c":null}`, doc.String())
	at := edit.Top("a")
	edits := []edit.Edit{
		edit.Insert(at.Element(0), []byte("7")), edit.Remove(at.Element(0)), edit.Insert(at.Element(0), []byte("8")),
		edit.Insert(at.Element(2), []byte("9")), edit.Set(at.Element(1).Member("b"), []byte(`"x"`)),
		edit.Set(edit.Top("d"), []byte("true")), edit.Remove(edit.Top("c")),
	}
	require.Equal(t, `{"a":[7,8,{"b":"x"},9],"d":true}`, fmt.Sprint(rebuilt(doc, nil, edits)))
}
