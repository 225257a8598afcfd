package main

import (
	"iter"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// node is a value of a payload: found in the payload itself, or shown by a view. The zero node is
// absent, and so is everything inside it.
type node struct {
	span jsonspan.Node
	seen *seen
}

func (n node) kind() jsonspan.Kind {
	if n.seen != nil {
		return n.seen.kind
	}
	return n.span.Kind()
}

func (n node) absent() bool { return n.kind() == jsonspan.Absent }

// text returns a string, decoded; of one that is clipped the beginning, of another value "".
func (n node) text() string {
	if n.seen != nil {
		return n.seen.text
	}
	text, _ := n.span.Text()
	return text
}

// is tells whether the value is a string that decodes to text.
func (n node) is(text string) bool {
	if n.seen != nil {
		return n.seen.kind == jsonspan.String && !n.seen.clipped && n.seen.text == text
	}
	return n.span.Is(text)
}

// elements goes through a list. Of a view it shows one more object, without members, for each gap: the
// elements there are none that the rules care about, but there are some.
func (n node) elements() iter.Seq[node] {
	return func(yield func(node) bool) {
		switch {
		case n.kind() != jsonspan.Array:
		case n.seen != nil:
			n.seen.elements(yield)
		default:
			for e := n.span.First(); e.Kind() != jsonspan.Absent; e = e.Next() {
				if !yield(node{span: e}) {
					return
				}
			}
		}
	}
}
