package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Value is a JSON value that remembers its bytes, the order of its members and lone surrogates in its
// texts. The zero Value is absent.
type Value struct {
	kind  jsonspan.Kind
	raw   json.RawMessage
	text  string   // of a string
	keys  []string // of an object
	items []Value  // of an object or a list
}

// ParseValue reads a document.
func ParseValue(data []byte) (Value, error) {
	doc, err := jsonspan.Scan(data, 64)
	if err != nil {
		return Value{}, err
	}
	return valueOf(doc.Root())
}

func valueOf(n jsonspan.Node) (Value, error) {
	v := Value{kind: n.Kind(), raw: n.Raw()}
	switch v.kind {
	case jsonspan.String:
		text, err := wtf8.Unquote(v.raw)
		v.text = text
		return v, err
	case jsonspan.Array, jsonspan.Object:
		for c := n.First(); c.Kind() != jsonspan.Absent; c = c.Next() {
			item, err := valueOf(c)
			if err != nil {
				return Value{}, err
			}
			if v.kind == jsonspan.Object {
				key, err := wtf8.Unquote(c.RawKey())
				if err != nil {
					return Value{}, err
				}
				v.keys = append(v.keys, key)
			}
			v.items = append(v.items, item)
		}
	}
	return v, nil
}

// Get returns a member, absent if there is none.
func (v Value) Get(key string) Value {
	for i := len(v.keys) - 1; i >= 0; i-- {
		if v.keys[i] == key {
			return v.items[i]
		}
	}
	return Value{}
}

// Has says whether an object has a member, null included.
func (v Value) Has(key string) bool { return v.Get(key).kind != jsonspan.Absent }

// present says whether the value is neither absent nor null.
func (v Value) present() bool { return v.kind > jsonspan.Null }

// str returns a text, or otherwise for a value that is absent or null.
func (v Value) str(otherwise string) string {
	if v.kind == jsonspan.String {
		return v.text
	}
	return otherwise
}

// ptr returns a text, nil for a value that is absent or null.
func (v Value) ptr() *string {
	if v.kind != jsonspan.String {
		return nil
	}
	return &v.text
}

// strs returns a list of texts, nil for a value that is absent or null and a list that is not nil for
// an empty one.
func (v Value) strs() []string {
	if v.kind != jsonspan.Array {
		return nil
	}
	list := make([]string, len(v.items))
	for i, item := range v.items {
		list[i] = item.str("")
	}
	return list
}

func (v Value) isTrue() bool { return string(v.raw) == "true" }

func (v Value) number() float64 {
	f, _ := strconv.ParseFloat(string(v.raw), 64)
	return f
}

// without returns an object without some members.
func (v Value) without(drop func(key string, item Value) bool) Value {
	if v.kind != jsonspan.Object {
		return v
	}
	kept := Value{kind: v.kind}
	for i, key := range v.keys {
		if !drop(key, v.items[i]) {
			kept.keys = append(kept.keys, key)
			kept.items = append(kept.items, v.items[i])
		}
	}
	kept.raw = kept.appendTo(nil)
	return kept
}

// with returns an object with a member set.
func (v Value) with(key string, item Value) Value {
	out := v.without(func(k string, _ Value) bool { return k == key })
	out.keys, out.items = append(out.keys, key), append(out.items, item)
	out.raw = out.appendTo(nil)
	return out
}

func (v Value) appendTo(out []byte) []byte {
	switch v.kind {
	case jsonspan.Absent:
		return append(out, "null"...)
	case jsonspan.Object:
		out = append(out, '{')
		for i, item := range v.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(wtf8.AppendQuote(out, v.keys[i]), ':')
			out = item.appendTo(out)
		}
		return append(out, '}')
	case jsonspan.Array:
		out = append(out, '[')
		for i, item := range v.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.appendTo(out)
		}
		return append(out, ']')
	}
	return append(out, v.raw...)
}

// fields is an object under construction: keys and values in turn.
type fields []any

// build makes a value of texts, nil, lists, fields and whatever json.Marshal knows.
func build(v any) (Value, error) {
	raw, err := encode(nil, v)
	if err != nil {
		return Value{}, err
	}
	return ParseValue(raw)
}

func encode(out []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return wtf8.AppendQuote(out, v), nil
	case *string:
		if v == nil {
			return append(out, "null"...), nil
		}
		return wtf8.AppendQuote(out, *v), nil
	case Value:
		return v.appendTo(out), nil
	case []byte:
		return append(out, v...), nil
	case json.RawMessage:
		return append(out, v...), nil
	case json.Marshaler:
		raw, err := v.MarshalJSON()
		return append(out, raw...), err
	case fields:
		out = append(out, '{')
		for i := 0; i+1 < len(v); i += 2 {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(wtf8.AppendQuote(out, v[i].(string)), ':')
			var err error
			if out, err = encode(out, v[i+1]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case []any:
		return encodeList(out, v)
	case []string:
		return encodeList(out, v)
	case []json.RawMessage:
		return encodeList(out, v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return append(out, raw...), nil
}

func encodeList[T any](out []byte, list []T) ([]byte, error) {
	out = append(out, '[')
	for i, item := range list {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = encode(out, item); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// orNull is null for an empty text or list.
func orNull[T string | []string](v T) any {
	if len(v) == 0 {
		return nil
	}
	return v
}

// list makes a list for encode.
func list[T any](items []T) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}
