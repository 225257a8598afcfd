package cbor

import "strings"

var nothing = []byte{0x81, 0x00}

// Nothing is the answer of an operation that has nothing to say.
func Nothing() []byte { return nothing }

// Text is an answer with a text.
func Text(s string) []byte {
	return AppendText(append(make([]byte, 0, len(s)+11), 0x82, 0x01), s)
}

// Bytes is an answer with a byte string.
func Bytes(p []byte) []byte {
	b := appendHead(append(make([]byte, 0, len(p)+11), 0x82, 0x01), bytesT, uint64(len(p)))
	return append(b, p...)
}

// Failure is an answer with an error.
func Failure(code, message string) []byte {
	b := AppendMap([]byte{0x82, 0x02}, 2)
	b = AppendText(b, "code")
	b = AppendText(b, code)
	b = AppendText(b, "message")
	return AppendText(b, message)
}

// Begin is the beginning of an answer with a value, which has to be appended to it.
func Begin() []byte { return []byte{0x82, 0x01} }

// AppendMap begins a map of n keys; each key and its value follow.
func AppendMap(b []byte, n int) []byte { return appendHead(b, mapT, uint64(n)) }

// AppendList begins a list of n elements, which follow.
func AppendList(b []byte, n int) []byte { return appendHead(b, listT, uint64(n)) }

// AppendNumber writes a number.
func AppendNumber(b []byte, n uint64) []byte { return appendHead(b, unsigned, n) }

// AppendText writes a text. What in it is not UTF-8 becomes U+FFFD: an author may have cut it inside a
// character, and that should not cost the whole answer.
func AppendText(b []byte, s string) []byte {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return append(appendHead(b, textT, uint64(len(s))), s...)
}

// AppendBytes writes a byte string.
func AppendBytes(b, p []byte) []byte {
	return append(appendHead(b, bytesT, uint64(len(p))), p...)
}

func appendHead(b []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(b, major<<5|byte(n))
	case n < 1<<8:
		return append(b, major<<5|24, byte(n))
	case n < 1<<16:
		return append(b, major<<5|25, byte(n>>8), byte(n))
	case n < 1<<32:
		return append(b, major<<5|26, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, major<<5|27, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}
