// Package cborout appends CBOR items in the deterministic encoding (RFC 8949 section 4.2.1), for the few
// messages that are written too often to be put together by reflection. What it writes is what
// abi.Encode writes.
package cborout

import (
	"encoding/binary"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Major types (RFC 8949 section 3.1).
const (
	unsigned = 0 << 5
	negative = 1 << 5
	octets   = 2 << 5
	text     = 3 << 5
	list     = 4 << 5
	pairs    = 5 << 5
)

// AppendUint appends a number.
func AppendUint(dst []byte, n uint64) []byte { return appendHead(dst, unsigned, n) }

// AppendInt appends a number that may be negative.
func AppendInt(dst []byte, n int64) []byte {
	if n < 0 {
		return appendHead(dst, negative, uint64(-(n + 1)))
	}
	return AppendUint(dst, uint64(n))
}

// AppendText appends a text. Halves of surrogate pairs, and other bytes that are not UTF-8, become U+FFFD.
func AppendText(dst []byte, s string) []byte {
	s = wtf8.ToUTF8(s)
	return append(appendHead(dst, text, uint64(len(s))), s...)
}

// AppendUTF8 appends a text of which it is known that it is UTF-8.
func AppendUTF8(dst, s []byte) []byte { return append(appendHead(dst, text, uint64(len(s))), s...) }

// AppendTexts appends a list of texts.
func AppendTexts(dst []byte, all []string) []byte {
	dst = AppendList(dst, len(all))
	for _, s := range all {
		dst = AppendText(dst, s)
	}
	return dst
}

// AppendBytes begins a byte string; its n bytes have to follow.
func AppendBytes(dst []byte, n int) []byte { return appendHead(dst, octets, uint64(n)) }

// AppendList begins a list; its n items have to follow.
func AppendList(dst []byte, n int) []byte { return appendHead(dst, list, uint64(n)) }

// AppendMap begins a map; its n keys, shorter ones first and those of one length in the order of their
// bytes, have to follow, each with its value.
func AppendMap(dst []byte, n int) []byte { return appendHead(dst, pairs, uint64(n)) }

// AppendBool appends false or true.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 0xf5)
	}
	return append(dst, 0xf4)
}

// AppendNull appends null.
func AppendNull(dst []byte) []byte { return append(dst, 0xf6) }

func appendHead(dst []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), n)
}
