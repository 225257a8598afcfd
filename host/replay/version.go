package replay

import (
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// render is JavaScript's String(value): absent is "undefined", a list is its elements with commas
// between them, nested lists included and null as nothing, an object is "[object Object]".
func render(n jsonspan.Node) string {
	switch n.Kind() {
	case jsonspan.Absent:
		return "undefined"
	case jsonspan.Null:
		return "null"
	case jsonspan.Array:
		return renderList(n.Raw())
	}
	return string(appendScalar(nil, n))
}

// appendScalar appends the text of what is not a list. A null in a list is nothing.
func appendScalar(dst []byte, n jsonspan.Node) []byte {
	switch n.Kind() {
	case jsonspan.String:
		return append(dst, jsonvalue.String(n)...)
	case jsonspan.Number:
		f, _ := jsonvalue.Number(n)
		return ecma.AppendNumber(dst, f)
	case jsonspan.Bool:
		return append(dst, n.Raw()...)
	case jsonspan.Object:
		return append(dst, "[object Object]"...)
	}
	return dst
}

// renderList scans the list anew, to its whole depth at once, and walks it with a stack of its own.
func renderList(raw []byte) string {
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
		out = appendScalar(out, n)
	}
	return string(out)
}
