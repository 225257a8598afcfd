package wasmgen

import "encoding/binary"

// Value types as the binary format has them.
const (
	i32       = 0x7f
	i64       = 0x7e
	f32       = 0x7d
	f64       = 0x7c
	v128      = 0x7b
	funcref   = 0x70
	externref = 0x6f
)

func uleb(dst []byte, n uint64) []byte { return binary.AppendUvarint(dst, n) }

func sleb(dst []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if (n == 0 && b&0x40 == 0) || (n == -1 && b&0x40 != 0) {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

func text(dst []byte, s string) []byte { return append(uleb(dst, uint64(len(s))), s...) }

// A vector is the contents of a section: items behind their number.
type vector struct {
	n     int
	items []byte
}

func (v *vector) add(item []byte) {
	v.n++
	v.items = append(v.items, item...)
}

// section appends a section, nothing if it has no items.
func (v *vector) section(dst []byte, id byte) []byte {
	if v.n == 0 {
		return dst
	}
	body := append(uleb(nil, uint64(v.n)), v.items...)
	return append(uleb(append(dst, id), uint64(len(body))), body...)
}
