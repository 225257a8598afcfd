package main

import (
	"strings"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// document is a payload that is a record, or what a view shows of one, and the changes to be made to it.
type document struct {
	root node
	// doubtful is set when a key that matters is there twice: readers of JSON disagree about what that
	// means, so such a payload is left alone. Of a view the host makes sure.
	doubtful bool
	// blind is set when a decision needs what the view does not show. The changes are worth nothing then.
	blind bool

	whole *jsonspan.Edit // the changes to a payload; nil: of a view
	edits []edit.Edit    // the changes to a payload that a view shows
}

// open scans a payload; nil if it is not a record. levels is how deep the adapter looks into all of it.
func open(payload []byte, levels int) *document {
	scanned, err := jsonspan.Scan(payload, levels)
	if err != nil || scanned.Root().Kind() != jsonspan.Object {
		return nil
	}
	return &document{root: node{span: scanned.Root()}, whole: scanned.Edit()}
}

// member returns a member of a record; an absent node if n is no record or has no such member.
func (d *document) member(n node, key string) node {
	if n.seen != nil {
		return node{seen: n.seen.member(key)}
	}
	m, unique := n.span.Member(key)
	d.doubtful = d.doubtful || !unique
	return node{span: m}
}

// raw returns a value as it is written.
func (d *document) raw(n node) []byte {
	if n.seen == nil {
		return n.span.Raw()
	}
	// A lone surrogate arrives as U+FFFD, so a text that has one may be written in another way.
	if s := n.seen; s.kind == jsonspan.String && !s.clipped && !strings.Contains(s.text, "\ufffd") {
		return quote(s.text)
	}
	d.blind = true
	return quote("")
}

func (d *document) set(n node, value []byte) {
	if n.seen != nil {
		d.edits = append(d.edits, edit.Set(n.seen.at, value))
		return
	}
	d.whole.Set(n.span, value)
}

func (d *document) remove(n node) {
	if n.seen != nil {
		d.edits = append(d.edits, edit.Remove(n.seen.at))
		return
	}
	d.whole.Remove(n.span)
}

// extend puts more, a JSON string, behind a string.
func (d *document) extend(n node, more []byte) {
	if n.seen != nil {
		d.edits = append(d.edits, edit.Append(n.seen.at, more))
		return
	}
	raw := d.raw(n)
	d.whole.Set(n.span, append(raw[:len(raw)-1:len(raw)-1], more[1:]...))
}

// after inserts elements behind n.
func (d *document) after(n node, values ...[]byte) {
	if n.seen != nil {
		d.insert(n.seen.parent, n.seen.index+1, values)
		return
	}
	d.whole.After(n.span, values...)
}

// prepend inserts elements at the start of a list.
func (d *document) prepend(list node, values ...[]byte) {
	if list.seen != nil {
		d.insert(list.seen, 0, values)
		return
	}
	d.whole.Prepend(list.span, values...)
}

// append inserts elements at the end of a list.
func (d *document) append(list node, values ...[]byte) {
	if list.seen != nil {
		d.insert(list.seen, list.seen.length, values)
		return
	}
	d.whole.Append(list.span, values...)
}

func (d *document) insert(list *seen, index int, values [][]byte) {
	for _, v := range values {
		d.edits = append(d.edits, edit.Insert(list.at.Element(index), v))
	}
}

// put sets a key of a record to a value, at the end if the key is not there.
func (d *document) put(record node, key string, value []byte) {
	switch m := d.member(record, key); {
	case !m.absent():
		d.set(m, value)
	case record.seen != nil:
		d.edits = append(d.edits, edit.Set(record.seen.at.Member(key), value))
	default:
		d.whole.AddMember(record.span, key, value)
	}
}

// bytes returns the changed payload, nil in case of doubt.
func (d *document) bytes() []byte { return d.sure(d.whole.Bytes()) }

// changed is bytes, but nil as well if the result is what the payload was.
func (d *document) changed() []byte { return d.sure(d.whole.Changed()) }

func (d *document) sure(out []byte, err error) []byte {
	if d.doubtful || err != nil {
		return nil
	}
	return out
}

func quote(s string) []byte { return ecma.AppendString(nil, s) }

// member is one member of a record to be written; value is JSON already.
type member struct {
	key   string
	value []byte
}

func record(members ...member) []byte {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(ecma.AppendString(out, m.key), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func list(values ...[]byte) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
