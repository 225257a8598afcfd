package payloadview

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// items goes through the members of an object or the elements of a list, and leaves it to its caller how
// to pass over the values: next, then done with the index behind the value, until next answers false.
// Then the container ends at end, or if failed is true the document is at fault there.
type items struct {
	data    []byte
	object  bool
	closed  bool // there is no further item
	failed  bool
	n       int // items so far
	i       int // behind the opening bracket or a comma
	end     int
	lead    int // of this item: behind the bracket or comma in front of it
	keyFrom int // where its name is
	keyTo   int
	value   int // where its value begins
	trail   int // the comma or bracket behind it, after done
}

// itemsOf begins at an opening bracket.
func itemsOf(data []byte, open int) items {
	return items{data: data, object: data[open] == '{', i: open + 1}
}

// closing is the bracket that ends the container.
func (it *items) closing() byte {
	if it.object {
		return '}'
	}
	return ']'
}

func (it *items) next() bool {
	if it.closed {
		return false
	}
	b := it.data
	it.lead = it.i
	i := jsonspan.SkipSpace(b, it.i)
	if it.n == 0 && i < len(b) && b[i] == it.closing() {
		it.closed, it.end = true, i+1
		return false
	}
	if it.object {
		if i >= len(b) || b[i] != '"' {
			return it.fail(i)
		}
		end, ok := jsonspan.SkipString(b, i+1)
		if !ok {
			return it.fail(end)
		}
		it.keyFrom, it.keyTo = i, end
		if i = jsonspan.SkipSpace(b, end); i >= len(b) || b[i] != ':' {
			return it.fail(i)
		}
		i = jsonspan.SkipSpace(b, i+1)
	}
	if i >= len(b) {
		return it.fail(i)
	}
	it.value = i
	it.n++
	return true
}

// done tells where the value ends; ok false is a fault there.
func (it *items) done(end int, ok bool) {
	if !ok {
		it.fail(end)
		return
	}
	b := it.data
	i := jsonspan.SkipSpace(b, end)
	it.trail = i
	switch {
	case i < len(b) && b[i] == ',':
		it.i = i + 1
	case i < len(b) && b[i] == it.closing():
		it.closed, it.end = true, i+1
	default:
		it.fail(i)
	}
}

func (it *items) fail(at int) bool {
	it.closed, it.failed, it.end = true, true, at
	return false
}

// key returns the name of the member as it is written.
func (it *items) key() []byte { return it.data[it.keyFrom:it.keyTo] }
