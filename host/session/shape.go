package session

import (
	"maps"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A shape is the members of an object by key.
type shape map[string]jsonspan.Node

// members returns an object's members by key; of several with one key the last one counts.
func members(n jsonspan.Node) shape {
	found := shape{}
	if n.Kind() != jsonspan.Object {
		return found
	}
	for m := n.First(); m.Kind() != jsonspan.Absent; m = m.Next() {
		found[m.Key()] = m
	}
	return found
}

func (s shape) has(key string) bool { return s[key].Kind() != jsonspan.Absent }

// only says whether these are the members.
func (s shape) only(keys ...string) bool {
	for _, key := range keys {
		if !s.has(key) {
			return false
		}
	}
	return len(s) == len(keys)
}

func (s shape) without(keys ...string) shape {
	kept := maps.Clone(s)
	for _, key := range keys {
		delete(kept, key)
	}
	return kept
}

func (s shape) field(key string) field { return field{key, s[key].Raw()} }

// fields returns those of the members that are there.
func (s shape) fields(keys ...string) []field {
	var found []field
	for _, key := range keys {
		if s.has(key) {
			found = append(found, s.field(key))
		}
	}
	return found
}

// A field is a member of an object to be written.
type field struct {
	key   string
	value []byte
}

func object(fields ...field) []byte {
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(wtf8.AppendQuote(out, f.key), ':'), f.value...)
	}
	return append(out, '}')
}

func quote(text string) []byte { return wtf8.AppendQuote(nil, text) }
