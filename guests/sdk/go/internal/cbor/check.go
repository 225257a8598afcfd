package cbor

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// The rules of every message (ABI.md section 6). They are applied to all of it before anything is read: what
// reads it relies on them.
const (
	maxNesting  = 32      // lists and maps inside one another
	maxElements = 131_072 // of a list, and keys of a map
)

// check returns what follows the first item, which stands in that many lists and maps.
func check(b []byte, depth int) (rest []byte, ok bool) {
	major, arg, rest, ok := head(b)
	if !ok {
		return nil, false
	}
	switch major {
	case unsigned, negative:
		return rest, true
	case bytesT, textT:
		if arg > uint64(len(rest)) || major == textT && !utf8.Valid(rest[:arg]) {
			return nil, false
		}
		return rest[arg:], true
	case listT, mapT:
		if depth == maxNesting || arg > maxElements {
			return nil, false
		}
		if major == mapT {
			return checkMap(rest, int(arg), depth+1)
		}
		for ; arg > 0 && ok; arg-- {
			rest, ok = check(rest, depth+1)
		}
		return rest, ok
	case simpleT: // false, true, null and floats of three sizes
		info := b[0] & 31
		return rest, info >= 20 && info <= 22 || info >= 25 && info <= 27
	}
	return nil, false
}

// A key is what a key of a map says: a number, or a text and its length.
type key struct {
	major byte
	arg   uint64
	text  []byte
}

// compare gives the order of the deterministic encoding: numbers before texts, short texts before long ones.
func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.major, other.major), cmp.Compare(k.arg, other.arg), bytes.Compare(k.text, other.text))
}

func keyOf(b []byte) (k key, ok bool) {
	major, arg, rest, ok := head(b)
	if !ok || major != textT {
		return key{major: major, arg: arg}, ok && major == unsigned
	}
	if arg > uint64(len(rest)) {
		return key{}, false
	}
	return key{major, arg, rest[:arg]}, true
}

func checkMap(b []byte, n, depth int) (rest []byte, ok bool) {
	rest, ok = b, true
	var before key
	ascending := true
	for i := 0; i < n && ok; i++ {
		k, isKey := keyOf(rest)
		if rest, ok = check(rest, depth); !ok || !isKey {
			return nil, false
		}
		ascending = ascending && (i == 0 || before.compare(k) < 0)
		before = k
		rest, ok = check(rest, depth)
	}
	// Hosts write keys in ascending order, in which none can be there twice.
	return rest, ok && (ascending || !twice(b, n))
}

// twice reports whether one of the n keys of a map, which is in order otherwise, is there more than once.
func twice(b []byte, n int) bool {
	keys := make([]key, n)
	for i := range keys {
		keys[i], _ = keyOf(b)
		b = skip(skip(b))
	}
	slices.SortFunc(keys, key.compare)
	for i := 1; i < n; i++ {
		if keys[i-1].compare(keys[i]) == 0 {
			return true
		}
	}
	return false
}

// skip returns what follows the first item, which was checked.
func skip(b []byte) []byte {
	for items := uint64(1); items > 0; items-- {
		major, arg, rest, _ := head(b)
		b = rest
		switch major {
		case bytesT, textT:
			b = rest[arg:]
		case listT:
			items += arg
		case mapT:
			items += 2 * arg
		}
	}
	return b
}
