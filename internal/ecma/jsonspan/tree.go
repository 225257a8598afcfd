// Package jsonspan finds and edits parts of JSON documents without decoding them. A scan notes where
// values lie; an [Edit] puts new bytes in their place, and everything outside the edits stays byte for
// byte: white space, key order, the spelling of numbers, and escapes that no Go string can hold. The
// grammar is that of RFC 8259, strictly.
//
// It is linked into Wasm guests and therefore imports nothing large.
package jsonspan

import (
	"math"
	"strconv"
)

// Kind is the kind of a value. The zero Kind is that of an absent value.
type Kind uint8

const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Span is a range of bytes in a document, From included, To not.
type Span struct{ From, To int }

// SyntaxError tells where a document stops being JSON.
type SyntaxError struct {
	// Offset is the index of the first byte that cannot be there; the document's length if it ends too early.
	Offset int
}

func (e *SyntaxError) Error() string {
	return "not a JSON document: unexpected input at byte " + strconv.Itoa(e.Offset)
}

// Doc is a scanned document. It is not safe for concurrent use, reading included: values below the
// scanned depth are looked at when they are first asked for.
type Doc struct {
	data  []byte
	nodes []node // nodes[0] is the root; 0 in a link means none
}

type node struct {
	from, to           uint32
	keyFrom, keyTo     uint32 // with quotation marks; equal without a key
	parent, first, sib uint32
	kind               Kind
	open               bool // the children have been noted
}

// Node is one value of a document. The zero Node is absent, and so is every part of it.
type Node struct {
	doc *Doc
	at  uint32
}

// Scan checks that data is one valid JSON document (see [Valid]), smaller than 4 GiB, and notes the
// values of its outer levels: of the root only with levels 0, of its members too with 1, and so on.
// What lies deeper can be asked for too, but costs another look at it, so levels is best the depth that
// is used. The error is a *[SyntaxError]. The document refers to data, which must not change.
func Scan(data []byte, levels int) (*Doc, error) {
	if uint64(len(data)) > math.MaxUint32 {
		return nil, &SyntaxError{Offset: len(data)}
	}
	d := &Doc{data: data, nodes: make([]node, 0, 16)}
	i := SkipSpace(data, 0)
	if i == len(data) {
		return nil, &SyntaxError{Offset: i}
	}
	d.nodes = append(d.nodes, node{from: uint32(i), kind: kindOf(data[i])})
	end, ok := i, false
	if levels > 0 && d.nodes[0].kind >= Array {
		end, ok = d.fill(0, levels)
	} else {
		end, ok = SkipValue(data, i, MaxDepth)
	}
	if !ok {
		return nil, &SyntaxError{Offset: end}
	}
	d.nodes[0].to = uint32(end)
	if end = SkipSpace(data, end); end != len(data) {
		return nil, &SyntaxError{Offset: end}
	}
	return d, nil
}

func kindOf(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// fill notes the children of container top, and theirs, for the given number of levels. It returns the
// index behind the container, or that of the fault and false. It walks along parent links instead of
// recursing.
func (d *Doc) fill(top uint32, levels int) (int, bool) {
	b := d.data
	i := int(d.nodes[top].from) + 1
	d.nodes[top].open = true
	cur, prev, level := top, uint32(0), 1
	for {
		if i = SkipSpace(b, i); i >= len(b) {
			return i, false
		}
		object := d.nodes[cur].kind == Object
		if b[i] == '}' && object || b[i] == ']' && !object {
			i++
			d.nodes[cur].to = uint32(i)
			if cur == top {
				return i, true
			}
			prev, cur = cur, d.nodes[cur].parent
			level--
			continue
		}
		if prev != 0 {
			if b[i] != ',' {
				return i, false
			}
			i = SkipSpace(b, i+1)
		}
		child := node{parent: cur}
		if object {
			if i >= len(b) || b[i] != '"' {
				return i, false
			}
			end, ok := SkipString(b, i+1)
			if !ok {
				return end, false
			}
			child.keyFrom, child.keyTo = uint32(i), uint32(end)
			if i = SkipSpace(b, end); i >= len(b) || b[i] != ':' {
				return i, false
			}
			i = SkipSpace(b, i+1)
		}
		if i >= len(b) {
			return i, false
		}
		child.kind = kindOf(b[i])
		child.from = uint32(i)
		at := uint32(len(d.nodes))
		if prev == 0 {
			d.nodes[cur].first = at
		} else {
			d.nodes[prev].sib = at
		}
		if child.kind >= Array && level < levels && level < MaxDepth {
			child.open = true
			d.nodes = append(d.nodes, child)
			cur, prev = at, 0
			level++
			i++
			continue
		}
		end, ok := SkipValue(b, i, MaxDepth-level)
		if !ok {
			return end, false
		}
		i = end
		child.to = uint32(i)
		d.nodes = append(d.nodes, child)
		prev = at
	}
}

// Root returns the outermost value.
func (d *Doc) Root() Node { return Node{doc: d} }

func (n Node) node() *node { return &n.doc.nodes[n.at] }

// Kind returns the kind of the value; Absent for the zero Node.
func (n Node) Kind() Kind {
	if n.doc == nil {
		return Absent
	}
	return n.node().kind
}

// Span returns where the value is in the document.
func (n Node) Span() Span {
	if n.doc == nil {
		return Span{}
	}
	return Span{int(n.node().from), int(n.node().to)}
}

// KeySpan returns where the member's key is, quotation marks included; an empty span if the value is no
// member.
func (n Node) KeySpan() Span {
	if n.doc == nil {
		return Span{}
	}
	return Span{int(n.node().keyFrom), int(n.node().keyTo)}
}

// RawKey returns the bytes of the member's key, quotation marks included; nil if the value is no member.
// They belong to the document.
func (n Node) RawKey() []byte {
	s := n.KeySpan()
	if s.From == s.To {
		return nil
	}
	return n.doc.data[s.From:s.To:s.To]
}

// Raw returns the bytes of the value. They belong to the document.
func (n Node) Raw() []byte {
	s := n.Span()
	if n.doc == nil {
		return nil
	}
	return n.doc.data[s.From:s.To:s.To]
}

// Text returns the decoded text ([Text]) of a string; ok is false for any other value.
func (n Node) Text() (text string, ok bool) {
	if n.Kind() != String {
		return "", false
	}
	return Text(n.Raw()), true
}

// Is tells whether the value is a string that decodes to text.
func (n Node) Is(text string) bool {
	return n.Kind() == String && TextIs(n.Raw(), text)
}

// Key returns the decoded key of a member.
func (n Node) Key() string {
	return Text(n.RawKey())
}

// First returns the first member or element; an absent Node if there is none.
func (n Node) First() Node {
	if n.Kind() < Array {
		return Node{}
	}
	if !n.node().open {
		n.doc.fill(n.at, 1)
	}
	return n.link(n.node().first)
}

// Next returns the member or element behind n in the same container; an absent Node behind the last one.
func (n Node) Next() Node {
	if n.doc == nil {
		return Node{}
	}
	return n.link(n.node().sib)
}

func (n Node) link(at uint32) Node {
	if at == 0 {
		return Node{}
	}
	return Node{doc: n.doc, at: at}
}

// Member returns the value of the member of an object whose decoded key is key, an absent Node if there
// is none, and whether the answer is beyond doubt: of several members with the same key the last one is
// returned, and unique is false.
func (n Node) Member(key string) (member Node, unique bool) {
	if n.Kind() != Object {
		return Node{}, true
	}
	unique = true
	for m := n.First(); m.doc != nil; m = m.Next() {
		if TextIs(m.RawKey(), key) {
			unique = member.doc == nil
			member = m
		}
	}
	return member, unique
}
