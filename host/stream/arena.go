package stream

import (
	"unsafe"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// An arena holds many small texts in few pieces of memory. Bytes that were written are never written
// again, so that a string may share them, as in strings.Builder.
type arena struct {
	// chunk is where texts are put; its length is what is taken.
	chunk []byte
	// last is the beginning of the newest text, if that may still grow where it is.
	last *byte
	next int // size of the next chunk
}

const (
	firstChunk = 512
	lastChunk  = 64 << 10
)

// take reserves n bytes, empty and with that capacity.
func (a *arena) take(n int) []byte {
	a.last = nil
	if n > lastChunk/4 {
		return make([]byte, 0, n)
	}
	if cap(a.chunk)-len(a.chunk) < n {
		a.next = min(max(2*a.next, firstChunk), lastChunk)
		a.chunk = make([]byte, 0, max(a.next, n))
	}
	from := len(a.chunk)
	a.chunk = a.chunk[:from+n]
	return a.chunk[from : from : from+n]
}

// copy keeps a text.
func (a *arena) copy(text string) string {
	if text == "" {
		return ""
	}
	return view(append(a.take(len(text)), text...))
}

// unquote keeps the text of a valid JSON string.
func (a *arena) unquote(raw []byte) string {
	text := a.take(len(raw))
	out, _ := wtf8.AppendUnquote(text, raw)
	if unsafe.SliceData(out) == a.end(cap(text)) { // else it became longer, or is none of the chunk
		a.chunk = a.chunk[:len(a.chunk)-(cap(out)-len(out))]
	}
	return view(out)
}

// end is the beginning of the last n bytes that are taken, nil if there are not as many.
func (a *arena) end(n int) *byte {
	if n == 0 || n > len(a.chunk) {
		return nil
	}
	return &a.chunk[len(a.chunk)-n]
}

// grow appends to a text that was made by grow, nil for an empty one, and returns it. The newest text grows
// where it is. Any other one moves to where it has room to double, so that texts may grow in turns.
func (a *arena) grow(text []byte, more string) []byte {
	n := len(text) + len(more)
	switch {
	case n <= cap(text):
	case len(text) > 0 && unsafe.SliceData(text) == a.last && n-cap(text) <= cap(a.chunk)-len(a.chunk):
		from := len(a.chunk) - cap(text)
		a.chunk = a.chunk[:from+n]
		text = a.chunk[from : from+len(text) : from+n]
	case len(text) > 0:
		text = append(a.take(2*n), text...)
		a.settle(text)
	default:
		text = a.take(n)
		a.settle(text)
	}
	return append(text, more...)
}

// settle notes that a text, just taken, is the newest one.
func (a *arena) settle(text []byte) {
	if p := unsafe.SliceData(text); p == a.end(cap(text)) {
		a.last = p
	}
}
