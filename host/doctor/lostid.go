package doctor

import (
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// idFrom is the id of a session whose log does not say: the name of its file or, if that is the same for
// all, what the name of its folder stands for.
func idFrom(path string) string {
	stem := func(path string) string { name, _, _ := strings.Cut(filepath.Base(path), "."); return name }
	if full, err := filepath.Abs(path); err == nil && stem(path) == "session" {
		return unescapeID(filepath.Base(filepath.Dir(full)))
	}
	if name := stem(path); name != "" {
		return name
	}
	return "salvaged"
}

// unescapeID takes the escapes out of the name of a session's folder (the replay-state protocol, section
// "JSONL storage", "Names"): ~ and four hexadecimal digits are a UTF-16 unit. A folder that no session's
// log is kept in by itself has its own name.
func unescapeID(name string) string {
	quoted := []byte{'"'}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '~' && len(name)-i > 4 && hexDigits(name[i+1:i+5]):
			quoted = append(append(quoted, `\u`...), name[i+1:i+5]...)
			i += 4
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			quoted = append(quoted, c)
		default:
			return name
		}
	}
	id, err := wtf8.Unquote(append(quoted, '"'))
	if err != nil {
		return name
	}
	return id
}

func hexDigits(s string) bool { return strings.Trim(s, "0123456789ABCDEF") == "" }
