// Package ordered writes JSON documents anew as JavaScript does when it parses and stringifies them. The
// result depends on what an object of JavaScript keeps: the order of its members, one value for each
// key, and numbers as doubles.
package ordered

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Reserialize appends JSON.stringify(JSON.parse(raw)):
//
//   - no white space, and nothing escaped that JSON does not require, except halves of surrogate pairs;
//   - of each object first the members whose keys are integers (from 0 to 2^32 - 2, as JavaScript writes
//     them), ascending, then the others as written. A key that occurs again has its last value, at the
//     place of the first. "__proto__" is a key like any other;
//   - numbers in the shortest digits that denote the double. What is beyond the doubles is null.
//
// raw is one JSON document with nothing but white space around it. Texts in it may carry halves of
// surrogate pairs as WTF-8; other bytes that are not UTF-8 become U+FFFD. Containers may be nested
// 10,000 deep. The error is a *[jsonspan.SyntaxError], and dst is returned as it was.
//
// The cost is linear in the length of raw, but for integer keys, which are sorted. The depth of raw
// costs no Go stack.
func Reserialize(dst, raw []byte) ([]byte, error) {
	doc, err := jsonspan.Scan(raw, math.MaxInt)
	if err != nil {
		return dst, err
	}
	w := writer{out: dst}
	w.value(doc.Root())
	for len(w.open) > 0 {
		w.step()
	}
	return w.out, nil
}

type writer struct {
	out []byte
	// open are the containers around the place of writing. members holds those of the objects among them,
	// the innermost object's last.
	open    []container
	members []member
}

type container struct {
	// next is the next element of a list.
	next jsonspan.Node
	// from and end are an object's members, and at is the next of them; end is 0 for a list.
	from, at, end int
	// first says that nothing has been written of it.
	first bool
}

// value writes a scalar, or opens a container.
func (w *writer) value(n jsonspan.Node) {
	switch n.Kind() {
	case jsonspan.Object:
		w.out = append(w.out, '{')
		from := len(w.members)
		w.members = appendMembers(w.members, n)
		if from == len(w.members) {
			w.out = append(w.out, '}')
			return
		}
		w.open = append(w.open, container{from: from, at: from, end: len(w.members), first: true})
	case jsonspan.Array:
		w.out = append(w.out, '[')
		w.open = append(w.open, container{next: n.First(), first: true})
	case jsonspan.String:
		w.out = appendString(w.out, n.Raw())
	case jsonspan.Number:
		w.out = appendNumber(w.out, n.Raw())
	default:
		w.out = append(w.out, n.Raw()...)
	}
}

// step writes the next member or element of the innermost container, or closes it.
func (w *writer) step() {
	c := &w.open[len(w.open)-1]
	object := c.end > 0
	if object && c.at == c.end || !object && c.next.Kind() == jsonspan.Absent {
		if object {
			w.out = append(w.out, '}')
			w.members = w.members[:c.from]
		} else {
			w.out = append(w.out, ']')
		}
		w.open = w.open[:len(w.open)-1]
		return
	}
	if !c.first {
		w.out = append(w.out, ',')
	}
	c.first = false
	if !object {
		n := c.next
		c.next = n.Next()
		w.value(n)
		return
	}
	m := w.members[c.at]
	c.at++
	w.out = append(wtf8.AppendQuote(w.out, m.key), ':')
	w.value(m.value)
}

func appendNumber(dst, raw []byte) []byte {
	f, _ := strconv.ParseFloat(string(raw), 64) // ±Inf beyond the range
	if math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return ecma.AppendNumber(dst, f)
}

func appendString(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return append(dst, raw...)
	}
	return wtf8.AppendQuote(dst, unquote(raw))
}

// unquote decodes a valid JSON string. A half of a surrogate pair may be escaped or not, and where two
// halves meet they are one character, whichever way they are written.
func unquote(raw []byte) string {
	text, _ := wtf8.Unquote(escapeHalves(raw))
	return text
}

// escapeHalves escapes the halves in a valid JSON string.
func escapeHalves(raw []byte) []byte {
	if utf8.Valid(raw) {
		return raw
	}
	out := make([]byte, 0, len(raw)+len(raw)/2)
	for i := 0; i < len(raw); i++ {
		if unit, ok := wtf8.Half(raw[i:]); ok {
			out = strconv.AppendInt(append(out, '\\', 'u'), int64(unit), 16)
			i += 2
			continue
		}
		out = append(out, raw[i])
	}
	return out
}
