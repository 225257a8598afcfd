package payloadview

import (
	"slices"
	"unicode/utf8"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Scan goes over a document and notes what the program's selectors find. The document must not change
// as long as the view is used. The view is nil if the document has another kind of value at its top than
// all paths of the program begin with: then there is nothing to see and nothing to write. The error is a
// [*Fault].
//
// The time is linear in the document: a value is passed over once, and once more for each filtered
// object that it is in. The memory is that of the view.
func (p *Program) Scan(data []byte) (*View, error) {
	if !utf8.Valid(data) {
		return nil, &Fault{Err: ErrNotJSON, Detail: "it is not UTF-8"}
	}
	s := scanner{data: data, program: p}
	start := jsonspan.SkipSpace(data, 0)
	s.enter(adaptersv2.Step{}, &p.root, start, start)
	end, ok := s.value(&p.root, start, mask(1)<<len(p.selectors)-1)
	s.leave(end, end)
	if ok {
		end = jsonspan.SkipSpace(data, end)
	}
	switch {
	case s.fault != nil:
		return nil, s.fault
	case !ok || end != len(data):
		return nil, &Fault{Err: ErrNotJSON, Detail: (&jsonspan.SyntaxError{Offset: end}).Error()}
	}
	if !p.fits(data[start]) {
		return nil, nil
	}
	return s.view(), nil
}

// fits tells whether some path leads into a document that begins like this.
func (p *Program) fits(first byte) bool {
	named := slices.ContainsFunc(p.root.keys, func(k key) bool { return k.next != nil })
	return p.anywhere || first == '{' && named || first == '[' && p.root.each != nil
}

// A scanner goes down the paths of a program. What lies beside them is skipped.
type scanner struct {
	data    []byte
	program *Program
	way     []frame // from the top of the document to the current value
	places  []place
	found   []found // members that somebody looks for, of all objects on the way
	out     output
	fault   *Fault
}

// frame is a value on the way to the current one, which is the last frame.
type frame struct {
	place
	index int // of the place where it is remembered; -1: it is not
}

// found is a member that somebody looks for, or the zero value.
type found struct {
	lead, from, to, trail int
	elements              int // of a list; -1: not counted
	later                 bool
}

// depth is how many containers the current value may nest.
func (s *scanner) depth() int { return jsonspan.MaxDepth + 1 - len(s.way) }

func (s *scanner) enter(step adaptersv2.Step, n *node, lead, from int) {
	f := frame{place: place{step: step, lead: lead, from: from, elements: -1}, index: -1}
	if n.fixed {
		f.node = n
	}
	s.way = append(s.way, f)
	if n.fixed {
		s.remember()
	}
}

// remember gives a place to every value on the way that has none.
func (s *scanner) remember() {
	parent := -1
	for i := range s.way {
		f := &s.way[i]
		if f.index < 0 {
			f.parent, f.index = parent, len(s.places)
			s.places = append(s.places, f.place)
		}
		parent = f.index
	}
}

// leave ends the current value and the item that it is.
func (s *scanner) leave(to, trail int) {
	last := len(s.way) - 1
	if f := &s.way[last]; f.index >= 0 {
		s.ended(f, to, trail)
	}
	s.way = s.way[:last]
}

// ended completes the place of a value.
func (s *scanner) ended(f *frame, to, trail int) {
	p := &s.places[f.index]
	p.to, p.trail, p.elements = to, trail, f.elements
}

// value looks at the current value, for the selectors that have come this far. It returns the index
// behind it, or that of the fault and false.
func (s *scanner) value(n *node, i int, active mask) (int, bool) {
	if i == len(s.data) || active == 0 && !n.fixed {
		return jsonspan.SkipValue(s.data, i, s.depth())
	}
	switch s.data[i] {
	case '{':
		if len(n.keys) > 0 || n.ends&active != 0 {
			return s.object(n, i, active)
		}
	case '[':
		if active &^= n.filtered; active != 0 && (n.each != nil || n.ends&active != 0) {
			return s.list(n, i, active)
		}
	default:
		end, ok := jsonspan.SkipValue(s.data, i, 0)
		if ok {
			s.show(n.ends&active&^n.filtered, shown{raw: s.data[i:end]})
		}
		return end, ok && s.fault == nil
	}
	return jsonspan.SkipValue(s.data, i, s.depth())
}

func (s *scanner) list(n *node, open int, active mask) (int, bool) {
	it := itemsOf(s.data, open)
	if n.each == nil {
		for depth := s.depth() - 1; it.next(); {
			it.done(jsonspan.SkipValue(s.data, it.value, depth))
		}
	} else {
		s.elements(n.each, &it, active)
	}
	if it.failed {
		return it.end, false
	}
	s.way[len(s.way)-1].elements = it.n
	s.show(n.ends&active, shown{raw: s.data[open:it.end], elements: it.n})
	return it.end, s.fault == nil
}

// elements looks at each element of the current value.
func (s *scanner) elements(n *node, it *items, active mask) {
	s.way = append(s.way, frame{})
	last := len(s.way) - 1
	for it.next() {
		f := &s.way[last] // lists may be long: the frame is used again
		f.step.Index, f.step.InList = uint64(it.n-1), true
		f.lead, f.from, f.elements, f.index = it.lead, it.value, -1, -1
		end, ok := s.value(n, it.value, active)
		it.done(end, ok)
		if f = &s.way[last]; f.index >= 0 {
			s.ended(f, end, it.trail)
		}
	}
	s.way = s.way[:last]
}

func (s *scanner) object(n *node, open int, active mask) (int, bool) {
	base := len(s.found)
	s.found = append(s.found, n.none...)
	sift := sieve{alive: active, open: active & n.filtered, left: n.filters}
	depth, later := s.depth()-1, false
	it := itemsOf(s.data, open)
	for it.next() {
		i := n.find(it.key())
		if i < 0 || n.keys[i].looked&active == 0 && !n.keys[i].fixed() {
			it.done(jsonspan.SkipValue(s.data, it.value, depth))
			continue
		}
		key := &n.keys[i]
		if s.found[base+i].from != 0 {
			s.fault = &Fault{Err: ErrDuplicate, Detail: s.twice(key.name)}
			return it.value, false
		}
		f := found{lead: it.lead, from: it.value, elements: -1}
		var ok bool
		switch into := key.through & sift.alive; {
		case key.next == nil || into == 0 && !key.next.fixed:
			f.to, f.elements, ok = skip(s.data, it.value, depth, key.shown&sift.alive != 0)
			it.done(f.to, ok)
		case into&sift.open != 0: // it depends on a member that comes later
			f.later, later = true, true
			f.to, f.elements, ok = skip(s.data, it.value, depth, key.shown&sift.alive != 0)
			it.done(f.to, ok)
		default:
			s.enter(adaptersv2.Member(key.name), key.next, f.lead, f.from)
			f.to, ok = s.value(key.next, f.from, into)
			it.done(f.to, ok)
			s.leave(f.to, it.trail)
		}
		if it.failed {
			break
		}
		f.trail = it.trail
		s.found[base+i] = f
		sift.look(key, s.data[f.from:f.to])
	}
	if it.failed {
		return it.end, false
	}
	alive := sift.alive &^ sift.open
	for i := 0; later && i < len(n.keys); i++ {
		key, f := &n.keys[i], s.found[base+i]
		if into := key.through & alive; f.later && (into != 0 || key.next.fixed) {
			s.enter(adaptersv2.Member(key.name), key.next, f.lead, f.from)
			end, ok := s.value(key.next, f.from, into)
			s.leave(end, f.trail)
			if !ok {
				return end, false
			}
		}
	}
	if ends := n.ends & alive; ends != 0 {
		s.show(ends, shown{raw: s.data[open:it.end], node: n, members: s.found[base:]})
	}
	s.found = s.found[:base]
	return it.end, s.fault == nil
}

// skip passes over a value. If it is a list and wanted, its elements are counted; otherwise elements is
// -1.
func skip(data []byte, i, depth int, count bool) (end, elements int, ok bool) {
	if !count || i == len(data) || data[i] != '[' || depth == 0 {
		end, ok = jsonspan.SkipValue(data, i, depth)
		return end, -1, ok
	}
	it := itemsOf(data, i)
	for it.next() {
		it.done(jsonspan.SkipValue(data, it.value, depth-1))
	}
	return it.end, it.n, !it.failed
}

// twice says which member is there twice.
func (s *scanner) twice(name string) string {
	return s.address().String() + " has the member " + adaptersv2.Address{adaptersv2.Member(name)}.String() + " twice"
}

func (s *scanner) address() adaptersv2.Address {
	var a adaptersv2.Address
	for _, f := range s.way[1:] {
		a = append(a, f.step)
	}
	return a
}
