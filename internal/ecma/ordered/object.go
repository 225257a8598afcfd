package ordered

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// An Object is a JSON object to read and change, with its members in JavaScript's order: those whose keys
// are array indexes first, ascending, then the others in the order in which they came. A key that is set
// again keeps its place. The values are JSON, which is not checked and not copied. The zero Object is
// empty. Looking a key up and setting one cost the same however many members there are; going through the
// members sorts array indexes that were not set in order.
type Object struct {
	keys   []string // as they came
	values []json.RawMessage
	places map[string]int // nil while there are few
	sparse int            // members that were removed: their value is nil
	// unsorted: there are array indexes behind keys that they belong in front of.
	unsorted bool
}

// ParseObject reads an object. It is false for a document that is anything else. The values belong to raw,
// which must not change.
func ParseObject(raw []byte) (Object, bool) {
	doc, err := jsonspan.Scan(raw, 1)
	if err != nil || doc.Root().Kind() != jsonspan.Object {
		return Object{}, false
	}
	var o Object
	for _, m := range appendMembers(nil, doc.Root()) {
		o.keys = append(o.keys, m.key)
		o.values = append(o.values, m.value.Raw())
	}
	o.index()
	return o, true
}

func (o *Object) index() {
	if len(o.keys) <= few {
		return
	}
	o.places = make(map[string]int, 2*len(o.keys))
	for i, key := range o.keys {
		if o.values[i] != nil {
			o.places[key] = i
		}
	}
}

func (o *Object) place(key string) int {
	if o.places != nil {
		if at, ok := o.places[key]; ok {
			return at
		}
		return -1
	}
	for i, k := range o.keys {
		if k == key && o.values[i] != nil {
			return i
		}
	}
	return -1
}

// Get returns the value of a key, nil if there is none.
func (o *Object) Get(key string) json.RawMessage {
	if at := o.place(key); at >= 0 {
		return o.values[at]
	}
	return nil
}

// Has says whether there is a member with a key, be it null.
func (o *Object) Has(key string) bool { return o.place(key) >= 0 }

// Text returns the text of a key, and whether its value is a string.
func (o *Object) Text(key string) (string, bool) { return jsonvalue.TextOf(o.Get(key)) }

// Set sets the value of a key.
func (o *Object) Set(key string, value json.RawMessage) {
	if at := o.place(key); at >= 0 {
		o.values[at] = value
		return
	}
	at := len(o.keys)
	o.unsorted = o.unsorted || at > 0 && arrayIndex(key) < arrayIndex(o.keys[at-1])
	o.keys = append(o.keys, key)
	o.values = append(o.values, value)
	if o.places == nil {
		o.index()
	} else {
		o.places[key] = at
	}
}

// SetText sets the value of a key to a string.
func (o *Object) SetText(key, value string) { o.Set(key, wtf8.AppendQuote(nil, value)) }

// Delete removes the member with a key, if there is one.
func (o *Object) Delete(key string) {
	at := o.place(key)
	if at < 0 {
		return
	}
	delete(o.places, key)
	o.values[at] = nil
	o.sparse++
}

// Len is the number of members.
func (o *Object) Len() int { return len(o.keys) - o.sparse }

// All goes through the members in order.
func (o *Object) All() iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		keys, values := o.sorted()
		for i, value := range values {
			if value != nil && !yield(keys[i], value) {
				return
			}
		}
	}
}

// sorted returns the members in order. It changes nothing, so that many may read an object at a time.
func (o *Object) sorted() ([]string, []json.RawMessage) {
	if !o.unsorted {
		return o.keys, o.values
	}
	type place struct {
		at    int
		index uint32
	}
	order := make([]place, len(o.keys))
	for i, key := range o.keys {
		order[i] = place{i, arrayIndex(key)}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.index, b.index) })
	keys, values := make([]string, len(order)), make([]json.RawMessage, len(order))
	for i, p := range order {
		keys[i], values[i] = o.keys[p.at], o.values[p.at]
	}
	return keys, values
}

// Clone returns an object that can be changed without changing this one. The values are shared.
func (o *Object) Clone() Object {
	keys, values := o.sorted()
	c := Object{keys: slices.Clone(keys), values: slices.Clone(values), sparse: o.sparse}
	c.index()
	return c
}

// AppendJSON appends the object as JSON.
func (o *Object) AppendJSON(dst []byte) []byte {
	w := jsonvalue.Begin(dst)
	for key, value := range o.All() {
		w.Raw(key, value)
	}
	return w.End()
}

// JSON is the object as JSON.
func (o *Object) JSON() json.RawMessage { return o.AppendJSON(nil) }

// Elements returns the elements of a list, and whether raw is one. They belong to raw.
func Elements(raw []byte) ([]json.RawMessage, bool) {
	doc, err := jsonspan.Scan(raw, 1)
	if err != nil || doc.Root().Kind() != jsonspan.Array {
		return nil, false
	}
	list := []json.RawMessage{}
	for n := doc.Root().First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		list = append(list, n.Raw())
	}
	return list, true
}

// AppendList appends values as a JSON list.
func AppendList(dst []byte, values []json.RawMessage) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

// AppendTexts appends texts as a JSON list.
func AppendTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wtf8.AppendQuote(dst, text)
	}
	return append(dst, ']')
}
