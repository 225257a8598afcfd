package stream

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// metadata is the providerMetadata of the last part of a block that had some, and what came before it; nil
// for none. It is merged only when somebody asks, so that a part costs no more than its own length. It
// never changes, so copies of a block may share it.
type metadata struct {
	// raw is JSON, not empty.
	raw    string
	before *metadata
	// merged is the length of the first one, and since that of all others.
	merged, since int
}

// noteMetadata adds the metadata of a part to a block. The same again changes nothing.
func (t *Translator) noteMetadata(at int, raw json.RawMessage) {
	if len(raw) <= len("{}") || t.cfg.Reference {
		return
	}
	switch last := t.m.Content[at].metadata; {
	case last != nil && last.raw == string(raw):
		return
	case last == nil && t.alone != nil && t.alone.raw == string(raw):
		t.own(at).metadata = t.alone // providers say the same of many blocks
		return
	}
	if len(t.notes) == 0 {
		t.notes = make([]metadata, min(max(2*t.noted, 4), 64))
		t.noted = len(t.notes)
	}
	b, note := t.own(at), &t.notes[0]
	t.notes = t.notes[1:]
	note.raw, note.before = t.arena.copy(view(raw)), b.metadata
	b.metadata = note
	if note.before == nil {
		note.merged, t.alone = len(raw), note
		return
	}
	note.merged, note.since = note.before.merged, note.before.since+len(raw)
}

// settled is the same metadata for a block that an event is about to show: merged, if there is twice as
// much of it as when it was merged the last time. Otherwise each of many events would merge all that
// came before.
func (m *metadata) settled() *metadata {
	if m == nil || m.since <= m.merged {
		return m
	}
	if text := m.text(); text != "" {
		return &metadata{raw: text, merged: len(text)}
	}
	return nil
}

// text is the merged map as JSON, "" if it is empty: by provider, the members of its objects, of several
// with one key the last one. What is no object by provider is left out.
func (m *metadata) text() string {
	switch {
	case m == nil:
		return ""
	case m.before == nil && allObjects(m.raw):
		return m.raw
	}
	merged := m.merge()
	if len(merged.keys) == 0 {
		return ""
	}
	out := []byte{'{'}
	for i, provider := range merged.keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(wtf8.AppendQuote(out, provider), ":{"...)
		inner := merged.values[i]
		for j, key := range inner.keys {
			if j > 0 {
				out = append(out, ',')
			}
			out = append(wtf8.AppendQuote(out, key), ':')
			out = append(out, inner.values[j]...)
		}
		out = append(out, '}')
	}
	return view(append(out, '}'))
}

// redacted says that a provider has something in the place of reasoning that it does not show.
func (m *metadata) redacted() bool {
	if m == nil {
		return false
	}
	for _, inner := range m.merge().values {
		if at, ok := inner.find("redactedData"); ok {
			if raw := inner.values[at]; raw[0] == '"' && len(raw) > len(`""`) {
				return true
			}
		}
	}
	return false
}

func (m *metadata) merge() *table[*table[json.RawMessage]] {
	var notes []string
	for ; m != nil; m = m.before {
		notes = append(notes, m.raw)
	}
	merged := &table[*table[json.RawMessage]]{}
	for _, raw := range slices.Backward(notes) {
		merge(merged, raw)
	}
	return merged
}

func merge(into *table[*table[json.RawMessage]], raw string) {
	whole := bytesOf(raw)
	if !jsonspan.Valid(whole) {
		return
	}
	// Of several members with one key only the last one counts, so it must not be merged with the others.
	providers := &table[json.RawMessage]{}
	jsonspan.Members(whole, func(key, value []byte) { providers.set(unquote(key), value) })
	for i, provider := range providers.keys {
		value := providers.values[i]
		if value[0] != '{' {
			continue
		}
		at, ok := into.find(provider)
		if !ok {
			at = into.set(provider, &table[json.RawMessage]{})
		}
		inner := into.values[at]
		jsonspan.Members(value, func(key, value []byte) { inner.set(unquote(key), value) })
	}
}

func unquote(raw []byte) string {
	text, _ := wtf8.Unquote(raw)
	return text
}

// allObjects says whether JSON is an object, not empty, with nothing but objects in it.
func allObjects(raw string) bool {
	objects, all := 0, true
	ok := jsonspan.Members(bytesOf(raw), func(_, value []byte) {
		objects++
		all = all && value[0] == '{'
	})
	return ok && all && objects > 0
}

// A table has values by key, in the order in which the keys came.
type table[V any] struct {
	keys   []string
	values []V
	at     map[string]int // nil while there are few
}

func (t *table[V]) find(key string) (int, bool) {
	if t.at != nil {
		at, ok := t.at[key]
		return at, ok
	}
	for i, k := range t.keys {
		if k == key {
			return i, true
		}
	}
	return 0, false
}

// set returns the place of the key.
func (t *table[V]) set(key string, value V) int {
	at, ok := t.find(key)
	if ok {
		t.values[at] = value
		return at
	}
	at = len(t.keys)
	t.keys, t.values = append(t.keys, key), append(t.values, value)
	switch {
	case t.at != nil:
		t.at[key] = at
	case len(t.keys) > 8:
		t.at = make(map[string]int, 32)
		for i, k := range t.keys {
			t.at[k] = i
		}
	}
	return at
}
