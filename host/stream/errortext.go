package stream

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// errorText is what the value of an error part says: the message of an object that has one, the JSON of
// another object or a list, and what String makes of anything else in JavaScript, as it does of everything
// for the reference.
func errorText(raw json.RawMessage, reference bool) string {
	levels := 1
	if reference {
		levels = math.MaxInt
	}
	doc, err := jsonspan.Scan(raw, levels)
	if err != nil {
		return "undefined"
	}
	root := doc.Root()
	if kind := root.Kind(); kind < jsonspan.Array || reference {
		return javaScriptString(root)
	}
	if message := jsonvalue.Member(root, "message"); message.Kind() == jsonspan.String {
		return jsonvalue.String(message)
	}
	text, err := ordered.Reserialize(nil, raw)
	if err != nil {
		return string(appendLine(nil, root.Raw(), ""))
	}
	return string(text)
}

// javaScriptString is String(value): of a list its elements with commas between them, at any depth, where
// null is nothing; of an object three words that say nothing.
func javaScriptString(root jsonspan.Node) string {
	if root.Kind() == jsonspan.Null {
		return "null"
	}
	var out []byte
	var open []jsonspan.Node // the element that each list around n is at
	for n := root; ; {
		switch n.Kind() {
		case jsonspan.String:
			out = append(out, jsonvalue.String(n)...)
		case jsonspan.Number:
			f, _ := jsonvalue.Number(n)
			out = ecma.AppendNumber(out, f)
		case jsonspan.Bool:
			out = append(out, n.Raw()...)
		case jsonspan.Object:
			out = append(out, "[object Object]"...)
		case jsonspan.Array:
			if first := n.First(); first.Kind() != jsonspan.Absent {
				open = append(open, first)
				n = first
				continue
			}
		}
		for len(open) > 0 && open[len(open)-1].Next().Kind() == jsonspan.Absent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return string(out)
		}
		n = open[len(open)-1].Next()
		open[len(open)-1] = n
		out = append(out, ',')
	}
}
