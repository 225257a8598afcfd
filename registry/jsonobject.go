package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// objectReader takes known keys out of a decoded object and remembers the first error, so that the
// callers read like the list of keys that they are. A value of another type is a
// [json.UnmarshalTypeError] with the way to it, which goes on from that of the object.
type objectReader struct {
	keys map[string]json.RawMessage
	err  error
}

func openObject(data []byte) (*objectReader, error) {
	in := &objectReader{}
	return in, json.Unmarshal(data, &in.keys)
}

// take removes a key and says whether it had a value other than null.
func (in *objectReader) take(key string) (json.RawMessage, bool) {
	raw, ok := in.keys[key]
	delete(in.keys, key)
	return raw, ok && !isNull(raw)
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

func (in *objectReader) fail(key string, err error) {
	if err == nil || in.err != nil {
		return
	}
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		in.err = fmt.Errorf("%s: %w", key, err)
		return
	}
	within := *wrong
	within.Field = key
	if wrong.Field != "" {
		within.Field += "." + wrong.Field
	}
	in.err = &within
}

func (in *objectReader) text(key string, to *string) {
	if raw, ok := in.take(key); ok {
		in.fail(key, readText(raw, to))
	}
}

// readText reads a text, lone surrogates included.
func readText(raw json.RawMessage, to *string) error {
	s, err := wtf8.Unquote(raw)
	if err == nil {
		*to = s
		return nil
	}
	if plainly := json.Unmarshal(raw, to); plainly != nil { // which says it as for all types
		return plainly
	}
	return err
}

func (in *objectReader) value(key string, to any) {
	if raw, ok := in.take(key); ok {
		in.fail(key, json.Unmarshal(raw, to))
	}
}

// texts reads a list. What is null in it is left out: JSON has no other word for JavaScript's undefined.
func (in *objectReader) texts(key string, to *[]string) {
	var list []json.RawMessage
	in.value(key, &list)
	if list == nil {
		return
	}
	*to = make([]string, 0, len(list))
	for _, item := range list {
		var s string
		if !isNull(item) {
			in.fail(key, readText(item, &s))
			*to = append(*to, s)
		}
	}
}

// textMap reads an object of texts, without the members that are null. Of several that are no texts the first one
// in the order of keys is told, so that it is the same one each time.
func (in *objectReader) textMap(key string, to *map[string]string) {
	var items map[string]json.RawMessage
	in.value(key, &items)
	if items == nil {
		return
	}
	*to = make(map[string]string, len(items))
	for _, k := range sortedKeys(items) {
		var s string
		if item := items[k]; !isNull(item) {
			in.fail(key+"."+k, readText(item, &s))
			(*to)[k] = s
		}
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
