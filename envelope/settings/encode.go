package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// categories are written before other tables, in this order.
var categories = [...]string{"appearance", "behavior", "interaction", "tools"}

// encode writes the document: plain values, the categories with dotted keys (owner.name), then other
// tables, each in the order of their keys.
func (d Document) encode() ([]byte, error) {
	var w writer
	for _, key := range sorted(d.root) {
		if _, ok := d.root[key].(map[string]any); !ok {
			w.assign(quoteKey(key), d.root[key])
		}
	}
	for _, category := range categories {
		if table, ok := d.root[category].(map[string]any); ok {
			w.header(category)
			w.dotted("", table, 1)
		}
	}
	for _, key := range sorted(d.root) {
		if table, ok := d.root[key].(map[string]any); ok && !slices.Contains(categories[:], key) {
			w.table(quoteKey(key), table)
		}
	}
	return []byte(w.b.String()), w.err
}

type writer struct {
	b   strings.Builder
	err error
}

func (w *writer) header(path string) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString("[" + path + "]\n")
}

func (w *writer) assign(key string, value any) {
	w.b.WriteString(key + " = ")
	w.value(value)
	w.b.WriteByte('\n')
}

// dotted writes a table with its tables' keys joined to it, for a number of levels; deeper tables are
// written inline. So are empty ones, which a dotted key cannot express.
func (w *writer) dotted(prefix string, table map[string]any, levels int) {
	for _, key := range sorted(table) {
		name := prefix + quoteKey(key)
		if inner, ok := table[key].(map[string]any); ok && levels > 0 && len(inner) > 0 {
			w.dotted(name+".", inner, levels-1)
		} else {
			w.assign(name, table[key])
		}
	}
}

// table writes a table under a header, and the tables in it behind it.
func (w *writer) table(path string, table map[string]any) {
	w.header(path)
	for _, key := range sorted(table) {
		if _, ok := table[key].(map[string]any); !ok {
			w.assign(quoteKey(key), table[key])
		}
	}
	for _, key := range sorted(table) {
		if inner, ok := table[key].(map[string]any); ok {
			w.table(path+"."+quoteKey(key), inner)
		}
	}
}

func (w *writer) value(v any) {
	switch v := v.(type) {
	case string:
		w.b.WriteString(quote(v))
	case bool:
		w.b.WriteString(strconv.FormatBool(v))
	case int64:
		w.b.WriteString(strconv.FormatInt(v, 10))
	case int:
		w.b.WriteString(strconv.Itoa(v))
	case float64:
		w.b.WriteString(float(v))
	case time.Time:
		w.b.WriteString(v.Format(time.RFC3339Nano))
	case toml.LocalDateTime:
		w.b.WriteString(v.String())
	case toml.LocalDate:
		w.b.WriteString(v.String())
	case toml.LocalTime:
		w.b.WriteString(v.String())
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		w.value(list)
	case []any:
		w.b.WriteByte('[')
		for i, member := range v {
			if i > 0 {
				w.b.WriteString(", ")
			}
			w.value(member)
		}
		w.b.WriteByte(']')
	case map[string]any:
		w.b.WriteByte('{')
		for i, key := range sorted(v) {
			if i > 0 {
				w.b.WriteString(", ")
			}
			w.b.WriteString(quoteKey(key) + " = ")
			w.value(v[key])
		}
		w.b.WriteByte('}')
	default:
		w.err = fmt.Errorf("a value of type %T cannot be written to the settings file", v)
	}
}

func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func quoteKey(key string) string {
	bare := key != "" && strings.IndexFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) < 0
	if bare {
		return key
	}
	return quote(key)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func sorted(table map[string]any) []string {
	keys := make([]string, 0, len(table))
	for key := range table {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
