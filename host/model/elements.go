package model

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// elements calls each with the elements of a list as long as it returns true, and says whether it always
// has and raw is a list.
func elements(raw []byte, each func(element []byte) bool) bool {
	w := jsonspan.Walk(raw)
	if w.Kind() != jsonspan.Array {
		return false
	}
	for w.Next() {
		if !each(w.Raw()) {
			return false
		}
	}
	return w.Err() == nil
}
