// Package jsondiff says by which edits one JSON document becomes another. It is for documents of which a
// copy lives elsewhere in another form, with parts that JSON cannot hold: what is equal is not touched, so
// those parts stay.
package jsondiff

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// maxDepth is how deep differences are looked for; a value that differs further down is set as a whole.
// Each level may look at all that is below it, so it also bounds the cost.
const maxDepth = 8

// Edits returns the edits that make the value of to out of from: the same members in the same order,
// strings with the same characters, numbers of the same value. Values that are equal keep the spelling of
// from, others have that of to. Both have to be valid documents (see [jsonspan.Valid]).
//
// The operations are set, insert and remove, as package payloadview understands them, all addressed in
// from. Besides, a set at the empty address replaces the whole document, and is alone then. An object whose
// members come in another order is set as a whole, since edits do not move members. The cost is linear in
// the size of the two documents.
func Edits(from, to []byte) []adaptersv2.Edit {
	d := differ{seed: maphash.MakeSeed()}
	d.value(bytes.TrimSpace(from), bytes.TrimSpace(to), 0)
	return d.edits
}

type differ struct {
	seed  maphash.Seed
	at    adaptersv2.Address
	edits []adaptersv2.Edit
}

// item is a member or an element.
type item struct {
	key   []byte // with quotation marks; empty in a list
	value []byte
}

func items(raw []byte) []item {
	var list []item
	for w := jsonspan.Walk(raw); w.Next(); {
		list = append(list, item{w.RawKey(), w.Raw()})
	}
	return list
}

// value makes b out of a, which is at d.at.
func (d *differ) value(a, b []byte, depth int) {
	if bytes.Equal(a, b) || jsonspan.Equal(a, b) {
		return
	}
	if depth < maxDepth && len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		switch {
		case a[0] == '{' && d.object(items(a), items(b), depth):
			return
		case a[0] == '[':
			if x, y := items(a), items(b); len(x) > 0 && len(y) > 0 {
				d.list(x, y, depth)
				return
			}
		}
	}
	d.add(adaptersv2.OpSet, b)
}

func (d *differ) add(op adaptersv2.Op, value []byte) {
	at := append(adaptersv2.Address{}, d.at...)
	d.edits = append(d.edits, adaptersv2.Edit{Op: op, At: at, Value: value})
}

// below calls f for what is one step further in.
func (d *differ) below(step adaptersv2.Step, f func()) {
	d.at = append(d.at, step)
	f()
	d.at = d.at[:len(d.at)-1]
}

// object makes the members b out of a. It returns false, and has done nothing, if edits cannot: a member
// cannot be addressed, or one that stays or comes is not where edits would leave it.
func (d *differ) object(a, b []item, depth int) bool {
	old, ok := index(a)
	if !ok {
		return false
	}
	names, ok := index(b)
	if !ok {
		return false
	}
	last, fresh := -1, false
	for i := range b {
		at, stays := old.find(b[i].key)
		if stays && (fresh || at < last) {
			return false
		}
		if fresh = fresh || !stays; stays {
			last = at
		}
	}
	for i := range a {
		at, stays := names.find(a[i].key)
		d.below(adaptersv2.Member(name(a[i].key)), func() {
			if stays {
				d.value(a[i].value, b[at].value, depth+1)
			} else {
				d.add(adaptersv2.OpRemove, nil)
			}
		})
	}
	for i := range b {
		if _, stays := old.find(b[i].key); !stays {
			d.below(adaptersv2.Member(name(b[i].key)), func() { d.add(adaptersv2.OpSet, b[i].value) })
		}
	}
	return true
}

// places are where members are, by name.
type places map[string]int

func (p places) find(key []byte) (int, bool) {
	at, ok := p[name(key)]
	return at, ok
}

// index returns false if the members cannot all be addressed: a name is there twice, or has half a
// surrogate pair.
func index(members []item) (places, bool) {
	p := make(places, len(members))
	for i, m := range members {
		p[name(m.key)] = i
		if !utf8.ValidString(name(m.key)) {
			return nil, false
		}
	}
	return p, len(p) == len(members)
}

// name decodes a key, which is a valid string.
func name(key []byte) string {
	s, err := wtf8.Unquote(key)
	if err != nil {
		return string(key)
	}
	return s
}

// list makes the elements b out of a, neither of them empty. Elements that are spelled the same are found
// where they went, others are paired by their places in between.
func (d *differ) list(a, b []item, depth int) {
	head := 0
	for head < len(a) && head < len(b) && same(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	endA, endB := len(a)-tail, len(b)-tail
	// The next place in a of each element, by the hash of its bytes.
	where := map[uint64][]int{}
	for i := head; i < endA; i++ {
		h := d.hash(a[i])
		where[h] = append(where[h], i)
	}
	i, j := head, head // what is in front is done
	for n := head; n < endB; n++ {
		h := d.hash(b[n])
		for len(where[h]) > 0 && where[h][0] < i {
			where[h] = where[h][1:]
		}
		if len(where[h]) == 0 || !bytes.Equal(a[where[h][0]].value, b[n].value) {
			continue
		}
		at := where[h][0]
		d.gap(a[i:at], b[j:n], i, depth)
		i, j = at+1, n+1
	}
	d.gap(a[i:endA], b[j:endB], i, depth)
}

// gap makes the elements b out of a, which begin at an index: the first ones out of each other, the rest
// is taken out or put in.
func (d *differ) gap(a, b []item, from, depth int) {
	for k := range max(len(a), len(b)) {
		d.below(adaptersv2.Index(uint64(from+min(k, len(a)))), func() {
			switch {
			case k >= len(a):
				d.add(adaptersv2.OpInsert, b[k].value)
			case k >= len(b):
				d.add(adaptersv2.OpRemove, nil)
			default:
				d.value(a[k].value, b[k].value, depth+1)
			}
		})
	}
}

func same(a, b item) bool { return bytes.Equal(a.value, b.value) || jsonspan.Equal(a.value, b.value) }

func (d *differ) hash(i item) uint64 { return maphash.Bytes(d.seed, i.value) }
