package payloadview

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Part selects edits of a plan.
type Part uint8

// The parts of a plan. They can be joined with |.
const (
	PromptPart Part = 1 << iota
	MessagesPart
)

// Pieces returns the document with the edits of a part: pieces of the document and of the answer's
// values, to be read one after the other. Without edits it is the document.
func (p *Plan) Pieces(part Part) [][]byte {
	cuts := p.cuts(part)
	pieces := make([][]byte, 0, 4*len(cuts)+1)
	end := 0
	for _, c := range cuts {
		pieces = appendPieces(pieces, p.data[end:c.from])
		pieces = appendPieces(pieces, c.with...)
		end = c.to
	}
	return appendPieces(pieces, p.data[end:])
}

// appendPieces leaves empty ones out.
func appendPieces(dst [][]byte, pieces ...[]byte) [][]byte {
	for _, b := range pieces {
		if len(b) > 0 {
			dst = append(dst, b)
		}
	}
	return dst
}

// Changes tells whether the edits of a part make another value of the document: members in another order
// count, white space and the spelling of texts and numbers do not.
func (p *Plan) Changes(part Part) bool {
	cuts := p.cuts(part)
	// Cuts of one container belong together: what is removed in one place may be inserted in another.
	last := map[int]int{} // by container
	for i, c := range cuts {
		if c.sequence {
			last[c.open] = i
		}
	}
	for i := 0; i < len(cuts); {
		end := i + 1
		for n := i; n < end; n++ {
			if cuts[n].sequence {
				end = max(end, last[cuts[n].open]+1)
			}
		}
		if !p.same(cuts[i:end]) {
			return true
		}
		i = end
	}
	return false
}

// same tells whether the document from the first of some cuts to the last keeps its value.
func (p *Plan) same(cuts []cut) bool {
	var pieces [][]byte
	from, at := cuts[0].from, cuts[0].from
	for _, c := range cuts {
		pieces = append(append(pieces, p.data[at:c.from]), c.with...)
		at = c.to
	}
	return jsonspan.Equal(p.data[from:at], pieces...)
}

// cut replaces a range of bytes.
type cut struct {
	from, to int
	with     [][]byte
	// sequence: it changes which items the container at open has. Else it replaces one value.
	sequence bool
	open     int
}

// cuts turns the edits of a part into cuts in the order of the document.
func (p *Plan) cuts(part Part) []cut {
	var (
		cuts  []cut
		moves []*op // those that change which items a container has
	)
	for i := range p.ops {
		o := &p.ops[i]
		if o.prompt && part&PromptPart == 0 || !o.prompt && part&MessagesPart == 0 {
			continue
		}
		switch {
		case o.what == set && o.spot.kind == isThere:
			cuts = append(cuts, cut{from: o.spot.from, to: o.spot.to, with: [][]byte{o.value}})
		case o.what == extend:
			if n := len(cuts); n > 0 && cuts[n-1].from == o.spot.from {
				cuts[n-1].with = [][]byte{joined(cuts[n-1].with[0], o.value)}
			} else {
				cuts = append(cuts, cut{from: o.spot.from, to: o.spot.to, with: [][]byte{joined(p.data[o.spot.from:o.spot.to], o.value)}})
			}
		default:
			moves = append(moves, o)
		}
	}
	// By container, then by place. What is inserted in front of a removed item goes before it.
	slices.SortFunc(moves, func(a, b *op) int {
		return cmp.Or(cmp.Compare(a.spot.open, b.spot.open), cmp.Compare(a.spot.at(), b.spot.at()), cmp.Compare(a.what, b.what), cmp.Compare(a.seq, b.seq))
	})
	for len(moves) > 0 {
		n := 1
		for end := moves[0].end(p.data); n < len(moves) && moves[n].spot.open == moves[0].spot.open && moves[n].spot.at() == end; n++ {
			end = moves[n].end(p.data)
		}
		cuts = append(cuts, p.run(moves[:n]))
		moves = moves[n:]
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return cuts
}

// joined makes one JSON string of two.
func joined(text, more []byte) []byte {
	text, more = bytes.TrimSpace(text), bytes.TrimSpace(more)
	return slices.Concat(text[:len(text)-1], more[1:])
}

// at is where an operation takes effect: where the item begins, or the bracket that ends the container.
func (s *spot) at() int {
	if s.kind == isEnd {
		return s.trail
	}
	return s.lead
}

// end is where the next operation goes on without an item in between.
func (o *op) end(data []byte) int {
	if o.what == remove {
		return o.spot.behind(data)
	}
	return o.spot.at()
}

// behind is where the item behind an item begins, or the bracket if there is none.
func (s *spot) behind(data []byte) int {
	if data[s.trail] == ',' {
		return s.trail + 1
	}
	return s.trail
}

var comma = []byte{','}

// run makes the cut of operations that follow each other: it takes items out and puts others in, and
// leaves one comma between items.
func (p *Plan) run(ops []*op) cut {
	first, last := &ops[0].spot, ops[len(ops)-1]
	c := cut{from: first.at(), to: last.end(p.data), sequence: true, open: first.open}
	removed := false
	for _, o := range ops {
		if o.what == remove {
			removed = true
			continue
		}
		if len(c.with) > 0 {
			c.with = append(c.with, comma)
		}
		if o.what == set { // a new member
			c.with = append(c.with, append(ecma.AppendString(nil, o.at[len(o.at)-1].Member), ':'))
		}
		c.with = append(c.with, o.value)
	}
	left := first.lead != c.open+1 // an item stays in front
	if first.kind == isEnd {
		left = jsonspan.SkipSpace(p.data, c.open+1) != first.trail
	}
	right := p.data[c.to] != ']' && p.data[c.to] != '}'
	switch {
	case right && len(c.with) > 0:
		c.with = append(c.with, comma)
	case right:
	case !left:
		c.from = c.open + 1 // with the white space of an empty container
	case len(c.with) == 0:
		c.from-- // the comma in front
	case !removed:
		c.with = append([][]byte{comma}, c.with...)
	}
	return c
}
