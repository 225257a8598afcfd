package session

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
			if r, size = half(id[i:]); size == 0 {
				return "", fmt.Errorf("the session id %q is not text in UTF-8", id)
			}
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

// half decodes a lone surrogate at the beginning of WTF-8 text; its size is 0 if there is none.
func half(s string) (unit rune, size int) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, 0
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
}
