package guestbuild

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pintle-wasm/pintle/internal/spelling"
)

// A table is a table of pintle.toml, with the keys that it may have.
type table struct {
	path string // "adapters.view"; "" for the top
	list bool   // [[adapters.view]]
	keys []string
}

func (t table) String() string {
	switch {
	case t.path == "":
		return "the top of the file, in front of the first table"
	case t.list:
		return "[[" + t.path + "]]"
	}
	return "[" + t.path + "]"
}

// tables are all of them, the top first.
var tables = tablesOf(reflect.TypeFor[file](), "", false)

func tablesOf(of reflect.Type, path string, list bool) []table {
	found := []table{{path: path, list: list}}
	for i := range of.NumField() {
		f := of.Field(i)
		key := f.Tag.Get("toml")
		if key == "" {
			continue
		}
		found[0].keys = append(found[0].keys, key)
		inner, many := f.Type, false
		if inner.Kind() == reflect.Slice {
			inner, many = inner.Elem(), true
		}
		if inner.Kind() == reflect.Struct && inner.Field(0).Tag.Get("toml") != "" { // sizes and lengths are texts
			found = append(found, tablesOf(inner, strings.TrimPrefix(path+"."+key, "."), many)...)
		}
	}
	return found
}

// tableAt returns the table of a path, nil if no table is there.
func tableAt(path []string) *table {
	i := slices.IndexFunc(tables, func(t table) bool { return t.path == strings.Join(path, ".") })
	if i < 0 {
		return nil
	}
	return &tables[i]
}

// unknownKeys says of every key that means nothing where it is, what may have been meant, and where a list is
// none. The decoder itself is less strict: it takes keys in another case for known, and a table for a list of
// one. What is no TOML is left to it.
func unknownKeys(text []byte) error {
	k := keyCheck{}
	k.parser.Reset(text)
	var under []string
	known := true
	for k.parser.NextExpression() {
		switch e := k.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if under, known = k.path(nil, e); known {
				known = k.asList(under, e)
			}
		case unstable.KeyValue:
			if known { // or the table is told of already
				k.pair(under, e)
			}
		}
	}
	if len(k.faults) == 0 || k.parser.Error() != nil {
		return nil
	}
	return errors.New(strings.Join(k.faults, "\n"))
}

type keyCheck struct {
	parser unstable.Parser
	lists  []string // that have a table
	faults []string
}

// asList wants tables of lists to be written as such: the decoder would take one for a list of one.
func (k *keyCheck) asList(path []string, e *unstable.Node) bool {
	first := e.Key()
	first.Next()
	for i := range path {
		t := tableAt(path[:i+1])
		if t == nil || !t.list {
			continue
		}
		if i == len(path)-1 && e.Kind == unstable.ArrayTable {
			k.lists = append(k.lists, t.path)
		} else if i == len(path)-1 || !slices.Contains(k.lists, t.path) {
			k.fault(first.Node(), "%s is a list of tables: write %s in front of each", t.path, t)
			return false
		}
	}
	return true
}

func (k *keyCheck) fault(at *unstable.Node, format string, args ...any) {
	line := k.parser.Shape(at.Raw).Start.Line
	k.faults = append(k.faults, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// pair looks at a key and into its value.
func (k *keyCheck) pair(under []string, e *unstable.Node) {
	path, known := k.path(under, e)
	if !known {
		return
	}
	for i := len(under); i < len(path); i++ {
		if t := tableAt(path[:i+1]); t != nil && t.list && (i < len(path)-1 || e.Value().Kind == unstable.InlineTable) {
			first := e.Key()
			first.Next()
			k.fault(first.Node(), "%s is a list of tables: write %s in front of each", t.path, t)
			return
		}
	}
	k.value(path, e.Value())
}

// value looks into tables on one line. The parser bounds how deep they are.
func (k *keyCheck) value(path []string, v *unstable.Node) {
	if v.Kind != unstable.InlineTable && v.Kind != unstable.Array {
		return
	}
	for each := v.Children(); each.Next(); {
		if n := each.Node(); n.Kind == unstable.KeyValue {
			k.pair(path, n)
		} else {
			k.value(path, n)
		}
	}
}

// path returns where a key, or a table's head, leads to, and whether all of it is known.
func (k *keyCheck) path(under []string, e *unstable.Node) (path []string, known bool) {
	path = slices.Clone(under)
	for parts := e.Key(); parts.Next(); {
		n := parts.Node()
		t := tableAt(path)
		path = append(path, string(n.Data))
		if t == nil {
			continue // below a value: the decoder says what is wrong
		}
		if !slices.Contains(t.keys, string(n.Data)) {
			k.fault(n, "unknown key %s: %s", strings.Join(path, "."), meantBy(t, string(n.Data)))
			return path, false
		}
	}
	return path, true
}

// meantBy says what an unknown key of a table may have meant.
func meantBy(at *table, word string) string {
	var elsewhere []string
	for _, t := range tables {
		if slices.Contains(t.keys, word) {
			elsewhere = append(elsewhere, t.String())
		}
	}
	if len(elsewhere) > 0 {
		return "it belongs into " + strings.Join(elsewhere, " or ")
	}
	if near := spelling.Nearest(word, at.keys); len(word) > 2 && near != "" {
		return "did you mean " + near + "?"
	}
	var begins []string
	for _, k := range at.keys {
		if len(word) >= 3 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k)) {
			begins = append(begins, k)
		}
	}
	if len(begins) == 1 {
		return "did you mean " + begins[0] + "?"
	}
	return "known: " + strings.Join(at.keys, ", ")
}
