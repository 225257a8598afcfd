// Package ecma holds the parts of the JavaScript language whose results are visible in prompts and
// payloads and differ from Go's own: white space, and how strings are written as JSON.
//
// It is linked into Wasm guests and therefore imports nothing large.
package ecma

import "unicode/utf8"

// IsSpace tells whether r is white space or a line terminator of ECMAScript, which is what
// String.prototype.trim removes: U+0009 to U+000D, U+0020, U+00A0, U+1680, U+2000 to U+200A, U+2028,
// U+2029, U+202F, U+205F, U+3000 and U+FEFF. U+0085, which Go counts as white space, is not in the set.
func IsSpace(r rune) bool {
	switch {
	case r < 0x80:
		return r == ' ' || '\t' <= r && r <= '\r'
	case 0x2000 <= r && r <= 0x200a:
		return true
	}
	switch r {
	case 0x00a0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return false
}

// IsBlank tells whether nothing is left of s after [Trim].
func IsBlank(s string) bool {
	return Trim(s) == ""
}

// Trim is String.prototype.trim: s without white space ([IsSpace]) at both ends. Bytes that are not
// UTF-8 are kept.
func Trim(s string) string {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if !IsSpace(r) {
			break
		}
		s = s[size:]
	}
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if !IsSpace(r) {
			break
		}
		s = s[:len(s)-size]
	}
	return s
}
