// Package wtf8 reads and writes JSON strings as JavaScript does.
//
// A JavaScript string may hold half a surrogate pair. Go strings here carry such a half as the three
// bytes that UTF-8 would give its code point (the encoding known as WTF-8), so that a text keeps its
// identity between reading and writing: encoding/json would turn every half into U+FFFD and make
// different texts equal. Texts without halves are ordinary UTF-8.
package wtf8

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var errSyntax = errors.New("not a JSON string")

// Unquote decodes one JSON string, quotes included. Escaped pairs are joined, a half that stands alone
// is kept, bytes that are not UTF-8 become U+FFFD as in [Repair].
func Unquote(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", errSyntax
	}
	in := raw[1 : len(raw)-1]
	if plain(in) {
		return string(in), nil
	}
	out, err := AppendUnquote(make([]byte, 0, len(in)), raw)
	return string(out), err
}

// AppendUnquote appends what [Unquote] returns. On an error dst is returned as it was.
func AppendUnquote(dst, raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return dst, errSyntax
	}
	out, in := dst, raw[1:len(raw)-1]
	for len(in) > 0 {
		run := 0 // of what stands for itself
		for run < len(in) && in[run] >= 0x20 && in[run] != '"' && in[run] != '\\' && in[run] < utf8.RuneSelf {
			run++
		}
		if out, in = append(out, in[:run]...), in[run:]; len(in) == 0 {
			break
		}
		switch c := in[0]; {
		case c == '\\':
			var err error
			if out, in, err = unescape(out, in[1:]); err != nil {
				return dst, err
			}
		case c < utf8.RuneSelf:
			return dst, errSyntax
		default:
			r, size := utf8.DecodeRune(in)
			if r == utf8.RuneError && size == 1 {
				size = bad(in)
			}
			out, in = utf8.AppendRune(out, r), in[size:]
		}
	}
	return out, nil
}

// plain tells whether the inside of a string stands for itself.
func plain(in []byte) bool {
	for _, c := range in {
		if c < 0x20 || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(in)
}

// unescape decodes the escape whose backslash has been read.
func unescape(out, in []byte) ([]byte, []byte, error) {
	if len(in) == 0 {
		return nil, nil, errSyntax
	}
	switch c := in[0]; c {
	case '"', '\\', '/':
		return append(out, c), in[1:], nil
	case 'b':
		return append(out, '\b'), in[1:], nil
	case 'f':
		return append(out, '\f'), in[1:], nil
	case 'n':
		return append(out, '\n'), in[1:], nil
	case 'r':
		return append(out, '\r'), in[1:], nil
	case 't':
		return append(out, '\t'), in[1:], nil
	case 'u':
		unit, ok := hex4(in[1:])
		if !ok {
			return nil, nil, errSyntax
		}
		in = in[5:]
		if unit >= 0xD800 && unit < 0xDC00 && len(in) >= 6 && in[0] == '\\' && in[1] == 'u' {
			if low, ok := hex4(in[2:]); ok && low >= 0xDC00 && low < 0xE000 {
				r := (unit-0xD800)<<10 + (low - 0xDC00) + 0x10000
				return utf8.AppendRune(out, r), in[6:], nil
			}
		}
		if utf16.IsSurrogate(unit) {
			return AppendHalf(out, unit), in, nil
		}
		return utf8.AppendRune(out, unit), in, nil
	}
	return nil, nil, errSyntax
}

func hex4(in []byte) (rune, bool) {
	if len(in) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(in[:4]), 16, 16)
	return rune(n), err == nil
}

// AppendQuote appends s as JSON.stringify writes it: only the quote, the backslash, control characters
// and halves are escaped. Other bytes that are not UTF-8 become U+FFFD as in [Repair].
func AppendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0 // of what stands for itself and is not yet written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
			dst = append(dst, s[from:i]...)
			if half, ok := Half(s[i:]); ok {
				dst = append(dst, '\\', 'u', hex[half>>12], hex[half>>8&15], hex[half>>4&15], hex[half&15])
				i += 3
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
				i += bad(s[i:])
			}
			from = i
			continue
		}
		dst = append(dst, s[from:i]...)
		i++
		from = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// Half returns the half of a surrogate pair that a text in WTF-8 begins with, and whether it does.
func Half[T ~string | ~[]byte](s T) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

// AppendHalf appends a half of a surrogate pair.
func AppendHalf(dst []byte, half rune) []byte {
	return append(dst, 0xED, byte(0x80|half>>6&0x3F), byte(0x80|half&0x3F))
}

// Meet returns the character that the half at the end of a text and the one at the beginning of another make
// together, and whether they do. It takes the place of the last three bytes of the one and the first three
// of the other.
func Meet(before []byte, behind string) (rune, bool) {
	if len(before) < 3 || len(behind) < 3 || behind[0] != 0xED { // nearly always
		return 0, false
	}
	low, _ := Half(behind)
	high, _ := Half(before[len(before)-3:])
	r := utf16.DecodeRune(high, low) // RuneError for what is no pair
	return r, r != utf8.RuneError
}

// ToUTF8 puts U+FFFD in the place of each half, and of other bytes that are not UTF-8 as in
// [Repair].
func ToUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		if _, half := Half(s); half {
			b.WriteRune(utf8.RuneError)
			s = s[3:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = bad(s)
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}
