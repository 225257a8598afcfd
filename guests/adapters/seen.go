package main

import (
	"cmp"
	"slices"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// seen is a value of a payload as a view shows it. nil is an absent one.
type seen struct {
	at     edit.Address
	parent *seen
	name   string // the member that it is
	index  int    // the element that it is
	kind   jsonspan.Kind

	text    string // of a string; the beginning of a clipped one
	clipped bool
	tail    string
	bytes   int
	opening bool // there may be an opening inside a clipped one

	length int     // of a list
	inside []*seen // members, or elements by their index
}

// unseen stands for elements that a view does not show.
var unseen = node{seen: &seen{kind: jsonspan.Object}}

// viewed makes a document of what a view shows.
func viewed(view []edit.Entry) *document {
	root := &seen{kind: jsonspan.Object}
	for _, e := range view {
		n := root
		for _, step := range e.At {
			n = n.child(step)
		}
		n.show(e.Value)
	}
	return &document{root: node{seen: root}}
}

// child returns what a step leads to, new if it was not there.
func (s *seen) child(step edit.Step) *seen {
	if !step.Element {
		if m := s.member(step.Name); m != nil {
			return m
		}
		m := &seen{at: s.at.Member(step.Name), parent: s, name: step.Name}
		s.inside = append(s.inside, m)
		return m
	}
	i, found := slices.BinarySearchFunc(s.inside, step.Index, func(e *seen, index int) int { return cmp.Compare(e.index, index) })
	if !found {
		s.inside = append(s.inside, nil)
		copy(s.inside[i+1:], s.inside[i:])
		s.inside[i] = &seen{at: s.at.Element(step.Index), parent: s, index: step.Index}
	}
	return s.inside[i]
}

func kindOf(k edit.Kind) jsonspan.Kind {
	switch k {
	case edit.Null:
		return jsonspan.Null
	case edit.Bool:
		return jsonspan.Bool
	case edit.Number:
		return jsonspan.Number
	case edit.String:
		return jsonspan.String
	case edit.List:
		return jsonspan.Array
	case edit.Object:
		return jsonspan.Object
	}
	return jsonspan.Absent
}

func (s *seen) show(v edit.Value) {
	// A string of which nothing is shown is one with an opening inside, or one that nobody looks into.
	if v.Clipped && v.Text == "" && v.Tail == "" {
		s.opening = true
		if s.kind == jsonspan.String {
			return // another selector shows more
		}
	}
	s.kind = kindOf(v.Kind)
	s.text, s.clipped, s.tail, s.bytes = v.Text, v.Clipped, v.Tail, v.Bytes
	s.length = v.Len
	for _, m := range v.Members {
		s.child(edit.Step{Name: m.Name}).show(m.Value)
	}
}

func (s *seen) member(name string) *seen {
	for _, m := range s.inside {
		if m.name == name {
			return m
		}
	}
	return nil
}

func (s *seen) elements(yield func(node) bool) {
	next := 0
	for _, e := range s.inside {
		if e.index > next && !yield(unseen) || !yield(node{seen: e}) {
			return
		}
		next = e.index + 1
	}
	if next < s.length {
		yield(unseen)
	}
}
