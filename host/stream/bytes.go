package stream

import (
	"bytes"
	"unsafe"
)

// view is b as a string that shares its memory. Nothing may be written there any more.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf are the bytes of a string, which must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// appendLine appends valid JSON without its line breaks, which white space alone has, and another value if
// there is none.
func appendLine(dst, raw []byte, otherwise string) []byte {
	if len(raw) == 0 {
		return append(dst, otherwise...)
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...)
	}
	for _, c := range raw {
		if c != '\n' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}
