package jsonvalue

import (
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Coerce is JavaScript's String(value): an absent value is "undefined", a list is its elements with commas
// between them, those of lists in it included and null as nothing, and an object is "[object Object]". It
// costs time in proportion to the value, and its depth costs no Go stack.
func Coerce(n jsonspan.Node) string {
	switch n.Kind() {
	case jsonspan.Absent:
		return "undefined"
	case jsonspan.Null:
		return "null"
	case jsonspan.Array:
		return coerceList(n.Raw())
	}
	return string(appendCoerced(nil, n))
}

// appendCoerced appends the text of what is not a list. A null in a list is nothing.
func appendCoerced(dst []byte, n jsonspan.Node) []byte {
	switch n.Kind() {
	case jsonspan.String:
		return append(dst, String(n)...)
	case jsonspan.Number:
		f, _ := Number(n)
		return ecma.AppendNumber(dst, f)
	case jsonspan.Bool:
		return append(dst, n.Raw()...)
	case jsonspan.Object:
		return append(dst, "[object Object]"...)
	}
	return dst
}

// coerceList scans the list anew, to its whole depth at once: to look at one level after the other would
// read the innermost as often as there are lists around it.
func coerceList(raw []byte) string {
	doc, err := jsonspan.Scan(raw, math.MaxInt)
	if err != nil {
		return ""
	}
	var out []byte
	open := []jsonspan.Node{doc.Root().First()} // the next element of each list around
	first := true
	for len(open) > 0 {
		n := open[len(open)-1]
		if n.Kind() == jsonspan.Absent {
			open = open[:len(open)-1]
			first = false
			continue
		}
		open[len(open)-1] = n.Next()
		if !first {
			out = append(out, ',')
		}
		if first = n.Kind() == jsonspan.Array; first {
			open = append(open, n.First())
			continue
		}
		out = appendCoerced(out, n)
	}
	return string(out)
}
