//go:build !amd64 || purego

package jsonspan

// masks marks where in a block the quotation marks, the backslashes and the control characters are; bit
// n stands for byte n. The usual escapes are not worth the time that it takes here to look for them.
func masks(block *[64]byte) (quote, slash, control, usual uint64) {
	for k := 0; k < 64; k += 32 {
		w := block[k : k+32]
		a, b, c, d := load(w), load(w[8:]), load(w[16:]), load(w[24:])
		if stops(a)|stops(b)|stops(c)|stops(d) == 0 {
			continue
		}
		quote |= (equal(a, '"') | equal(b, '"')<<8 | equal(c, '"')<<16 | equal(d, '"')<<24) << k
		slash |= (equal(a, '\\') | equal(b, '\\')<<8 | equal(c, '\\')<<16 | equal(d, '\\')<<24) << k
		control |= (small(a) | small(b)<<8 | small(c)<<16 | small(d)<<24) << k
	}
	return quote, slash, control, 0
}

const lows = 0x7f7f7f7f7f7f7f7f // all but the high bit of each byte

// equal has a bit for each byte of w that is c.
func equal(w uint64, c byte) uint64 {
	w ^= ones * uint64(c)
	return packed(^((w&lows + lows) | w))
}

// small has a bit for each control character of w.
func small(w uint64) uint64 {
	if w = ^((w&lows + ones*(0x80-' ')) | w); w&highs == 0 {
		return 0
	}
	return packed(w)
}

// packed puts the high bits of eight bytes beside each other.
func packed(w uint64) uint64 { return w & highs * 0x0002040810204081 >> 56 }
