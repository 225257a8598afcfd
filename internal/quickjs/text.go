package quickjs

import (
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// toUTF8 puts U+FFFD in the place of each half of a surrogate pair.
func toUTF8(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return []byte(wtf8.ToUTF8(string(text)))
}

const hexDigits = "0123456789abcdef"

// appendText appends a text in UTF-8 as a JSON string.
func appendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, text[from:]...), '"')
}
