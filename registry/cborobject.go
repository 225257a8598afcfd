package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/cborout"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// An objectEncoder writes an object for guests as CBOR, the twin of objectWriter: the same keys in the
// order that CBOR wants.
type objectEncoder struct {
	values  []byte // of all members, one behind the other
	members []objectMember
	err     error
}

type objectMember struct {
	key  string
	from int // where its value begins in values
	to   int
}

// member adds a key whose value begins at from and ends where values ends now.
func (w *objectEncoder) member(key string, from int) {
	w.members = append(w.members, objectMember{wtf8.ToUTF8(key), from, len(w.values)})
}

func (w *objectEncoder) text(key, s string) {
	from := len(w.values)
	w.values = cborout.AppendText(w.values, s)
	w.member(key, from)
}

func (w *objectEncoder) textIfAny(key, s string) {
	if s != "" {
		w.text(key, s)
	}
}

func (w *objectEncoder) yesIf(key string, b bool) {
	if b {
		w.values = cborout.AppendBool(w.values, b)
		w.member(key, len(w.values)-1)
	}
}

func (w *objectEncoder) texts(key string, list []string) {
	if list != nil {
		from := len(w.values)
		w.values = cborout.AppendTexts(w.values, list)
		w.member(key, from)
	}
}

func (w *objectEncoder) textMap(key string, m map[string]string) {
	if m == nil {
		return
	}
	var inner objectEncoder
	for _, k := range sortedKeys(m) {
		inner.text(k, m[k])
	}
	w.object(key, &inner)
}

func (w *objectEncoder) object(key string, inner *objectEncoder) {
	from := len(w.values)
	w.values = inner.appendTo(w.values)
	w.member(key, from)
	w.fail(inner.err)
}

// encodeObjects adds a list of objects; a nil list is left out.
func encodeObjects[T any](w *objectEncoder, key string, list []T, write func(*T, *objectEncoder)) {
	if list == nil {
		return
	}
	from := len(w.values)
	w.values = cborout.AppendList(w.values, len(list))
	var inner objectEncoder
	for i := range list {
		inner.values, inner.members = inner.values[:0], inner.members[:0]
		write(&list[i], &inner)
		w.values = inner.appendTo(w.values)
	}
	w.member(key, from)
	w.fail(inner.err)
}

// extra adds members that are known as JSON.
func (w *objectEncoder) extra(members map[string]json.RawMessage) {
	if len(members) == 0 {
		return
	}
	for _, key := range sortedKeys(members) {
		from := len(w.values)
		value, err := fromJSON(members[key])
		if err != nil {
			w.fail(fmt.Errorf("%s: %w", key, err))
			return
		}
		w.values = append(w.values, value...)
		w.member(key, from)
	}
}

func (w *objectEncoder) fail(err error) { w.err = cmp.Or(w.err, err) }

// appendTo writes the object. Of members with equal keys the last one counts, as in JSON.
func (w *objectEncoder) appendTo(dst []byte) []byte {
	slices.SortStableFunc(w.members, func(a, b objectMember) int {
		return cmp.Or(cmp.Compare(len(a.key), len(b.key)), cmp.Compare(a.key, b.key))
	})
	n := 0
	for i := range w.members {
		if !w.superseded(i) {
			n++
		}
	}
	dst = cborout.AppendMap(dst, n)
	for i, m := range w.members {
		if !w.superseded(i) {
			dst = append(cborout.AppendText(dst, m.key), w.values[m.from:m.to]...)
		}
	}
	return dst
}

func (w *objectEncoder) superseded(i int) bool {
	return i+1 < len(w.members) && w.members[i].key == w.members[i+1].key
}

var errNotJSON = errors.New("it is no JSON value")

// fromJSON turns a JSON text into CBOR: numbers without fraction and exponent that fit an int64 into
// integers, as guests expect them, all others into floats, halves of surrogate pairs into U+FFFD.
func fromJSON(raw json.RawMessage) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || !json.Valid(raw) {
		return nil, cmp.Or(err, errNotJSON)
	}
	return abi.Encode(numbers(v))
}

func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = numbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // out of range: an infinity, which says as much
		return f
	}
	return v
}
