package jsonspan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// next decodes one character of the inside of a valid JSON string at i and returns the index behind it.
// An escaped pair of surrogates is one character. What has no place in a Go string stays distinct: a
// lone surrogate is returned as itself, a byte that is not UTF-8 as MaxRune + 1 + the byte;
// utf8.AppendRune writes U+FFFD for both.
func next(s []byte, i int) (rune, int) {
	c := s[i]
	switch {
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 {
			r = utf8.MaxRune + 1 + rune(c)
		}
		return r, i + size
	case c != '\\' || i+1 >= len(s):
		return rune(c), i + 1
	}
	switch c = s[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r, ok := hex4(s, i+2)
		if !ok {
			return utf8.MaxRune + 1, i + 2
		}
		i += 6
		if utf16.IsSurrogate(r) && len(s)-i >= 6 && s[i] == '\\' && s[i+1] == 'u' {
			low, _ := hex4(s, i+2)
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
		return r, i
	}
	return rune(c), i + 2
}

// inside strips the quotation marks of a raw string.
func inside(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// Text decodes raw, one JSON string with its quotation marks that has been found valid. Escaped
// surrogate pairs are joined; a lone surrogate, and each byte that is not UTF-8, becomes U+FFFD.
func Text(raw []byte) string {
	s := inside(raw)
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return string(s)
	}
	return string(AppendText(make([]byte, 0, len(s)), raw))
}

// AppendText appends what [Text] returns.
func AppendText(dst, raw []byte) []byte {
	for s := inside(raw); len(s) > 0; {
		n := plain(s)
		dst, s = append(dst, s[:n]...), s[n:]
		if n == 0 {
			var r rune
			r, n = next(s, 0)
			dst, s = utf8.AppendRune(dst, r), s[n:]
		}
	}
	return dst
}

// plain returns how many bytes at the start of the inside of a string stand for themselves, though no
// more than it looks at: so a text with many bad bytes is not searched anew behind each of them.
func plain(s []byte) int {
	s = s[:min(len(s), 256)]
	n := bytes.IndexByte(s, '\\')
	if n < 0 {
		n = len(s)
	}
	if utf8.Valid(s[:n]) {
		return n
	}
	for n = 0; ; {
		r, size := utf8.DecodeRune(s[n:])
		if r == utf8.RuneError && size == 1 {
			return n
		}
		n += size
	}
}

// TextLen returns how many bytes [Text] returns.
func TextLen(raw []byte) int {
	size := 0
	for s := inside(raw); len(s) > 0; {
		n := plain(s)
		size += n
		if n == 0 {
			var r rune
			r, n = next(s, 0)
			size += width(r)
		}
		s = s[n:]
	}
	return size
}

// width is the length of a character as [Text] writes it.
func width(r rune) int {
	if n := utf8.RuneLen(r); n > 0 {
		return n
	}
	return len("\ufffd")
}

// Offset returns the index in raw, one valid JSON string with its quotation marks, behind the first n
// bytes of its decoded text ([Text]). It allows a string to be cut without writing it anew. n inside a
// character gives the index behind it; n beyond the text's end that of the closing quotation mark.
func Offset(raw []byte, n int) int {
	s := inside(raw)
	i := 0
	for i < len(s) && n > 0 {
		run := plain(s[i:])
		if run > n {
			end := i + run
			for i += n; i < end && !utf8.RuneStart(s[i]); i++ {
			}
			break
		}
		i, n = i+run, n-run
		if run == 0 {
			var r rune
			r, i = next(s, i)
			n -= width(r)
		}
	}
	return i + 1
}

// TextIs tells whether raw, one valid JSON string, decodes to want. It does not allocate.
func TextIs(raw []byte, want string) bool {
	s := inside(raw)
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s) == want
	}
	for i := 0; i < len(s); {
		var r rune
		r, i = next(s, i)
		w, size := utf8.DecodeRuneInString(want)
		if size == 0 || r != w {
			return false
		}
		want = want[size:]
	}
	return want == ""
}
