package ordered

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A member of an object.
type member struct {
	key   string
	value jsonspan.Node
	// index is the key as a number if it is an array index, notIndex if it is not.
	index uint32
}

// notIndex is greater than every array index, so that other keys come behind all of them.
const notIndex = 1<<32 - 1

// few is up to how many keys are compared with each other rather than put into a map.
const few = 8

// appendMembers appends the members of an object in JavaScript's order, each key once.
func appendMembers(dst []member, object jsonspan.Node) []member {
	from := len(dst)
	var places map[string]int
	sorted := true
	for n := object.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		m := member{key: unquote(n.RawKey()), value: n}
		m.index = arrayIndex(m.key)
		if places == nil && len(dst)-from == few {
			places = make(map[string]int, 4*few)
			for i, earlier := range dst[from:] {
				places[earlier.key] = from + i
			}
		}
		if place := find(dst, from, places, m.key); place >= 0 {
			dst[place].value = n
			continue
		}
		if places != nil {
			places[m.key] = len(dst)
		}
		sorted = sorted && (len(dst) == from || dst[len(dst)-1].index <= m.index)
		dst = append(dst, m)
	}
	if !sorted {
		slices.SortStableFunc(dst[from:], func(a, b member) int { return cmp.Compare(a.index, b.index) })
	}
	return dst
}

// find returns the place of a key, -1 if there is none.
func find(members []member, from int, places map[string]int, key string) int {
	if places != nil {
		if place, ok := places[key]; ok {
			return place
		}
		return -1
	}
	for i := from; i < len(members); i++ {
		if members[i].key == key {
			return i
		}
	}
	return -1
}

// arrayIndex returns the number that a key denotes in exactly the way JavaScript writes it.
func arrayIndex(key string) uint32 {
	if key == "" || len(key) > len("4294967294") || key[0] == '0' && key != "0" {
		return notIndex
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return notIndex
		}
	}
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil {
		return notIndex
	}
	return uint32(n) // 2^32 - 1 is notIndex itself
}
