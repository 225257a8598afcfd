package jsonspan

import (
	"encoding/binary"
	"math/bits"
)

// SkipString returns the index behind the closing quotation mark of a string, or the index of the fault
// and false; i is the index behind the opening one.
func SkipString(b []byte, i int) (int, bool) {
	for range 2 { // most strings are short
		if len(b)-i < 8 {
			return skipRest(b, i)
		}
		if m := stops(load(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; b[i] == '"' {
				return i + 1, true
			}
			break
		}
		i += 8
	}
	return skipBlocks(b, i)
}

// skipBlocks looks at 64 bytes at a time. What is escaped follows from where the backslashes are, by
// arithmetic on bits, so that a text full of escapes costs little more than a plain one.
func skipBlocks(b []byte, i int) (int, bool) {
	escape := uint64(0) // 1: the block begins with the character behind a backslash
	for ; len(b)-i >= 64; i += 64 {
		w := (*[64]byte)(b[i:])
		quote, slash, control, usual := masks(w)
		var escaped uint64
		if slash|escape != 0 {
			escaped, escape = behindSlashes(slash, escape)
		}
		end := quote&^escaped | control
		if end != 0 {
			escaped &= end&-end - 1
		}
		for escaped &^= quote | slash | usual; escaped != 0; escaped &= escaped - 1 {
			k := bits.TrailingZeros64(escaped)
			if !isEscape[w[k]] {
				return i + k, false
			}
			if w[k] == 'u' {
				if _, ok := hex4(b, i+k+1); !ok {
					return i + k, false
				}
			}
		}
		if end != 0 {
			i += bits.TrailingZeros64(end)
			if b[i] == '"' {
				return i + 1, true
			}
			return i, false
		}
	}
	return skipRest(b, i-int(escape))
}

// behindSlashes marks the characters that a backslash escapes, given where backslashes are and whether
// the first character is escaped, and tells whether the character behind the block is. In a run of
// backslashes every other one is escaped, and what follows the run if its length is odd: adding the start
// of a run to the run carries out of it, and by the parity of start and end the odd runs are told.
// Runs that begin at even bits and those that begin at odd ones are looked at in one go.
func behindSlashes(slash, first uint64) (escaped, next uint64) {
	const even = 0x5555555555555555
	slash &^= first
	follows := slash<<1 | first
	sum, next := bits.Add64(slash&^even&^follows, slash, 0)
	return (even ^ sum<<1) & follows, next
}

// isEscape are the characters that may stand behind a backslash.
var isEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true, 'u': true}

// skipRest goes byte by byte.
func skipRest(b []byte, i int) (int, bool) {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c < ' ':
			return i, false
		case c != '\\':
			i++
			continue
		}
		if i++; i == len(b) || !isEscape[b[i]] {
			return i, false
		}
		if b[i] == 'u' {
			if _, ok := hex4(b, i+1); !ok {
				return i, false
			}
		}
		i++
	}
	return i, false
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte, i int) (rune, bool) {
	if len(b)-i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks, in the high bit of each byte of w, the bytes that end a plain run inside a string:
// quotation marks, backslashes and control characters. The lowest mark is always right; marks above it
// may be carried over from it.
func stops(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
}

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
