package payloadview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// spot is where an edit takes effect.
type spot struct {
	kind spotKind
	open int // of the container
	// isThere: the item, of which an insert needs no more than lead. isEnd: the item in front, if there
	// is one, and the closing bracket is at trail.
	lead, from, to, trail int
}

type spotKind uint8

const (
	isMissing spotKind = iota
	isThere            // there is such an item
	isEnd              // an item can be added at the container's end
)

// resolver finds the places of addresses: in what the scan has remembered, and otherwise by going
// through the containers on the way, each of them once.
type resolver struct {
	view     *View
	children map[child]int // of places, if there are many
	name     []byte

	// last: of several members with one name the last one is meant, as it is for JSON.parse; else they are
	// an error. To remove it is to remove them all: also has the removals of the others.
	last bool
	also []op
}

type child struct {
	parent int
	step   adaptersv2.Step
}

// container is a list or object on the way.
type container struct {
	open, end int // end is behind the closing bracket; 0: not known
	place     int // -1: it is not remembered
}

// group are the operations in one container whose addresses go on with the same step.
type group struct {
	step adaptersv2.Step
	here []op // their addresses end here
	in   []op // the others
	spot spot
	// found: the spot is right. Then place is that of the item, -1 if it is not remembered.
	found bool
	place int
}

func (r *resolver) resolve(ops []op) error {
	if len(ops) == 0 {
		return nil
	}
	root := r.view.places[0]
	_, err := r.enter(ops, 0, container{root.from, root.to, 0})
	return err
}

// enter resolves operations whose addresses have led to the value at c.open with the given number of
// steps. It returns the index behind the value.
func (r *resolver) enter(ops []op, depth int, c container) (end int, err error) {
	b := r.view.data
	if b[c.open] != '{' && b[c.open] != '[' {
		if c.end == 0 {
			c.end, _ = jsonspan.SkipValue(b, c.open, 0)
		}
		return c.end, missing(ops)
	}
	groups := split(ops, depth)
	all := true
	for i := range groups {
		r.remembered(&groups[i], c)
		all = all && groups[i].found
	}
	if !all || c.end == 0 {
		if c.end, err = r.walk(groups, depth, c); err != nil {
			return 0, err
		}
	}
	for i := range groups {
		g := &groups[i]
		if err := g.settle(b); err != nil {
			return 0, err
		}
		if g.place >= 0 && len(g.in) > 0 {
			p := r.view.places[g.place]
			if _, err := r.enter(g.in, depth+1, container{p.from, p.to, g.place}); err != nil {
				return 0, err
			}
		}
	}
	return c.end, nil
}

// split makes groups of operations that are sorted by address.
func split(ops []op, depth int) []group {
	var groups []group
	for len(ops) > 0 {
		step := ops[0].at[depth]
		n, here := 0, 0
		for n < len(ops) && ops[n].at[depth] == step {
			if len(ops[n].at) == depth+1 {
				here++ // the shorter address is in front
			}
			n++
		}
		groups = append(groups, group{step: step, here: ops[:here], in: ops[here:n], place: -1})
		ops = ops[n:]
	}
	return groups
}

// inserts tells whether all that happens here are inserts in front of an item.
func (g *group) inserts() bool {
	for i := range g.here {
		if g.here[i].what != insert {
			return false
		}
	}
	return len(g.in) == 0
}

// remembered finds the spot of a group in what the scan has noted.
func (r *resolver) remembered(g *group, c container) {
	b := r.view.data
	object := b[c.open] == '{'
	if object == g.step.InList {
		g.found = true // an index in an object, or a name in a list
		return
	}
	if !object && g.step.Index == 0 && g.inserts() {
		g.found, g.spot = true, spot{kind: isThere, open: c.open, lead: c.open + 1}
		if i := jsonspan.SkipSpace(b, c.open+1); b[i] == ']' {
			g.spot = spot{kind: isEnd, open: c.open, trail: i}
		}
		return
	}
	if c.place < 0 {
		return
	}
	if i, ok := r.child(c.place, g.step); ok {
		p := r.view.places[i]
		g.found, g.place, g.spot = true, i, spot{isThere, c.open, p.lead, p.from, p.to, p.trail}
		return
	}
	if object {
		if n := r.view.places[c.place].node; n != nil && n.declares(g.step.Member) {
			g.found, g.spot = true, r.end(c)
		}
		return
	}
	if !g.inserts() {
		return
	}
	if i, ok := r.child(c.place, adaptersv2.Index(g.step.Index-1)); ok {
		p := r.view.places[i]
		g.found, g.spot = true, spot{kind: isThere, open: c.open, lead: p.trail + 1}
		if b[p.trail] == ']' {
			g.spot = spot{kind: isEnd, open: c.open, trail: p.trail}
		}
	} else if n := r.view.places[c.place].elements; n >= 0 && g.step.Index == uint64(n) {
		g.found, g.spot = true, r.end(c)
	}
}

// end is the spot at the end of a container.
func (r *resolver) end(c container) spot { return spot{kind: isEnd, open: c.open, trail: c.end - 1} }

// declares tells whether a member, if an object at the node has it, is always remembered.
func (n *node) declares(name string) bool {
	i := n.named([]byte(name))
	return i >= 0 && n.keys[i].fixed()
}

// child returns the place of an item.
func (r *resolver) child(parent int, step adaptersv2.Step) (int, bool) {
	const few = 32
	places := r.view.places
	if len(places) <= few {
		for i := range places {
			if places[i].parent == parent && places[i].step == step {
				return i, true
			}
		}
		return 0, false
	}
	if r.children == nil {
		r.children = make(map[child]int, len(places))
		for i := range places {
			r.children[child{places[i].parent, places[i].step}] = i
		}
	}
	i, ok := r.children[child{parent, step}]
	return i, ok
}

// walk goes through a container for the groups that have not been found yet, and into the items that
// they lead to. It returns the index behind the container.
func (r *resolver) walk(groups []group, depth int, c container) (int, error) {
	b := r.view.data
	it := itemsOf(b, c.open)
	last := uint64(0) // the last index that is looked for
	for i := range groups {
		if g := &groups[i]; !g.found {
			last = max(last, g.step.Index)
		}
	}
	r.jump(&it, groups, c)
	for it.next() {
		g := r.wanted(groups, &it)
		if g == nil || g.place >= 0 {
			it.done(jsonspan.SkipValue(b, it.value, jsonspan.MaxDepth))
			continue
		}
		if g.found && it.object {
			if !r.last {
				return 0, g.refuse(fmt.Sprintf("the object has the member %q twice", g.step.Member))
			}
			r.another(g)
		}
		g.found = true
		end, ok := 0, true
		if len(g.in) > 0 && !(r.last && it.object) {
			var err error
			if end, err = r.enter(g.in, depth+1, container{it.value, 0, -1}); err != nil {
				return 0, err
			}
		} else {
			end, ok = jsonspan.SkipValue(b, it.value, jsonspan.MaxDepth)
		}
		it.done(end, ok)
		g.spot = spot{isThere, c.open, it.lead, it.value, end, it.trail}
		if !it.object && c.end > 0 && uint64(it.n) > last {
			return c.end, nil
		}
	}
	if it.failed {
		return 0, &EditError{Err: errors.New("the document has changed since it was looked at")}
	}
	for i := range groups {
		if g := &groups[i]; r.last && it.object && g.found && g.spot.kind == isThere && len(g.in) > 0 {
			if _, err := r.enter(g.in, depth+1, container{g.spot.from, g.spot.to, -1}); err != nil {
				return 0, err
			}
		}
	}
	for i := range groups {
		if g := &groups[i]; !g.found && (it.object || g.step.Index == uint64(it.n)) {
			g.spot = spot{kind: isEnd, open: c.open, trail: it.end - 1}
		}
	}
	return it.end, nil
}

// another gives up the member that a group has found, since there is one more with its name.
func (r *resolver) another(g *group) {
	for i := range g.here {
		if o := g.here[i]; o.what == remove {
			o.spot = g.spot
			r.also = append(r.also, o)
		}
	}
}

// jump passes over elements that nothing is looked for in front of, as far as the scan has remembered.
func (r *resolver) jump(it *items, groups []group, c container) {
	first := slices.IndexFunc(groups, func(g group) bool { return !g.found })
	if it.object || c.place < 0 || first < 0 {
		return
	}
	near := -1
	for i := range r.view.places {
		if p := &r.view.places[i]; p.parent == c.place && p.step.Index < groups[first].step.Index {
			near = i
		}
	}
	if near >= 0 {
		p := &r.view.places[near]
		it.n, it.i = int(p.step.Index)+1, p.trail+1
		if it.data[p.trail] == ']' {
			it.closed, it.end = true, p.trail+1
		}
	}
}

// wanted returns the group of the current item; nil if there is none.
func (r *resolver) wanted(groups []group, it *items) *group {
	if it.object {
		r.name = jsonspan.AppendText(r.name[:0], it.key())
	}
	i, ok := sort.Find(len(groups), func(i int) int {
		step := &groups[i].step
		switch {
		case !it.object && !step.InList:
			return 1 // names stand in front of indices
		case !it.object:
			return cmp.Compare(uint64(it.n-1), step.Index)
		case step.InList:
			return -1
		}
		return cmp.Compare(string(r.name), step.Member)
	})
	if !ok || it.object && !jsonspan.TextIs(it.key(), groups[i].step.Member) {
		return nil // a lone surrogate is not U+FFFD
	}
	return &groups[i]
}

// settle gives the operations of a group their spot.
func (g *group) settle(data []byte) error {
	for i := range g.here {
		o := &g.here[i]
		o.spot = g.spot
		there := g.spot.kind == isThere
		switch o.what {
		case set:
			there = there || g.spot.kind == isEnd && !g.step.InList
		case insert:
			there = there || g.spot.kind == isEnd
		}
		if !there && o.what != look {
			return o.refuse(errMissing)
		}
		if o.what == extend && data[g.spot.from] != '"' {
			return o.refuse(errNoText)
		}
	}
	if g.spot.kind != isThere {
		return missing(g.in)
	}
	return nil
}

var errMissing = errors.New("there is no such place")

// missing refuses operations on a place that is not there. The prompt need not be there.
func missing(ops []op) error {
	for i := range ops {
		if ops[i].what != look {
			return ops[i].refuse(errMissing)
		}
	}
	return nil
}

func (g *group) refuse(reason string) error {
	ops := g.here
	if len(ops) == 0 {
		ops = g.in
	}
	return ops[0].refuse(errors.New(reason))
}
