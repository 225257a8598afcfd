package main

import (
	"slices"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// A span is where a value stands in a JSON text. Version 1 of the interface hands over the whole payload, and
// what an adapter does not mean to change has to stay as it is written: numbers, key order, lone surrogates.
// So the payload is cut, not decoded. What comes back is checked by the host, so nothing is checked here.
type span struct {
	key      string // of a member of an object
	from, to int    // both 0: there is no such value
}

func (s span) begins(doc []byte, with byte) bool { return s.to > 0 && doc[s.from] == with }

// member returns a member of the document, the last one of several; absent if the document is no object.
func member(doc []byte, key string) span {
	var found span
	for _, m := range inside(doc, document(doc)) {
		if m.key == key {
			found = m
		}
	}
	return found
}

// setMember returns the document with a member of its object set, at the end if it is new; nil if the
// document is no object.
func setMember(doc []byte, key string, value []byte) []byte {
	top := document(doc)
	if !top.begins(doc, '{') {
		return nil
	}
	if m := member(doc, key); m.to > 0 {
		return slices.Concat(doc[:m.from], value, doc[m.to:])
	}
	added := slices.Concat(edit.Quote(key), []byte{':'}, value)
	if len(inside(doc, top)) > 0 {
		added = append([]byte{','}, added...)
	}
	end := top.to - 1
	return slices.Concat(doc[:end], added, doc[end:])
}

func document(doc []byte) span {
	from := space(doc, 0)
	return span{from: from, to: skip(doc, from)}
}

// inside returns the members of an object or the elements of a list; nothing of another value.
func inside(doc []byte, of span) []span {
	object := of.begins(doc, '{')
	if !object && !of.begins(doc, '[') {
		return nil
	}
	var found []span
	for i := space(doc, of.from+1); i < of.to-1; i = space(doc, i) {
		var s span
		if object {
			end := skip(doc, i)
			s.key, _ = stringAt(doc, span{from: i, to: end})
			i = space(doc, end)
		}
		s.from, s.to = i, skip(doc, i)
		found = append(found, s)
		i = s.to
	}
	return found
}

// space returns where the next value begins, or the closing bracket stands.
func space(doc []byte, i int) int {
	for i < len(doc) {
		switch doc[i] {
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

// skip returns where the value that begins at i ends.
func skip(doc []byte, i int) int {
	for depth := 0; i < len(doc); {
		switch doc[i] {
		case '"':
			i = skipString(doc, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			i = skipWord(doc, i)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

func skipString(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(doc)
}

// skipWord skips a number, true, false or null.
func skipWord(doc []byte, i int) int {
	for i < len(doc) {
		switch doc[i] {
		case ' ', '\t', '\n', '\r', ',', ':', '}', ']', '{', '[', '"':
			return i
		}
		i++
	}
	return i
}
