package registry

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// objectReader takes known keys out of a decoded object and remembers the first error, so that the
// callers read like the list of keys that they are.
type objectReader struct {
	what string
	keys map[string]json.RawMessage
	err  error
}

func openObject(data []byte, what string) (*objectReader, error) {
	in := &objectReader{what: what}
	if err := json.Unmarshal(data, &in.keys); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return in, nil
}

// take removes a key and says whether it had a value other than null.
func (in *objectReader) take(key string) (json.RawMessage, bool) {
	raw, ok := in.keys[key]
	delete(in.keys, key)
	return raw, ok && string(raw) != "null"
}

func (in *objectReader) fail(key string, err error) {
	if err != nil && in.err == nil {
		in.err = fmt.Errorf("%s: %s: %w", in.what, key, err)
	}
}

func (in *objectReader) text(key string, to *string) {
	if raw, ok := in.take(key); ok {
		s, err := wtf8.Unquote(raw)
		*to = s
		in.fail(key, err)
	}
}

func (in *objectReader) value(key string, to any) {
	if raw, ok := in.take(key); ok {
		in.fail(key, json.Unmarshal(raw, to))
	}
}

func (in *objectReader) texts(key string, to *[]string) {
	raw, ok := in.take(key)
	if !ok {
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		in.fail(key, err)
		return
	}
	*to = make([]string, len(list))
	for i, item := range list {
		s, err := wtf8.Unquote(item)
		(*to)[i] = s
		in.fail(key, err)
	}
}

func (in *objectReader) textMap(key string, to *map[string]string) {
	raw, ok := in.take(key)
	if !ok {
		return
	}
	var items map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		in.fail(key, err)
		return
	}
	*to = make(map[string]string, len(items))
	for k, item := range items {
		s, err := wtf8.Unquote(item)
		(*to)[k] = s
		in.fail(key+"."+k, err)
	}
}

func (in *objectReader) rest() map[string]json.RawMessage {
	if len(in.keys) == 0 {
		return nil
	}
	return in.keys
}

type objectWriter struct {
	out []byte
	err error
}

func (w *objectWriter) key(key string) {
	if w.out == nil {
		w.out = append(w.out, '{')
	} else {
		w.out = append(w.out, ',')
	}
	w.out = append(wtf8.AppendQuote(w.out, key), ':')
}

func (w *objectWriter) text(key, s string) {
	if s != "" {
		w.key(key)
		w.out = wtf8.AppendQuote(w.out, s)
	}
}

func (w *objectWriter) value(key string, v any) {
	raw, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.key(key)
	w.out = append(w.out, raw...)
}

func (w *objectWriter) texts(key string, list []string) {
	if list == nil {
		return
	}
	w.key(key)
	w.out = append(w.out, '[')
	for i, s := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = wtf8.AppendQuote(w.out, s)
	}
	w.out = append(w.out, ']')
}

func (w *objectWriter) textMap(key string, m map[string]string) {
	if m == nil {
		return
	}
	var inner objectWriter
	for _, k := range sortedKeys(m) {
		inner.key(k)
		inner.out = wtf8.AppendQuote(inner.out, m[k])
	}
	raw, _ := inner.close(nil)
	w.key(key)
	w.out = append(w.out, raw...)
}

func (w *objectWriter) close(extra map[string]json.RawMessage) ([]byte, error) {
	for _, key := range sortedKeys(extra) {
		w.key(key)
		w.out = append(w.out, extra[key]...)
	}
	if w.out == nil {
		w.out = append(w.out, '{')
	}
	return append(w.out, '}'), w.err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
