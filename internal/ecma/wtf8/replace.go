package wtf8

import "unicode/utf8"

// bad returns how many bytes at the start of in, which do not begin with a character, JavaScript puts one
// U+FFFD in the place of: a character that is cut short counts once, and otherwise each byte does (the
// Unicode standard, "U+FFFD substitution of maximal subparts").
func bad[T ~string | ~[]byte](in T) int {
	low, high, n := byte(0x80), byte(0xBF), 0
	switch c := in[0]; {
	case c >= 0xC2 && c <= 0xDF:
		n = 1
	case c >= 0xE0 && c <= 0xEF:
		n = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		n = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	size := 1
	for size <= n && size < len(in) && in[size] >= low && in[size] <= high {
		size++
		low, high = 0x80, 0xBF
	}
	return size
}

// Repair returns data with U+FFFD in the place of what is not UTF-8, as JavaScript decodes bytes. What is
// UTF-8 already is returned as it is.
func Repair(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+8)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			size = bad(data)
		}
		out = utf8.AppendRune(out, r)
		data = data[size:]
	}
	return out
}
