package session

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// segment is the name of a session's folder (the replay-state protocol, section "JSONL storage",
// "Names").
func segment(id string) (string, error) {
	if id == "" {
		return "", errors.New("a session's id cannot be empty")
	}
	var b strings.Builder
	escape := func(unit rune) { fmt.Fprintf(&b, "~%04X", unit) }
	for i := 0; i < len(id); {
		r, size := utf8.DecodeRuneInString(id[i:])
		if r == utf8.RuneError && size == 1 {
			half, ok := wtf8.Half(id[i:])
			if !ok {
				return "", fmt.Errorf("the session id %q is not text in UTF-8", id)
			}
			r, size = half, 3
		}
		i += size
		switch {
		case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-',
			r == '.' && id != "." && id != "..":
			b.WriteByte(byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			escape(high)
			escape(low)
		default:
			escape(r)
		}
	}
	return b.String(), nil
}
