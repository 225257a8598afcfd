package cbor

import (
	"bytes"
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

// keyOf reads a key of a map, which is a text or, if that is nil, a number.
func keyOf(b []byte) (text []byte, number uint64, ok bool) {
	major, arg, rest, ok := head(b)
	if !ok || major != textT {
		return nil, arg, ok && major == unsigned
	}
	if arg > uint64(len(rest)) {
		return nil, 0, false
	}
	return rest[:arg:arg], arg, true
}

// isBefore tells whether the deterministic encoding has a key before another one: numbers before texts, short texts
// before long ones.
func isBefore(text []byte, number uint64, otherText []byte, otherNumber uint64) bool {
	switch {
	case (text == nil) != (otherText == nil):
		return text == nil
	case number != otherNumber:
		return number < otherNumber
	}
	return bytes.Compare(text, otherText) < 0
}

func checkMap(b []byte, n, depth int) (rest []byte, ok bool) {
	rest, ok = b, true
	var before []byte
	var beforeNumber uint64
	ascending := true
	for i := 0; i < n && ok; i++ {
		text, number, isKey := keyOf(rest)
		if rest, ok = check(rest, depth); !ok || !isKey {
			return nil, false
		}
		ascending = ascending && (i == 0 || isBefore(before, beforeNumber, text, number))
		before, beforeNumber = text, number
		rest, ok = check(rest, depth)
	}
	// Hosts write keys in ascending order, in which none can be there twice.
	return rest, ok && (ascending || !twice(b, n))
}

// twice reports whether one of the n keys of a map, which is in order otherwise, is there more than once.
func twice(b []byte, n int) bool {
	texts, numbers := map[string]struct{}{}, map[uint64]struct{}{}
	for range n {
		text, number, _ := keyOf(b)
		if text != nil {
			texts[string(text)] = struct{}{}
		} else {
			numbers[number] = struct{}{}
		}
		b = skip(skip(b))
	}
	return len(texts)+len(numbers) < n
}

// skip returns what follows the first item, which was checked.
func skip(b []byte) []byte {
	for items := uint64(1); items > 0; items-- {
		if b[0] < unsigned<<5|24 || b[0] >= simpleT<<5 && b[0] < simpleT<<5|24 { // most items that are no texts
			b = b[1:]
			continue
		}
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
