package main

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// content is a string of a payload, divided into its own text and the tail behind it.
type content struct {
	doc       *document
	node      node
	length    int // of the text, as all of these in bytes of UTF-8
	own, tail int // see split
}

// content divides a string. Any other value counts as an empty string.
func (d *document) content(n node) content {
	if s := n.seen; s != nil && s.clipped {
		return d.clipped(n)
	}
	text := n.text()
	own, tail := split(text)
	return content{d, n, len(text), own, tail}
}

// clipped divides a string of which both ends are known. That is enough unless there are both text and
// tail between them.
func (d *document) clipped(n node) content {
	s := n.seen
	c := content{d, n, s.bytes, s.bytes, s.bytes}
	for _, g := range generations {
		if strings.HasSuffix(s.tail, g.closing) {
			c.own, c.tail = 0, 0
			d.blind = d.blind || !strings.HasPrefix(s.text, g.opening)
		}
	}
	return c
}

func (c content) hasTail() bool { return c.tail < c.length }

// managed tells whether the string is nothing but messages placed earlier.
func (c content) managed() bool { return c.length > 0 && c.tail == 0 }

// rawOwn is the own text as a JSON string, as it is written: a lone surrogate, which the decoded text has
// lost, survives.
func (c content) rawOwn() []byte {
	raw := c.doc.raw(c.node)
	if !c.hasTail() {
		return raw
	}
	end := jsonspan.Offset(raw, c.own)
	return append(raw[:end:end], '"')
}

// rawTail is the tail as a JSON string.
func (c content) rawTail() []byte {
	raw := c.doc.raw(c.node)
	return append([]byte{'"'}, raw[jsonspan.Offset(raw, c.tail):]...)
}

// setOwn puts another text in the place of the own one and keeps the tail. If both cannot be kept apart in
// one string, inParts writes them.
func (c content) setOwn(text string, inParts func([][]byte) []byte) {
	d, written := c.doc, quote(text)
	switch {
	case !c.hasTail():
		d.set(c.node, written)
	case text == "":
		d.set(c.node, c.rawTail())
	case ambiguous(text) || !splitsBehind(text, c.node.text()[c.tail:]):
		d.set(c.node, inParts([][]byte{written, c.rawTail()}))
	default:
		d.set(c.node, joined(written, c.rawTail()))
	}
}

// splitsBehind tells whether a tail put behind a text is found again as such. A text that has a tail of
// its own is no concern here: it is never read back whole.
func splitsBehind(text, tail string) bool {
	if own, _ := split(text); own != len(text) {
		return true
	}
	own, _ := split(text + blank + tail)
	return own == len(text)
}

// place puts segments in the place of the tail. If they could not be told from the own text, inParts
// writes both.
func (c content) place(segs [][]byte, inParts func([][]byte) []byte) {
	d := c.doc
	switch {
	case c.own == 0:
		d.set(c.node, joined(segs...))
	case c.ambiguous():
		d.set(c.node, inParts(append([][]byte{c.rawOwn()}, segs...)))
	case c.hasTail():
		d.set(c.node, joined(append([][]byte{c.rawOwn()}, segs...)...))
	default:
		d.extend(c.node, joined(append([][]byte{quote("")}, segs...)...))
	}
}

// ambiguous tells whether a tail put behind the own text could not be told from it any more.
func (c content) ambiguous() bool {
	if s := c.node.seen; s != nil && s.clipped {
		c.doc.blind = c.doc.blind || s.opening
		return false
	}
	return ambiguous(c.node.text()[:c.own])
}

// joined makes one JSON string of several, with blank lines between them.
func joined(raws ...[]byte) []byte {
	out := []byte{'"'}
	for i, raw := range raws {
		if i > 0 {
			out = ecma.AppendEscaped(out, blank)
		}
		out = append(out, raw[1:len(raw)-1]...)
	}
	return append(out, '"')
}
