package session

import (
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// maxNesting is how deep a JSON document that was scanned can be.
const maxNesting = 10_000

// sameMembers says whether two objects are the same JSON value, in whatever order their members are, but
// for one member that may differ.
func sameMembers(a, b []byte, except string) bool {
	docA, errA := jsonspan.Scan(a, 1)
	docB, errB := jsonspan.Scan(b, 1)
	if errA != nil || errB != nil {
		return false
	}
	membersA, membersB := members(docA.Root()), members(docB.Root())
	delete(membersA, except)
	delete(membersB, except)
	if len(membersA) != len(membersB) {
		return false
	}
	for key, valueA := range membersA {
		valueB, ok := membersB[key]
		if !ok {
			return false
		}
		docA, errA := jsonspan.Scan(valueA.Raw(), maxNesting)
		docB, errB := jsonspan.Scan(valueB.Raw(), maxNesting)
		if errA != nil || errB != nil || !same(docA.Root(), docB.Root()) {
			return false
		}
	}
	return true
}

// same compares two values. It recurses as deep as they are nested, which a scan bounds.
func same(a, b jsonspan.Node) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonspan.Object:
		membersA, membersB := members(a), members(b)
		if len(membersA) != len(membersB) {
			return false
		}
		for key, valueA := range membersA {
			if valueB, ok := membersB[key]; !ok || !same(valueA, valueB) {
				return false
			}
		}
		return true
	case jsonspan.Array:
		a, b = a.First(), b.First()
		for a.Kind() != jsonspan.Absent && b.Kind() != jsonspan.Absent {
			if !same(a, b) {
				return false
			}
			a, b = a.Next(), b.Next()
		}
		return a.Kind() == b.Kind()
	case jsonspan.String:
		return jsonvalue.String(a) == jsonvalue.String(b)
	case jsonspan.Number:
		x, _ := strconv.ParseFloat(string(a.Raw()), 64)
		y, _ := strconv.ParseFloat(string(b.Raw()), 64)
		return x == y
	}
	return string(a.Raw()) == string(b.Raw())
}
