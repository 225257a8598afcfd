package stream

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// errorText is what the value of an error part says: the message of an object that has one, the JSON of
// another object or a list, and what String makes of anything else in JavaScript, as it does of everything
// for the reference.
func errorText(raw json.RawMessage, reference bool) string {
	doc, err := jsonspan.Scan(raw, 1)
	if err != nil {
		return "undefined"
	}
	root := doc.Root()
	if kind := root.Kind(); kind < jsonspan.Array || reference {
		return jsonvalue.Coerce(root)
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
