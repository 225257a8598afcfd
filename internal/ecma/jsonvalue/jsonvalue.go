// Package jsonvalue reads values of scanned JSON documents, and writes objects, as JavaScript does: texts
// keep half surrogate pairs (as WTF-8), and numbers are IEEE doubles.
//
// A function that ends in Of takes the bytes of one valid value, or none for an absent one.
package jsonvalue

import (
	"math"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Member returns a member of an object, the last one with the key; it is absent if there is none.
func Member(n jsonspan.Node, key string) jsonspan.Node {
	m, _ := n.Member(key)
	return m
}

// Text returns a string, and whether the value is one.
func Text(n jsonspan.Node) (string, bool) { return TextOf(n.Raw()) }

// TextOf is Text for bytes.
func TextOf(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s, err := wtf8.Unquote(raw)
	return s, err == nil
}

// String returns a string, "" for any other value.
func String(n jsonspan.Node) string { return StringOf(n.Raw()) }

// StringOf is String for bytes.
func StringOf(raw []byte) string {
	s, _ := TextOf(raw)
	return s
}

// Number returns the double that a number denotes, infinite beyond the range, and whether the value is a
// number.
func Number(n jsonspan.Node) (float64, bool) { return NumberOf(n.Raw()) }

// NumberOf is Number for bytes.
func NumberOf(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	if len(raw) == 1 { // most indexes
		return float64(raw[0] - '0'), true
	}
	f, _ := strconv.ParseFloat(string(raw), 64)
	return f, true
}

// MaxSafe is the greatest integer that JavaScript tells from its neighbours.
const MaxSafe = 1<<53 - 1

// Whole returns an integer from -MaxSafe to MaxSafe, and whether the value is one.
func Whole(n jsonspan.Node) (int64, bool) { return WholeOf(n.Raw()) }

// WholeOf is Whole for bytes.
func WholeOf(raw []byte) (int64, bool) {
	if n, ok := digits(raw); ok {
		return n, true
	}
	f, ok := NumberOf(raw)
	if !ok || f < -MaxSafe || f > MaxSafe || f != math.Trunc(f) {
		return 0, false
	}
	return int64(f), true
}

// digits is the quick way for what nearly all integers look like.
func digits(raw []byte) (n int64, ok bool) {
	if len(raw) == 0 || len(raw) > 15 {
		return 0, false
	}
	for _, c := range raw {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// An Object is one JSON object under construction: Begin, members, End.
type Object struct {
	// Out is what has been written so far. A member's value is written behind Key.
	Out []byte
}

// Begin begins an object behind dst.
func Begin(dst []byte) Object { return Object{append(dst, '{')} }

// Key begins a member.
func (o *Object) Key(key string) {
	if o.Out[len(o.Out)-1] != '{' {
		o.Out = append(o.Out, ',')
	}
	o.Out = append(wtf8.AppendQuote(o.Out, key), ':')
}

// Text adds a string.
func (o *Object) Text(key, value string) {
	o.Key(key)
	o.Out = wtf8.AppendQuote(o.Out, value)
}

// Whole adds an integer.
func (o *Object) Whole(key string, value int64) {
	o.Key(key)
	o.Out = strconv.AppendInt(o.Out, value, 10)
}

// Bool adds a truth value.
func (o *Object) Bool(key string, value bool) {
	o.Key(key)
	o.Out = strconv.AppendBool(o.Out, value)
}

// Raw adds a value that is JSON already.
func (o *Object) Raw(key string, value []byte) {
	o.Key(key)
	o.Out = append(o.Out, value...)
}

// End returns the whole.
func (o *Object) End() []byte { return append(o.Out, '}') }

// Without returns an object without its members of a key. What is no object is returned as it is.
func Without(data []byte, key string) []byte {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil {
		return data
	}
	edit := doc.Edit()
	for m := doc.Root().First(); m.Kind() != jsonspan.Absent; m = m.Next() {
		if m.Key() == key {
			edit.Remove(m)
		}
	}
	if changed, err := edit.Bytes(); err == nil {
		return changed
	}
	return data
}
