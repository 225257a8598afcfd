package guestbuild

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pintle-wasm/pintle/internal/spelling"
)

// A table is a table of pintle.toml, with the keys that it may have.
type table struct {
	path  string // "adapters.view"; "" for the top
	list  bool   // [[adapters.view]]
	keys  []string
	types map[string]reflect.Type // of the keys' values
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
	found := []table{{path: path, list: list, types: map[string]reflect.Type{}}}
	for i := range of.NumField() {
		f := of.Field(i)
		key := f.Tag.Get("toml")
		if key == "" {
			continue
		}
		found[0].keys = append(found[0].keys, key)
		found[0].types[key] = f.Type
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

// maxFaults bounds how many faults of a file are told.
const maxFaults = 20

// A keyCheck says of every key that means nothing where it is, what may have been meant, where a list is none,
// and which values do not fit. The decoder itself is less strict: it takes keys in another case for known, and a
// table for a list of one; and of what does not fit it names Go's types. What is no TOML is left to it.
type keyCheck struct {
	parser unstable.Parser
	lists  map[string]int // how many tables the lists have, by path; those within others since these began
	places map[string]int // offsets of tables, keys and values by their path in the manifest: contributions[0].needs[1]
	faults []Fault
}

// checkKeys returns where what stands in the file.
func checkKeys(text []byte) (places map[string]int, err error) {
	k := keyCheck{lists: map[string]int{}, places: map[string]int{}}
	k.parser.Reset(text)
	var under []string
	known := true
	for k.parser.NextExpression() {
		switch e := k.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if under, known = k.path(nil, e); known {
				known = k.head(under, e)
			}
		case unstable.KeyValue:
			if known { // or the table is told of already
				k.pair(under, k.indexed(under), e)
			}
		}
	}
	if len(k.faults) == 0 || k.parser.Error() != nil {
		return k.places, nil
	}
	return nil, &TOMLError{Faults: k.faults}
}

// head looks at the head of a table. Those of lists are to be written as such: the decoder would take one for a
// list of one.
func (k *keyCheck) head(path []string, e *unstable.Node) bool {
	at := k.offset(firstKey(e))
	for i := range path {
		t, last := tableAt(path[:i+1]), i == len(path)-1
		switch {
		case t == nil:
			k.misplaced(path[:i+1], at)
			return false
		case t.list && last && e.Kind == unstable.ArrayTable:
			k.lists[t.path]++
			for inner := range k.lists {
				if strings.HasPrefix(inner, t.path+".") {
					delete(k.lists, inner)
				}
			}
		case t.list && (last || k.lists[t.path] == 0):
			k.fault(at, "%s is a list of tables: write %s in front of each", t.path, t)
			return false
		case last && !t.list && e.Kind == unstable.ArrayTable:
			k.fault(at, "%s is one table: write %s", t.path, t)
			return false
		}
	}
	k.places[k.indexed(path)] = at
	return true
}

// misplaced says that there can be no table at a path.
func (k *keyCheck) misplaced(path []string, at int) {
	f := formOf(k.wants(path))
	name := path[len(path)-1]
	k.fault(at, "%s is no table, it wants %s: %s = %s", strings.Join(path, "."), f.what, name, f.example)
}

// indexed is a path with the numbers of the tables that were begun last.
func (k *keyCheck) indexed(path []string) string {
	var b strings.Builder
	for i, name := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
		if t := tableAt(path[:i+1]); t != nil && t.list && k.lists[t.path] > 0 {
			fmt.Fprintf(&b, "[%d]", k.lists[t.path]-1)
		}
	}
	return b.String()
}

func (k *keyCheck) offset(n *unstable.Node) int { return int(n.Raw.Offset) }

func (k *keyCheck) fault(offset int, format string, args ...any) {
	if len(k.faults) < maxFaults {
		k.faults = append(k.faults, faultAt(k.parser.Data(), offset, fmt.Sprintf(format, args...)))
	}
}

func firstKey(e *unstable.Node) *unstable.Node {
	parts := e.Key()
	parts.Next()
	return parts.Node()
}

// pair looks at a key and into its value.
func (k *keyCheck) pair(under []string, at string, e *unstable.Node) {
	path, known := k.path(under, e)
	if !known {
		return
	}
	for i := len(under); i < len(path); i++ {
		t := tableAt(path[:i+1])
		if t == nil && i < len(path)-1 {
			k.misplaced(path[:i+1], k.offset(firstKey(e)))
			return
		}
		if t != nil && t.list && (i < len(path)-1 || e.Value().Kind == unstable.InlineTable) {
			k.fault(k.offset(firstKey(e)), "%s is a list of tables: write %s in front of each", t.path, t)
			return
		}
	}
	at = strings.TrimPrefix(at+"."+strings.Join(path[len(under):], "."), ".")
	k.places[at] = k.offset(firstKey(e))
	k.value(path, at, k.wants(path), e.Value())
}

// path returns where a key, or a table's head, leads to, and whether all of it is known.
func (k *keyCheck) path(under []string, e *unstable.Node) (path []string, known bool) {
	path = slices.Clone(under)
	at := tableAt(path)
	for parts := e.Key(); parts.Next(); {
		n := parts.Node()
		path = append(path, string(n.Data))
		if at == nil {
			continue // below a value, which is no table
		}
		if !slices.Contains(at.keys, string(n.Data)) {
			k.fault(k.offset(n), "unknown key %s: %s", strings.Join(path, "."), meantBy(at, string(n.Data)))
			return path, false
		}
		at = tableAt(path)
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
