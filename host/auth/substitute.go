package auth

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Placeholder is the text in whose place [Substitute] puts the API key.
const Placeholder = "$apiKey"

// Substitute puts a key in the place of every string in a JSON value that is exactly Placeholder, at
// any depth; keys of objects stay. If key is not set, members of objects that would have it are
// dropped, elements of lists become null, and a value that is nothing else becomes nothing (nil).
//
// The value is written anew as JavaScript writes it. The result holds the key: treat it as a secret.
// The error is a *[jsonspan.SyntaxError], wrapped, for what is not JSON.
func Substitute(value json.RawMessage, key Secret) (json.RawMessage, error) {
	value, err := ordered.Reserialize(nil, value) // of equal keys one is left
	if err != nil {
		return nil, fmt.Errorf("substitute %s: %w", Placeholder, err)
	}
	doc, err := jsonspan.Scan(value, everyLevel)
	if err != nil {
		return nil, fmt.Errorf("substitute %s: %w", Placeholder, err)
	}
	edit := doc.Edit()
	missing := false
	visit(doc.Root(), func(n jsonspan.Node) {
		if !n.Is(Placeholder) {
			return
		}
		switch at := n.KeySpan(); {
		case key.IsSet():
			edit.Set(n, wtf8.AppendQuote(nil, key.Reveal()))
		case at.From < at.To:
			edit.Remove(n)
		default:
			edit.Set(n, []byte("null"))
			missing = true
		}
	})
	if missing && doc.Root().Kind() == jsonspan.String {
		return nil, nil
	}
	return edit.Bytes()
}
