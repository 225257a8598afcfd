package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A fault is what is wrong with a value of a table, of which path says the place: "tools.rules[0].tool".
type fault struct{ path, text string }

func (f *fault) Error() string { return f.path + ": " + f.text }

func wrong(path, format string, args ...any) error {
	return &fault{path, fmt.Sprintf(format, args...)}
}

// A form reads a table into Go's types. It is strict where encoding/json is not, and says what is wrong in
// the terms of the table: the line, the place, and what was expected.
type form struct {
	table []byte
	// places are where in the table values begin, by path.
	places map[string]int
}

// read reads the whole table.
func (f *form) read(into any) error {
	doc, err := jsonspan.Scan(f.table, formLevels)
	if err != nil {
		return err
	}
	if err := f.check(doc.Root(), reflect.TypeOf(into).Elem(), ""); err != nil {
		return err
	}
	return json.Unmarshal(f.table, into)
}

// formLevels is how deep the values of a table are nested: those of an alias are the innermost.
const formLevels = 6

// locate puts the line in front of an error of read or of what was found wrong later.
func (f *form) locate(err error) error {
	var syntax *jsonspan.SyntaxError
	var at *fault
	switch {
	case errors.As(err, &syntax):
		rest := f.table[min(syntax.Offset, len(f.table)):]
		if len(bytes.TrimSpace(rest)) == 0 {
			return fmt.Errorf("line %d: not JSON: it ends too early", f.line(syntax.Offset))
		}
		r, _ := utf8.DecodeRune(rest)
		return fmt.Errorf("line %d: not JSON: unexpected %q", f.line(syntax.Offset), r)
	case errors.As(err, &at):
		line := f.line(f.place(at.path))
		if at.path == "" {
			return fmt.Errorf("line %d: %s", line, at.text)
		}
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

func (f *form) line(offset int) int {
	return 1 + bytes.Count(f.table[:min(offset, len(f.table))], []byte{'\n'})
}

// place is where a value is, or what it would be in if it is missing.
func (f *form) place(path string) int {
	for path != "" {
		if at, ok := f.places[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return f.places[""]
}

// check says whether a value has the form of a type. The types are as deep as the table may be.
func (f *form) check(at jsonspan.Node, t reflect.Type, path string) error {
	f.places[path] = at.Span().From
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return nil
	case t.Kind() == reflect.Pointer && at.Kind() == jsonspan.Null:
		return nil
	case t.Kind() == reflect.Pointer:
		t = t.Elem()
	}
	var ok bool
	switch t.Kind() {
	case reflect.Struct:
		ok = at.Kind() == jsonspan.Object
	case reflect.Slice, reflect.Array:
		ok = at.Kind() == jsonspan.Array && (t.Kind() == reflect.Slice || count(at) == t.Len())
	case reflect.String:
		ok = at.Kind() == jsonspan.String
	case reflect.Bool:
		ok = at.Kind() == jsonspan.Bool
	case reflect.Int:
		n, err := strconv.Atoi(string(at.Raw()))
		ok = err == nil && n >= 0
	}
	if !ok {
		return wrong(path, "expected %s, not %s", expected(t), shortened(at.Raw()))
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.members(at, t, path)
	case reflect.Slice, reflect.Array:
		n := 0
		for v := at.First(); v.Kind() != jsonspan.Absent; v = v.Next() {
			if err := f.check(v, t.Elem(), path+"["+strconv.Itoa(n)+"]"); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

func (f *form) members(object jsonspan.Node, t reflect.Type, path string) error {
	types, keys := map[string]reflect.Type{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		if key := field.Tag.Get("json"); key != "" {
			types[key] = field.Type
			keys = append(keys, key)
		}
	}
	dot := ""
	if path != "" {
		dot = "."
	}
	seen := map[string]bool{}
	for v := object.First(); v.Kind() != jsonspan.Absent; v = v.Next() {
		key := v.Key()
		switch {
		case types[key] == nil:
			f.places[path] = v.KeySpan().From
			return wrong(path, "unknown key %s", instead(key, keys))
		case seen[key]:
			f.places[path] = v.KeySpan().From
			return wrong(path, "key %q is there twice", key)
		}
		seen[key] = true
		if err := f.check(v, types[key], path+dot+key); err != nil {
			return err
		}
	}
	return nil
}

func count(list jsonspan.Node) (n int) {
	for v := list.First(); v.Kind() != jsonspan.Absent; v = v.Next() {
		n++
	}
	return n
}

// expected says what a value of a type is.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number, 0 or more"
	case reflect.Slice:
		_, one, _ := strings.Cut(expected(t.Elem()), " ")
		if what, of, ok := strings.Cut(one, " "); ok {
			return "a list of " + what + "s " + of
		}
		return "a list of " + one + "s"
	case reflect.Array:
		return "a pair [provider's key, host's key]"
	}
	return "a string"
}

// shortened is a text of others for a message.
func shortened(raw []byte) string {
	const most = 60
	if len(raw) <= most {
		return string(raw)
	}
	return strings.ToValidUTF8(string(raw[:most]), "") + "..."
}
