package model

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// pick reads the members of an object that have some keys, in the order of the keys; nil for those that
// are not there, and for all if it is no object. It is for objects whose order does not matter, as it costs
// less than to read them whole.
func pick(object []byte, keys ...string) []json.RawMessage {
	values := make([]json.RawMessage, len(keys))
	ok := jsonspan.Members(object, func(key, value []byte) {
		if at := indexOf(keys, key); at >= 0 {
			values[at] = value // the last one counts
		}
	})
	if !ok {
		clear(values)
	}
	return values
}

// indexOf returns the place of a key that is written in JSON.
func indexOf(keys []string, written []byte) int {
	if slices.Contains(written, '\\') {
		return slices.Index(keys, jsonvalue.StringOf(written))
	}
	for i, key := range keys {
		if key == string(written[1:len(written)-1]) {
			return i
		}
	}
	return -1
}

// elements calls each with the elements of a list as long as it returns true, and says whether it always
// has and raw is a list.
func elements(raw []byte, each func(element []byte) bool) bool {
	w := jsonspan.Walk(raw)
	if w.Kind() != jsonspan.Array {
		return false
	}
	for w.Next() {
		if at := w.Value(); !each(raw[at.From:at.To]) {
			return false
		}
	}
	return w.Err() == nil
}
