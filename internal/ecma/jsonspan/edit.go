package jsonspan

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

var (
	errOverlap = errors.New("edits of a JSON document overlap: a part was changed twice, or inside a removed part")
	errForeign = errors.New("edit of a JSON document names a part that it does not have")
)

// Edit collects changes to one document, all of them addressed in the document as it was scanned. What
// is put in must be JSON already; it is not checked, and not copied until Bytes. The zero Edit is not
// usable; see [Doc.Edit].
type Edit struct {
	doc     *Doc
	cuts    []cut
	changes []change
	err     error
}

// cut replaces a range of bytes.
type cut struct {
	from, to int
	pieces   [][]byte
}

// change is one change to the sequence of a container's children.
type change struct {
	container uint32
	at        uint32 // a child; 0 before all of them, MaxUint32 behind
	what      uint8
	values    [][]byte
}

// In the order in which they take effect at one child.
const (
	insertBefore uint8 = iota
	remove
	insertAfter
)

// Edit begins a set of changes.
func (d *Doc) Edit() *Edit { return &Edit{doc: d} }

// Replace puts bytes in the place of a span of the document.
func (e *Edit) Replace(s Span, with []byte) {
	if s.From < 0 || s.From > s.To || s.To > len(e.doc.data) {
		e.err = errForeign
		return
	}
	e.cuts = append(e.cuts, cut{s.From, s.To, [][]byte{with}})
}

// Set replaces a value.
func (e *Edit) Set(n Node, value []byte) {
	if e.knows(n) {
		e.Replace(n.Span(), value)
	}
}

// Remove removes a member or element together with its comma.
func (e *Edit) Remove(n Node) { e.child(n, remove, nil) }

// Before inserts elements in front of n. In an object each of them is a whole member.
func (e *Edit) Before(n Node, values ...[]byte) { e.child(n, insertBefore, values) }

// After inserts elements behind n. In an object each of them is a whole member.
func (e *Edit) After(n Node, values ...[]byte) { e.child(n, insertAfter, values) }

// Prepend inserts elements at the start of a container.
func (e *Edit) Prepend(container Node, values ...[]byte) { e.insert(container, 0, values) }

// Append inserts elements at the end of a container.
func (e *Edit) Append(container Node, values ...[]byte) {
	e.insert(container, math.MaxUint32, values)
}

// AddMember adds a member at the end of an object.
func (e *Edit) AddMember(object Node, key string, value []byte) {
	member := append(ecma.AppendString(nil, key), ':')
	e.Append(object, append(member, value...))
}

func (e *Edit) knows(n Node) bool {
	if n.doc != e.doc {
		e.err = errForeign
		return false
	}
	return true
}

func (e *Edit) child(n Node, what uint8, values [][]byte) {
	if !e.knows(n) {
		return
	}
	if n.at == 0 {
		e.err = errForeign // the root has no siblings
		return
	}
	if what == remove || len(values) > 0 {
		e.changes = append(e.changes, change{n.node().parent, n.at, what, values})
	}
}

func (e *Edit) insert(container Node, at uint32, values [][]byte) {
	if !e.knows(container) {
		return
	}
	if container.Kind() < Array {
		e.err = errForeign
		return
	}
	container.First() // the children must be known before Bytes
	if len(values) > 0 {
		e.changes = append(e.changes, change{container.at, at, insertBefore, values})
	}
}

// Bytes returns the changed document in memory of its own. It fails if edits overlap or a node was not
// of this document.
func (e *Edit) Bytes() ([]byte, error) {
	out, _, err := e.apply()
	return out, err
}

// Changed is Bytes, but nil if the result is the value that the document was ([Equal]). Only what lies
// between the edits is compared, so every Replace must begin and end between tokens; the other edits
// do.
func (e *Edit) Changed() ([]byte, error) {
	out, cuts, err := e.apply()
	if err != nil || len(cuts) == 0 {
		return nil, err
	}
	from, to := cuts[0].from, cuts[len(cuts)-1].to
	rest := len(e.doc.data) - to
	if Equal(e.doc.data[from:to], out[from:len(out)-rest]) {
		return nil, nil
	}
	return out, nil
}

// apply returns the changed document and what was cut, in order.
func (e *Edit) apply() ([]byte, []cut, error) {
	if e.err != nil {
		return nil, nil, e.err
	}
	cuts := e.sequence(slices.Clone(e.cuts))
	slices.SortStableFunc(cuts, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	size, end := len(e.doc.data), 0
	for _, c := range cuts {
		if c.from < end {
			return nil, nil, errOverlap
		}
		end = c.to
		size -= c.to - c.from
		for _, p := range c.pieces {
			size += len(p)
		}
	}
	out, end := make([]byte, 0, size), 0
	for _, c := range cuts {
		out = append(out, e.doc.data[end:c.from]...)
		for _, p := range c.pieces {
			out = append(out, p...)
		}
		end = c.to
	}
	return append(out, e.doc.data[end:]...), cuts, nil
}

var comma = []byte{','}

// sequence turns the changes of children into cuts. Of the separators between surviving children the
// one in front of the later child stays; inserted ones are parted by bare commas.
func (e *Edit) sequence(cuts []cut) []cut {
	changes := slices.Clone(e.changes)
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.container, b.container), cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what))
	})
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].container == changes[0].container {
			n++
		}
		cuts = e.container(cuts, changes[:n])
		changes = changes[n:]
	}
	return cuts
}

func (e *Edit) container(cuts []cut, changes []change) []cut {
	nodes := e.doc.nodes
	box := nodes[changes[0].container]
	var (
		kept, seen uint32   // the last surviving child, the last child
		in         [][]byte // inserted since the last surviving child
	)
	// take collects what is inserted at a child, up to and including the given kind, and tells of a removal.
	take := func(at uint32, upTo uint8) (removed bool) {
		for len(changes) > 0 && changes[0].at == at && changes[0].what <= upTo {
			removed = removed || changes[0].what == remove
			in = append(in, changes[0].values...)
			changes = changes[1:]
		}
		return removed
	}
	take(0, insertAfter)
	for at := box.first; at != 0; at = nodes[at].sib {
		if !take(at, remove) {
			if kept == 0 {
				cuts = appendCut(cuts, nodes[box.first].start(), nodes[at].start(), in, false, true)
			} else {
				cuts = appendCut(cuts, int(nodes[kept].to), int(nodes[seen].to), in, true, false)
			}
			kept, in = at, nil
		}
		seen = at
		take(at, insertAfter)
	}
	take(math.MaxUint32, insertAfter)
	switch {
	case seen == 0:
		return appendCut(cuts, int(box.from)+1, int(box.from)+1, in, false, false)
	case kept == 0:
		return appendCut(cuts, nodes[box.first].start(), int(nodes[seen].to), in, false, false)
	}
	return appendCut(cuts, int(nodes[kept].to), int(nodes[seen].to), in, true, false)
}

// start is where the member or element begins, its key included.
func (n node) start() int {
	if n.keyFrom != n.keyTo {
		return int(n.keyFrom)
	}
	return int(n.from)
}

// appendCut joins values with commas, with one more in front or behind if asked for and if there are
// any values.
func appendCut(cuts []cut, from, to int, values [][]byte, front, behind bool) []cut {
	if from == to && len(values) == 0 {
		return cuts
	}
	pieces := make([][]byte, 0, 2*len(values))
	for i, v := range values {
		if i > 0 || front {
			pieces = append(pieces, comma)
		}
		pieces = append(pieces, v)
	}
	if behind && len(values) > 0 {
		pieces = append(pieces, comma)
	}
	return append(cuts, cut{from, to, pieces})
}
