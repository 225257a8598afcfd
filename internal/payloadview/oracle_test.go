package payloadview

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// The tests compare the package with a plain reading of ABI.md that parses the whole document into a
// tree, finds and edits what it is asked for there, and writes the tree out again.

// item is a JSON value with the white space around it.
type item struct {
	lead, trail, key string // key: the member's name as written, with what follows up to the value
	name             string // decoded, as WTF-8
	raw              []byte
	open             byte // [ or { if it is a list or object
	items            []*item
}

// parseTree parses a valid document.
func parseTree(raw []byte) *item {
	lead, rest := space(raw)
	it, _ := parse(rest)
	it.lead = lead
	return it
}

func space(b []byte) (string, []byte) {
	rest := bytes.TrimLeft(b, " \t\r\n")
	return string(b[:len(b)-len(rest)]), rest
}

func parse(b []byte) (*item, []byte) {
	if b[0] != '[' && b[0] != '{' {
		var v json.RawMessage
		d := json.NewDecoder(bytes.NewReader(b))
		_ = d.Decode(&v)
		return &item{raw: v}, b[len(v):]
	}
	it := &item{open: b[0]}
	rest := b[1:]
	for {
		lead, r := space(rest)
		if r[0] == it.open+2 {
			rest = r
			break
		}
		child := &item{}
		key := ""
		if it.open == '{' {
			name, r2 := parse(r)
			gap, r3 := space(r2)
			gap2, r4 := space(r3[1:])
			key, r = string(name.raw)+gap+":"+gap2, r4
			child.name, _ = wtf8.Unquote(name.raw)
		}
		name := child.name
		child, r = parse(r)
		child.lead, child.key, child.name = lead, key, name
		child.trail, rest = space(r)
		it.items = append(it.items, child)
		if rest[0] == ',' {
			rest = rest[1:]
		}
	}
	it.raw = b[:len(b)-len(rest)+1]
	return it, rest[1:]
}

func (it *item) members(name string) (found []*item) {
	for _, child := range it.items {
		if it.open == '{' && child.name == name {
			found = append(found, child)
		}
	}
	return found
}

func (it *item) member(name string) *item {
	if found := it.members(name); len(found) > 0 {
		return found[0]
	}
	return nil
}

// text is the decoded text of a string.
func (it *item) text() (string, bool) {
	if it.raw[0] != '"' {
		return "", false
	}
	s, _ := wtf8.Unquote(it.raw)
	return s, true
}

// scalar is the value as a view shows it.
func (it *item) scalar() any {
	if s, ok := it.text(); ok {
		return wtf8.ToUTF8(s)
	}
	d := json.NewDecoder(bytes.NewReader(it.raw))
	d.UseNumber()
	var v any
	_ = d.Decode(&v)
	if n, ok := v.(json.Number); ok {
		s := n.String()
		if !strings.ContainsAny(s, ".eE") {
			var i int64
			var u uint64
			if json.Unmarshal(it.raw, &i) == nil {
				return i
			}
			if json.Unmarshal(it.raw, &u) == nil {
				return u
			}
		}
		f, err := n.Float64()
		if err != nil && f == 0 {
			f = math.NaN()
		}
		return f
	}
	return v
}

func holds(f *abi.Filter, it *item) bool {
	m := it.member(f.Member)
	if m == nil || m.open != 0 {
		return false
	}
	text, isText := m.text()
	if want, ok := f.Equals.Text(); ok {
		return isText && text == want
	}
	if !f.Equals.IsZero() {
		return !isText && jsonspan.Equal(m.raw, f.Equals.JSON())
	}
	return isText && (f.Prefix == nil || strings.HasPrefix(text, *f.Prefix)) && (f.Suffix == nil || strings.HasSuffix(text, *f.Suffix)) &&
		(f.Contains == nil || strings.Contains(text, *f.Contains))
}

// find lists what a selector finds; an error is a member that is there twice.
func find(s *abi.Selector, doc *item) (found []adaptersv2.Entry, err error) {
	var walk func(it *item, at adaptersv2.Address, depth int)
	walk = func(it *item, at adaptersv2.Address, depth int) {
		var looked []string
		for i := range s.Where {
			if s.Where[i].Depth(s.Path) == depth {
				looked = append(looked, s.Where[i].Member)
			}
		}
		if depth < len(s.Path) && !s.Path[depth].Each {
			looked = append(looked, s.Path[depth].Member)
		}
		if depth == len(s.Path) {
			looked = append(looked, s.Members...)
		}
		for _, name := range looked {
			if len(it.members(name)) > 1 {
				err = ErrDuplicate
			}
		}
		for i := range s.Where {
			if f := &s.Where[i]; f.Depth(s.Path) == depth && (it.open != '{' || !holds(f, it)) {
				return
			}
		}
		switch {
		case depth == len(s.Path):
			e := adaptersv2.Entry{At: at}
			e.Value = look1(s, it, true, &e.Clipped)
			found = append(found, e)
		case s.Path[depth].Each && it.open == '[':
			for i, child := range it.items {
				walk(child, append(slices.Clone(at), adaptersv2.Index(uint64(i))), depth+1)
			}
		case !s.Path[depth].Each && it.open == '{':
			if m := it.member(s.Path[depth].Member); m != nil {
				walk(m, append(slices.Clone(at), adaptersv2.Member(s.Path[depth].Member)), depth+1)
			}
		}
	}
	walk(doc, adaptersv2.Address{}, 0)
	return found, err
}

func look1(s *abi.Selector, it *item, members bool, clipped *bool) any {
	switch it.open {
	case '[':
		return adaptersv2.List{Len: uint64(len(it.items))}
	case '{':
		object := adaptersv2.Object{Members: map[string]any{}}
		for _, name := range s.Members {
			if m := it.member(name); m != nil && members {
				object.Members[name] = look1(s, m, false, clipped)
			}
		}
		return object
	}
	text, ok := it.scalar().(string)
	clip := abi.MaxClip
	if s.Clip != nil {
		clip = int(*s.Clip)
	}
	if !ok || len(text) <= clip {
		return it.scalar()
	}
	*clipped = true
	head, tail := (clip+1)/2, len(text)-clip/2
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return adaptersv2.Clipped{Head: text[:head], Tail: text[tail:], Bytes: uint64(len(text))}
}

// fixedTwice tells whether an object on the way of a path of names has one of them twice.
func fixedTwice(paths []abi.Path, doc *item) bool {
	for _, p := range paths {
		it := doc
		for _, s := range p {
			if s.Each || it == nil || it.open != '{' {
				break
			}
			if len(it.members(s.Member)) > 1 {
				return true
			}
			it = it.member(s.Member)
		}
	}
	return false
}

// wantView is the view as it should be, encoded, or what is wrong.
func wantView(view []abi.Selector, write []abi.Path, doc *item) ([]byte, error) {
	entries := []adaptersv2.Entry{}
	paths := slices.Clone(write)
	for i := range view {
		found, err := find(&view[i], doc)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
		paths = append(paths, view[i].Path)
	}
	if fixedTwice(paths, doc) {
		return nil, ErrDuplicate
	}
	b, err := abi.Encode(entries)
	if err != nil {
		return nil, err
	}
	if len(entries) > maxEntries || len(b) > maxViewBytes {
		return nil, ErrTooLarge
	}
	return b, nil
}

// resolve returns the item at an address, or for its last step the container that it would be in.
func (it *item) resolve(at adaptersv2.Address) (found, in *item, err error) {
	for i, s := range at {
		if it == nil {
			return nil, nil, errMissing
		}
		in = it
		switch {
		case s.InList && in.open == '[':
			it = nil
			if s.Index < uint64(len(in.items)) {
				it = in.items[s.Index]
			} else if i < len(at)-1 || s.Index > uint64(len(in.items)) {
				return nil, nil, errMissing
			}
		case !s.InList && in.open == '{':
			if len(in.members(s.Member)) > 1 {
				return nil, nil, ErrDuplicate
			}
			it = in.member(s.Member)
		default:
			return nil, nil, errMissing
		}
	}
	return it, in, nil
}

// wantEdit tells whether edits may be carried out.
func wantEdit(doc *item, edits []adaptersv2.Edit) error {
	for _, e := range edits {
		found, _, err := doc.resolve(e.At)
		last := e.At[len(e.At)-1]
		switch {
		case err != nil:
			return err
		case found == nil && (e.Op == adaptersv2.OpRemove || e.Op == adaptersv2.OpAppend || e.Op == adaptersv2.OpSet && last.InList):
			return errMissing
		case e.Op == adaptersv2.OpAppend:
			for _, other := range edits {
				set := other.Op == adaptersv2.OpSet && slices.Equal(other.At, e.At)
				if found.raw[0] != '"' || bytes.TrimSpace(e.Value)[0] != '"' || set && bytes.TrimSpace(other.Value)[0] != '"' {
					return errNoText
				}
			}
		case e.Op == adaptersv2.OpInsert && !last.InList:
			return errMissing
		}
	}
	below := func(a, b adaptersv2.Address) bool { return len(a) > len(b) && slices.Equal(a[:len(b)], b) }
	for i, a := range edits {
		for j, b := range edits {
			if i == j || b.Op == adaptersv2.OpInsert || b.Op == adaptersv2.OpAppend {
				continue
			}
			beside := a.Op == adaptersv2.OpInsert || a.Op == adaptersv2.OpAppend && b.Op == adaptersv2.OpSet
			if below(a.At, b.At) || !beside && slices.Equal(a.At, b.At) {
				return errors.New("conflict")
			}
		}
	}
	return nil
}

// apply writes the item at the address with the edits that concern it.
func (it *item) apply(at adaptersv2.Address, edits []adaptersv2.Edit) []byte {
	var inside []adaptersv2.Edit
	for _, e := range edits {
		if len(e.At) > len(at) && slices.Equal(e.At[:len(at)], at) {
			inside = append(inside, e)
		}
	}
	if len(inside) == 0 {
		return it.raw
	}
	var parts []string
	done := map[int]bool{}
	for i, child := range it.items {
		step := adaptersv2.Index(uint64(i))
		if it.open == '{' {
			step = adaptersv2.Member(child.name)
		}
		here := append(slices.Clone(at), step)
		written, removed := string(child.apply(here, inside)), false
		for n, e := range inside {
			if !slices.Equal(e.At, here) {
				continue
			}
			done[n] = true
			switch e.Op {
			case adaptersv2.OpInsert:
				parts = append(parts, string(e.Value))
			case adaptersv2.OpSet:
				written = string(e.Value)
			case adaptersv2.OpRemove:
				removed = true
			}
		}
		for _, e := range inside {
			if e.Op == adaptersv2.OpAppend && slices.Equal(e.At, here) {
				written = strings.TrimSpace(written)
				written = written[:len(written)-1] + string(bytes.TrimSpace(e.Value)[1:])
			}
		}
		if !removed {
			parts = append(parts, child.lead+child.key+written+child.trail)
		}
	}
	for n, e := range inside { // behind the last item
		if len(e.At) != len(at)+1 || done[n] {
			continue
		}
		if last := e.At[len(at)]; last.InList {
			parts = append(parts, string(e.Value))
		} else {
			parts = append(parts, string(ecma.AppendString(nil, last.Member))+":"+string(e.Value))
		}
	}
	return []byte(string(it.open) + strings.Join(parts, ",") + string(it.open+2))
}
