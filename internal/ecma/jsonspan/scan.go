package jsonspan

import "math/bits"

// maxDepth is how deep containers may be nested; encoding/json has the same limit.
const maxDepth = 10000

// Valid tells whether data is exactly one JSON value by RFC 8259, nested at most 10,000 containers
// deep, with nothing but white space around it. Bytes of strings that are not UTF-8 are accepted, as
// encoding/json accepts them.
func Valid(data []byte) bool {
	i, ok := skipValue(data, skipSpace(data, 0), maxDepth)
	return ok && skipSpace(data, i) == len(data)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index behind the value that starts at i, or the index of the fault and false.
// The value may nest limit containers.
func skipValue(b []byte, i, limit int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"':
		return skipString(b, i+1)
	case '{', '[':
		return skipContainer(b, i, limit)
	default:
		return skipScalar(b, i)
	}
}

// What skipContainer expects next.
const (
	wantFirst = iota // behind an opening bracket: a value, a key, or the closing bracket
	wantKey
	wantValue
	wantMore // behind a value: a comma or the closing bracket
)

// skipContainer keeps one bit per open container, 64 of them in a register, so that hostile nesting
// costs neither Go stack nor much memory.
func skipContainer(b []byte, i, limit int) (int, bool) {
	var (
		objects uint64   // the innermost up to 64 open containers; bit 0 is the innermost; 1 is an object
		spilled []uint64 // the ones further out, 64 each
		depth   int
		want    = wantValue
	)
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return i, false
		}
		c := b[i]
		object := objects&1 != 0
		if want == wantFirst {
			if c == '}' && object || c == ']' && !object {
				want = wantMore
			} else if object {
				want = wantKey
			} else {
				want = wantValue
			}
		}
		switch want {
		case wantKey:
			if c != '"' {
				return i, false
			}
			end, ok := skipString(b, i+1)
			if !ok {
				return end, false
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
				return i, false
			}
			i++
			want = wantValue
		case wantValue:
			if c != '{' && c != '[' {
				var ok bool
				if c == '"' {
					i, ok = skipString(b, i+1)
				} else {
					i, ok = skipScalar(b, i)
				}
				if !ok {
					return i, false
				}
				want = wantMore
				break
			}
			if depth == limit {
				return i, false
			}
			if depth > 0 && depth%64 == 0 {
				spilled = append(spilled, objects)
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
			i++
			want = wantFirst
		case wantMore:
			i++
			switch {
			case c == ',' && object:
				want = wantKey
			case c == ',':
				want = wantValue
			case c == '}' && object || c == ']' && !object:
				if depth--; depth == 0 {
					return i, true
				}
				objects >>= 1
				if depth%64 == 0 {
					objects, spilled = spilled[len(spilled)-1], spilled[:len(spilled)-1]
				}
			default:
				return i - 1, false
			}
		}
	}
}

// skipScalar skips a number or one of the three words.
func skipScalar(b []byte, i int) (int, bool) {
	word := ""
	switch b[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return skipNumber(b, i)
	}
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, false
	}
	return i + len(word), true
}

func skipNumber(b []byte, i int) (int, bool) {
	if b[i] == '-' {
		i++
	}
	from := i
	if i = skipDigits(b, i); i == from || b[from] == '0' && i != from+1 {
		return from, false
	}
	if i < len(b) && b[i] == '.' {
		from = i + 1
		if i = skipDigits(b, from); i == from {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from = i
		if i = skipDigits(b, i); i == from {
			return i, false
		}
	}
	return i, true
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
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

func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// skipString returns the index behind the closing quotation mark; i is the index behind the opening one.
func skipString(b []byte, i int) (int, bool) {
	for {
		for len(b)-i >= 32 {
			w := b[i : i+32 : i+32]
			if stops(load(w))|stops(load(w[8:]))|stops(load(w[16:]))|stops(load(w[24:])) != 0 {
				break
			}
			i += 32
		}
		for len(b)-i >= 8 {
			if m := stops(load(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++
		}
		switch {
		case i >= len(b) || b[i] < ' ':
			return i, false
		case b[i] == '"':
			return i + 1, true
		}
		if i++; i >= len(b) {
			return i, false
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			if _, ok := hex4(b, i+1); !ok {
				return i, false
			}
			i += 5
		default:
			return i, false
		}
	}
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
