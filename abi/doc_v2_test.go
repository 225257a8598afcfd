package abi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

// The worked examples of provider-payload-adapters/v2 are carried out here by a small reading of the
// document's section 13, so that the design is known to hold together before it is built.

type (
	v2Selector struct {
		Path  []any `cbor:"path"`
		Where []struct {
			Of     int    `cbor:"of"`
			Member string `cbor:"member"`
			Equals any    `cbor:"equals"`
		} `cbor:"where"`
		Members []string `cbor:"members"`
		Clip    *int     `cbor:"clip"`
	}
	v2Manifest struct {
		Adapters []struct {
			View  []v2Selector `cbor:"view"`
			Write [][]any      `cbor:"write"`
		} `cbor:"adapters"`
	}
	v2Entry struct {
		At      []any `cbor:"at"`
		Value   any   `cbor:"value"`
		Clipped bool  `cbor:"clipped,omitempty"`
	}
	v2Request struct {
		View []v2Entry `cbor:"view"`
	}
	v2Edit struct {
		Op    string `cbor:"op"`
		At    []any  `cbor:"at"`
		Value []byte `cbor:"value"`
	}
	v2Answer struct {
		Prompt struct {
			At    []any    `cbor:"at"`
			Edits []v2Edit `cbor:"edits"`
		} `cbor:"prompt"`
		Messages struct {
			Edits []v2Edit `cbor:"edits"`
		} `cbor:"messages"`
	}
)

func TestWorkedExamplesOfV2(t *testing.T) {
	for name, base := range map[string]string{"codex": "You are a coding agent.", "anthropic": "You are helpful."} {
		t.Run(name, func(t *testing.T) {
			json1, hexes := blocks(t, "json"), blocks(t, "hex")
			example := func(what string) []byte { return hexBlock(t, hexes["provider-payload-adapters/v2 "+name+" "+what]) }
			before := parseItem(t, []byte(strings.TrimSpace(json1[name+" before"])))
			assert.Contains(t, document(t), "base: `"+base+"`")

			var manifest v2Manifest
			var request v2Request
			require.NoError(t, abi.Decode(example("manifest"), &manifest))
			require.NoError(t, abi.Decode(example("edit request"), &request))
			var view []v2Entry
			for _, s := range manifest.Adapters[0].View {
				view = append(view, s.find(t, before)...)
			}
			assert.Equal(t, encoded(t, view), encoded(t, request.View), "the view is what the selectors find")

			value, err := abi.DecodeAnswer(example("answer"))
			require.NoError(t, err)
			var answer v2Answer
			require.NoError(t, abi.Decode(value, &answer))
			edits := answer.Messages.Edits
			if at := before.at(answer.Prompt.At); assert.NotNil(t, at) && assert.Equal(t, base, at.text(t)) {
				edits = append(slices.Clone(answer.Prompt.Edits), edits...)
			}
			for _, e := range edits {
				assert.True(t, slices.ContainsFunc(manifest.Adapters[0].Write, func(p []any) bool { return below(e.At, p) }), "%v may be written", e.At)
			}
			assert.Equal(t, strings.TrimSpace(json1[name+" after"]), string(before.apply(nil, edits)))
		})
	}
}

func encoded(t *testing.T, v any) []byte {
	b, err := abi.Encode(v)
	require.NoError(t, err)
	return b
}

// An item is a JSON value with the white space around it.
type item struct {
	lead, trail, key string // key: the member's name as written, with what follows up to the value
	raw              []byte
	open, close      byte // brackets, if it is a list or object
	items            []*item
}

func parseItem(t *testing.T, raw []byte) *item {
	require.True(t, json.Valid(raw))
	it, rest := parse(raw)
	require.Empty(t, rest)
	return it
}

func space(b []byte) (string, []byte) {
	rest := bytes.TrimLeft(b, " \t\r\n")
	return string(b[:len(b)-len(rest)]), rest
}

func parse(b []byte) (*item, []byte) {
	var v json.RawMessage
	if b[0] != '[' && b[0] != '{' {
		d := json.NewDecoder(bytes.NewReader(b))
		_ = d.Decode(&v)
		return &item{raw: v}, b[len(v):]
	}
	it := &item{open: b[0], close: b[0] + 2}
	if it.open == '[' {
		it.close = ']'
	}
	rest := b[1:]
	for {
		lead, r := space(rest)
		if r[0] == it.close {
			rest = r
			break
		}
		key := ""
		if it.open == '{' {
			name, r2 := parse(r)
			gap, r3 := space(r2)
			gap2, r4 := space(r3[1:])
			key, r = string(name.raw)+gap+":"+gap2, r4
		}
		child, r := parse(r)
		child.lead, child.key = lead, key
		child.trail, rest = space(r)
		it.items = append(it.items, child)
		if rest[0] == ',' {
			rest = rest[1:]
		}
	}
	it.raw = b[:len(b)-len(rest)+1]
	return it, rest[1:]
}

func (it *item) name() (s string) {
	d := json.NewDecoder(strings.NewReader(it.key))
	_ = d.Decode(&s)
	return s
}

func (it *item) member(name string) *item {
	for _, child := range it.items {
		if it.open == '{' && child.name() == name {
			return child
		}
	}
	return nil
}

func (it *item) at(address []any) *item {
	for _, step := range address {
		switch step := step.(type) {
		case string:
			it = it.member(step)
		case uint64:
			it = it.items[step]
		}
		if it == nil {
			return nil
		}
	}
	return it
}

func (it *item) text(t *testing.T) (s string) {
	require.NoError(t, json.Unmarshal(it.raw, &s))
	return s
}

func (s *v2Selector) find(t *testing.T, doc *item) (found []v2Entry) {
	var walk func(it *item, at []any, rest []any)
	walk = func(it *item, at []any, rest []any) {
		for _, f := range s.Where {
			of := f.Of
			if of == 0 {
				of = len(s.Path)
			}
			if of == len(at) {
				if m := it.member(f.Member); m == nil || !assert.ObjectsAreEqual(f.Equals, m.scalar()) {
					return
				}
			}
		}
		switch {
		case len(rest) == 0:
			e := v2Entry{At: at}
			e.Value = s.shown(it, true, &e.Clipped)
			found = append(found, e)
		case rest[0] == true && it.open == '[':
			for i, child := range it.items {
				walk(child, append(slices.Clone(at), uint64(i)), rest[1:])
			}
		case it.open == '{':
			if m := it.member(rest[0].(string)); m != nil {
				walk(m, append(slices.Clone(at), rest[0]), rest[1:])
			}
		}
	}
	walk(doc, []any{}, s.Path)
	return found
}

func (it *item) scalar() (v any) {
	_ = json.Unmarshal(it.raw, &v)
	return v
}

func (s *v2Selector) shown(it *item, members bool, clipped *bool) any {
	switch it.open {
	case '[':
		return map[string]any{"list": len(it.items)}
	case '{':
		object := map[string]any{}
		for _, child := range it.items {
			if members && slices.Contains(s.Members, child.name()) {
				object[child.name()] = s.shown(child, false, clipped)
			}
		}
		return map[string]any{"object": object}
	}
	text, ok := it.scalar().(string)
	clip := 1024
	if s.Clip != nil {
		clip = *s.Clip
	}
	if !ok || len(text) <= clip {
		return it.scalar()
	}
	*clipped = true // the examples are ASCII: no character is cut
	return map[string]any{"head": text[:(clip+1)/2], "tail": text[len(text)-clip/2:], "bytes": len(text)}
}

func below(address, path []any) bool {
	if len(address) < len(path) {
		return false
	}
	for i, step := range path {
		if _, index := address[i].(uint64); step != address[i] && !(step == true && index) {
			return false
		}
	}
	return true
}

// apply writes the item at the address with the edits that concern it.
func (it *item) apply(at []any, edits []v2Edit) []byte {
	inside := slices.ContainsFunc(edits, func(e v2Edit) bool { return below(e.At, at) })
	if !inside {
		return it.raw
	}
	var parts []string
	for i, child := range it.items {
		step := any(uint64(i))
		if it.open == '{' {
			step = child.name()
		}
		here := append(slices.Clone(at), step)
		written, removed := string(child.apply(here, edits)), false
		for _, e := range edits {
			if fmt.Sprint(e.At) != fmt.Sprint(here) {
				continue
			}
			switch e.Op {
			case "insert":
				parts = append(parts, string(e.Value))
			case "set":
				written = string(e.Value)
			case "remove":
				removed = true
			}
		}
		if !removed {
			parts = append(parts, child.lead+child.key+written+child.trail)
		}
	}
	for _, e := range edits { // behind the last element
		if it.open == '[' && fmt.Sprint(e.At) == fmt.Sprint(append(slices.Clone(at), uint64(len(it.items)))) {
			parts = append(parts, string(e.Value))
		}
	}
	return []byte(string(it.open) + strings.Join(parts, ",") + string(it.close))
}
