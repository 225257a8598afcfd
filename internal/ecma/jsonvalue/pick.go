package jsonvalue

import (
	"bytes"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Pick returns the values of an object's members that have some keys, in the order of the keys: nil for
// those that are not there, and for all of them if it is no object. It costs less than to read an object
// whole, and is for those whose order does not matter. The values belong to the object.
func Pick(object []byte, keys ...string) [][]byte {
	values := make([][]byte, len(keys))
	PickInto(values, object, keys...)
	return values
}

// PickInto is Pick for many objects, into a slice that has a place for each key. It allocates nothing, unless
// keys are escaped in the object. It says whether there is an object.
func PickInto(values [][]byte, object []byte, keys ...string) bool {
	clear(values)
	ok := jsonspan.Members(object, func(key, value []byte) {
		if at := placeOf(keys, key); at >= 0 {
			values[at] = value // the last one counts
		}
	})
	if !ok {
		clear(values)
	}
	return ok
}

// placeOf returns the place of a key that is written in JSON, -1 if it is none of them.
func placeOf(keys []string, written []byte) int {
	text := written[1 : len(written)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(StringOf(written))
	}
	for i, key := range keys {
		if key == string(text) {
			return i
		}
	}
	return -1
}
