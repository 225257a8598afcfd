// Package rustname turns the symbols of Rust's compilers into the paths that authors wrote.
package rustname

import (
	"strconv"
	"strings"
	"unicode"
)

// maxSymbol bounds what is looked at; of a longer symbol nobody wants to read the path.
const maxSymbol = 16 << 10

// Demangle returns the path of a function, without hashes and generic arguments: hello::dive,
// <hello::Acme as pintle::payload::Adapter>::read. A name that is no symbol of a Rust compiler stays. Its cost
// is linear in the name.
func Demangle(symbol string) string {
	if len(symbol) > maxSymbol {
		return symbol
	}
	if rest, ok := strings.CutPrefix(symbol, "_ZN"); ok {
		if path, ok := legacy(rest); ok {
			return path
		}
	}
	if rest, ok := strings.CutPrefix(symbol, "_R"); ok {
		if path, ok := v0(rest); ok {
			return path
		}
	}
	return symbol
}

// legacy reads elements with their lengths up to an E. The last one is a hash, by which these symbols are told
// from those of C++. What LLVM put behind that is not part of the path.
func legacy(s string) (string, bool) {
	var path []string
	for !strings.HasPrefix(s, "E") {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		n, err := strconv.Atoi(s[:digits])
		if err != nil || n > len(s)-digits {
			return "", false
		}
		path = append(path, s[digits:digits+n])
		s = s[digits+n:]
	}
	last := len(path) - 1
	if last < 1 || !isHash(path[last]) || len(s) > 1 && s[1] != '.' {
		return "", false
	}
	for i, element := range path[:last] {
		path[i] = unescape(element)
	}
	return strings.Join(path[:last], "::"), true
}

func isHash(s string) bool {
	return len(s) == 17 && s[0] == 'h' && strings.Trim(s[1:], "0123456789abcdef") == ""
}

var escapes = map[string]string{
	"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}

// unescape reads the characters that a linker would not take: .. for ::, and others between dollar signs.
func unescape(s string) string {
	if strings.HasPrefix(s, "_$") {
		s = s[1:]
	}
	var out strings.Builder
	for s != "" {
		at := strings.IndexAny(s, ".$")
		if at < 0 {
			break
		}
		out.WriteString(s[:at])
		s = s[at:]
		if strings.HasPrefix(s, "..") {
			out.WriteString("::")
			s = s[2:]
			continue
		}
		if s[0] == '.' {
			out.WriteByte('.')
			s = s[1:]
			continue
		}
		name, rest, closed := strings.Cut(s[1:], "$")
		character, known := escaped(name)
		if !closed || !known {
			break
		}
		out.WriteString(character)
		s = rest
	}
	out.WriteString(s)
	return out.String()
}

func escaped(name string) (string, bool) {
	if known, ok := escapes[name]; ok {
		return known, true
	}
	digits, ok := strings.CutPrefix(name, "u")
	code, err := strconv.ParseUint(digits, 16, 21)
	if !ok || err != nil || !unicode.IsPrint(rune(code)) {
		return "", false
	}
	return string(rune(code)), true
}
