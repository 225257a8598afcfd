package proof

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func signedBytes(n int64) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		if n >>= 7; n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// Numbers are read as they were written, and in no other form.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n") >> rapid.IntRange(0, 63).Draw(t, "shift")
		for _, bits := range []int{32, 33, 64} {
			b := signedBytes(n)
			r := reader{data: b, end: len(b)}
			if got := r.signed(bits); bits == 64 || n >= -1<<(bits-1) && n < 1<<(bits-1) {
				assert.NoError(t, r.err)
				assert.Equal(t, n, got)
				assert.Equal(t, len(b), r.pos)
			} else {
				assert.Error(t, r.err)
			}
			padded := append(append([]byte(nil), b[:len(b)-1]...), b[len(b)-1]|0x80, byte(n>>63)&0x7f)
			r = reader{data: padded, end: len(padded)}
			r.signed(bits)
			assert.Error(t, r.err, "%x", padded)
		}
		u := rapid.Uint64Range(0, 1<<36).Draw(t, "u")
		b := binary.AppendUvarint(nil, u)
		r := reader{data: b, end: len(b)}
		if got := r.unsigned(); u < 1<<32 {
			assert.NoError(t, r.err)
			assert.Equal(t, uint32(u), got)
		} else {
			assert.Error(t, r.err)
		}
		padded := append(append([]byte(nil), b[:len(b)-1]...), b[len(b)-1]|0x80, 0)
		r = reader{data: padded, end: len(padded)}
		r.unsigned()
		assert.Error(t, r.err, "%x", padded)
	})
}
