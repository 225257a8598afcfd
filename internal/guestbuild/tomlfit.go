package guestbuild

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A form is what a key of pintle.toml wants, and how it is written.
type form struct {
	what    string
	kinds   []unstable.Kind
	example string // a value; empty: none is shown
}

var forms = map[reflect.Type]form{
	reflect.TypeFor[string]():   {"a text", []unstable.Kind{unstable.String}, `"…"`},
	reflect.TypeFor[uint64]():   {"a whole number", []unstable.Kind{unstable.Integer}, "1000"},
	reflect.TypeFor[float64]():  {"a number", []unstable.Kind{unstable.Integer, unstable.Float}, "1.5"},
	reflect.TypeFor[size]():     {"a size", []unstable.Kind{unstable.String, unstable.Integer}, `"16MiB"`},
	reflect.TypeFor[length]():   {"a time", []unstable.Kind{unstable.String, unstable.Integer}, `"200ms"`},
	reflect.TypeFor[[]string](): {"a list of texts", []unstable.Kind{unstable.Array}, `["…", "…"]`},
	reflect.TypeFor[[]any]():    {"a list of texts and true", []unstable.Kind{unstable.Array}, `["messages", true]`},
	reflect.TypeFor[[][]any]():  {"a list of paths", []unstable.Kind{unstable.Array}, `[["messages", true]]`},
}

// formOf is the form of values of a type; none for what is checked elsewhere.
func formOf(t reflect.Type) form {
	f, known := forms[t]
	switch {
	case known || t.Kind() == reflect.Interface:
		return f
	case t.Kind() == reflect.Slice:
		return form{"a list of tables", []unstable.Kind{unstable.Array}, ""}
	}
	return form{"a table", []unstable.Kind{unstable.InlineTable}, ""}
}

var kindWords = map[unstable.Kind]string{unstable.String: "a text", unstable.Bool: "true or false", unstable.Integer: "a whole number",
	unstable.Float: "a number", unstable.Array: "a list", unstable.InlineTable: "a table"}

// value checks a value against what its key wants, and looks into tables on one line. How deep it goes is
// bounded by the types.
func (k *keyCheck) value(path []string, at string, want reflect.Type, v *unstable.Node) {
	from := k.offset(v)
	if v.Kind == unstable.Array { // the parser does not say where one is
		from = k.places[at]
	}
	if want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	f := formOf(want)
	if f.what == "" {
		return
	}
	if !slices.Contains(f.kinds, v.Kind) {
		k.misfit(path, want, v, from)
		return
	}
	if read, own := reflect.New(want).Interface().(encoding.TextUnmarshaler); own {
		if err := read.UnmarshalText(v.Data); err != nil {
			k.fault(from, "%s: %s", strings.Join(path, "."), err)
		}
		return
	}
	if want.Kind() == reflect.Uint64 && strings.HasPrefix(string(v.Data), "-") {
		k.fault(from, "%s: %s is negative", strings.Join(path, "."), v.Data)
	}
	switch want.Kind() {
	case reflect.Struct:
		for each := v.Children(); each.Next(); {
			if each.Node().Kind == unstable.KeyValue {
				k.pair(path, at, each.Node())
			}
		}
	case reflect.Slice:
		i := 0
		for each := v.Children(); each.Next(); {
			if n := each.Node(); n.Kind != unstable.Comment {
				one := fmt.Sprintf("%s[%d]", at, i)
				k.places[one] = from
				if n.Kind != unstable.Array {
					k.places[one] = k.offset(n)
				}
				k.value(path, one, want.Elem(), n)
				i++
			}
		}
	}
}

// misfit says what a key wants instead of a value, and how that is written.
func (k *keyCheck) misfit(path []string, want reflect.Type, v *unstable.Node, at int) {
	name := strings.Join(path, ".")
	of := k.wants(path)
	if of != want { // it is inside a list
		k.fault(at, "%s wants %s, and this is %s", name, formOf(of).what, or(kindWords[v.Kind], "a date or a time"))
		return
	}
	f := formOf(want)
	example := f.example
	scalar := v.Kind != unstable.Array && v.Kind != unstable.InlineTable && len(v.Data) < 40
	switch quoted := fmt.Sprintf("%q", v.Data); {
	case want == reflect.TypeFor[string]() && scalar:
		example = quoted
	case want == reflect.TypeFor[[]string]() && scalar:
		example = "[" + quoted + "]"
	}
	switch t := tableAt(path); {
	case t != nil:
		k.fault(at, "%s wants %s: write %s, and its keys below", name, f.what, t)
	default:
		k.fault(at, "%s wants %s: %s = %s", name, f.what, path[len(path)-1], example)
	}
}

// wants is the type of a key.
func (k *keyCheck) wants(path []string) reflect.Type {
	t := tableAt(path[:len(path)-1]).types[path[len(path)-1]]
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
