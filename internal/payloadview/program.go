// Package payloadview finds places in JSON documents and edits them, for adapters of version 2 (ABI.md,
// section 9.3). A [Program], made of an adapter's selectors, goes over a document once and notes the few
// values that they name. Edits are carried out on the document's bytes; what they do not touch is
// neither decoded nor copied.
package payloadview

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Bounds of ABI.md, 9.3.
const (
	maxEntries   = 1_024     // of a view
	maxViewBytes = 256 << 10 // of a view, encoded
	maxEdits     = 1_024     // of an answer
	maxValues    = 1 << 20   // bytes of all values of an answer together
	maxAddress   = 64        // steps
)

// mask is a set of selectors; bit n stands for selector n of the manifest.
type mask uint16

// A Program is what an adapter may see and write. It is safe for concurrent use.
type Program struct {
	root      node
	selectors []selector
	write     []abi.Path
	anywhere  bool // edits may be anywhere
	unbounded bool // and as many and as large as they like
}

type selector struct {
	clip int
	// shown are the wanted members, as indices of the keys of the node where the selector ends, in the
	// order in which a view has them.
	shown []int
}

// node is a place on the paths: what to look for in the values there.
type node struct {
	keys              []key
	none              []found        // one for each key
	index             map[string]int // of the keys; nil: there are few
	shortest, longest int            // names of keys
	each              *node          // the elements of a list; nil: nothing is wanted of them
	ends              mask           // selectors whose path ends here
	// filtered are selectors with filters on the objects here, filters how many each of them has.
	filtered mask
	filters  [16]uint8
	// fixed: only names lead here, so there is at most one such value in a document. It is always
	// remembered, with what it is in.
	fixed bool
}

// key is a member that somebody looks for in the objects at a node.
type key struct {
	name    string
	next    *node  // where paths go on; nil: none does
	through mask   // selectors whose path goes on there
	shown   mask   // selectors that end at the object and show the member
	tests   []test // filters on the member
	suffix  int    // the longest suffix that they look for
	looked  mask   // all of these selectors
}

// fixed tells whether the member's value is always remembered.
func (k *key) fixed() bool { return k.next != nil && k.next.fixed }

// test is a filter on one member.
type test struct {
	by             mask // one selector
	selector       uint8
	text           *string // the member equals this text
	scalar         []byte  // or this scalar, as JSON
	prefix, suffix string  // or it begins and ends like this,
	contains       string  // and this is inside
}

// Compile makes a program of what a valid manifest says about an adapter ([abi.Manifest.Validate]).
func Compile(view []abi.Selector, write []abi.Path) *Program {
	p := &Program{root: node{fixed: true}, selectors: make([]selector, len(view)), write: write}
	for i := range view {
		p.add(i, &view[i])
	}
	for _, path := range write {
		n := &p.root
		for _, s := range path {
			n = n.step(s, 0)
		}
	}
	for i := range view {
		p.selectors[i].shown = members(p.end(view[i].Path), mask(1)<<i)
	}
	return p
}

// Anywhere returns the program of an adapter that is part of the host: it shows nothing, and edits may
// be anywhere.
func Anywhere() *Program { return &Program{root: node{fixed: true}, anywhere: true} }

// Rewriting is Anywhere for edits that stand for a whole document, as an adapter of version 1 answers: only
// the bound on answers limits their number and size, and of several members with one name the last one is
// meant, which is what a program sees that has parsed the document. To remove it removes all of them.
func Rewriting() *Program {
	p := Anywhere()
	p.unbounded = true
	return p
}

func (p *Program) add(i int, s *abi.Selector) {
	by := mask(1) << i
	p.selectors[i].clip = abi.MaxClip
	if s.Clip != nil {
		p.selectors[i].clip = int(*s.Clip)
	}
	n := &p.root
	for depth := 0; ; depth++ {
		for j := range s.Where {
			if f := &s.Where[j]; f.Depth(s.Path) == depth {
				n.filter(f, i)
			}
		}
		if depth == len(s.Path) {
			break
		}
		n = n.step(s.Path[depth], by)
	}
	n.ends |= by
	for _, name := range s.Members {
		k := n.key(name)
		k.shown |= by
		k.looked |= by
	}
}

// step returns the node behind a step, making it if need be.
func (n *node) step(s abi.Step, by mask) *node {
	if s.Each {
		if n.each == nil {
			n.each = &node{}
		}
		return n.each
	}
	k := n.key(s.Member)
	if k.next == nil {
		k.next = &node{fixed: n.fixed}
	}
	k.through |= by
	k.looked |= by
	return k.next
}

func (n *node) filter(f *abi.Filter, i int) {
	t := test{by: mask(1) << i, selector: uint8(i)}
	if text, ok := f.Equals.Text(); ok {
		t.text = &text
	} else {
		t.scalar = f.Equals.JSON()
	}
	if f.Prefix != nil {
		t.prefix = *f.Prefix
	}
	if f.Suffix != nil {
		t.suffix = *f.Suffix
	}
	if f.Contains != nil {
		t.contains = *f.Contains
	}
	k := n.key(f.Member)
	k.tests = append(k.tests, t)
	k.suffix = max(k.suffix, len(t.suffix))
	k.looked |= t.by
	n.filtered |= t.by
	n.filters[i]++
}

// key returns the key of a name, making it if need be.
func (n *node) key(name string) *key {
	i := slices.IndexFunc(n.keys, func(k key) bool { return k.name == name })
	if i < 0 {
		i = len(n.keys)
		n.keys = append(n.keys, key{name: name})
		n.none = append(n.none, found{elements: -1})
		if i == 0 || len(name) < n.shortest {
			n.shortest = len(name)
		}
		n.longest = max(n.longest, len(name))
		if len(n.keys) > 8 {
			n.index = map[string]int{}
			for i, k := range n.keys {
				n.index[k.name] = i
			}
		}
	}
	return &n.keys[i]
}

// find returns the index of the key that a member's name is, -1 if it is none. The name is raw JSON.
func (n *node) find(raw []byte) int {
	name := raw[1 : len(raw)-1]
	if len(name) < n.shortest { // escapes only make it longer
		return -1
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return n.named(name)
	}
	if len(name) > 6*n.longest { // an escape is at most six times as long as what it stands for
		return -1
	}
	var buf [64]byte
	i := n.named(jsonspan.AppendText(buf[:0], raw))
	if i >= 0 && !jsonspan.TextIs(raw, n.keys[i].name) {
		return -1 // a lone surrogate is not U+FFFD
	}
	return i
}

func (n *node) named(name []byte) int {
	if n.index != nil {
		if i, ok := n.index[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range n.keys {
		if n.keys[i].name == string(name) {
			return i
		}
	}
	return -1
}

// end returns the node where a path ends.
func (p *Program) end(path abi.Path) *node {
	n := &p.root
	for _, s := range path {
		n = n.step(s, 0)
	}
	return n
}

// members lists the members that a selector shows in the order of deterministic CBOR: short names first.
func members(n *node, by mask) []int {
	var list []int
	for i, k := range n.keys {
		if k.shown&by != 0 {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(i, j int) int {
		a, b := n.keys[i].name, n.keys[j].name
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return list
}
