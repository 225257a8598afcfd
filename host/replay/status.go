package replay

import (
	"slices"
	"strings"
)

// A statusSet says which classes of HTTP statuses a text has.
type statusSet struct {
	auth     bool // 401, 403
	limited  bool // 429
	tooLarge bool // 413
	invalid  bool // 400
	server   bool // 500 to 599
}

// units are what a number counts that has one of them behind it. Words that may begin a message, such
// as the token of "401 token expired", are not among them.
var units = []string{
	"ms", "msec", "msecs", "milliseconds", "secs", "seconds", "minutes", "tokens", "bytes", "kb",
	"mb", "kib", "mib", "chars", "characters", "words",
}

// statuses finds the HTTP statuses in a text: three digits that stand alone. Digits in a longer number,
// in an identifier, an address, a version or a path are none, and neither is a number before a unit:
// the 401 of "req_401", "7c-401-b2", "401.5", "/v1/401", "127.0.0.1:401" or "401 tokens".
func statuses(text string) statusSet {
	var s statusSet
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		from := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		if i-from != 3 || !freeBefore(text[:from]) || !freeBehind(text[i:]) {
			continue
		}
		switch digits := text[from:i]; {
		case digits == "401", digits == "403":
			s.auth = true
		case digits == "429":
			s.limited = true
		case digits == "413":
			s.tooLarge = true
		case digits == "400":
			s.invalid = true
		case digits[0] == '5':
			s.server = true
		}
	}
	return s
}

// freeBefore tells whether a number can begin behind a text.
func freeBefore(text string) bool {
	if text == "" {
		return true
	}
	switch c := text[len(text)-1]; c {
	case '-', '_', '/', '#', '$', '+', '@':
		return false
	case '.', ',', ':':
		return len(text) < 2 || !isDigit(text[len(text)-2])
	default:
		return !isUpper(c) && !isLower(c)
	}
}

// freeBehind tells whether a number can end before a text.
func freeBehind(text string) bool {
	if text == "" {
		return true
	}
	var next byte
	if len(text) > 1 {
		next = text[1]
	}
	switch c := text[0]; c {
	case '_', '%':
		return false
	case '.', ',', ':':
		return !isDigit(next)
	case '-', '/':
		return !isDigit(next) && !isUpper(next) && !isLower(next)
	case ' ':
		return !isUnit(text[1:])
	default:
		return !isUpper(c) && !isLower(c)
	}
}

// isUnit tells whether a text begins with a unit.
func isUnit(text string) bool {
	end := 0
	for end < len(text) && (isUpper(text[end]) || isLower(text[end])) {
		end++
	}
	return slices.Contains(units, strings.ToLower(text[:end]))
}
