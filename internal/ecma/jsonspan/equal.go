package jsonspan

import "bytes"

// Equal tells whether two valid JSON documents, a and the one in parts, hold the same value: the same
// members in the same order, strings with the same characters however they are escaped, numbers of the
// same exact value however they are spelled. White space does not count. A lone surrogate equals only
// itself. Parts may be cut from each other between any two tokens. For documents that are not valid the
// answer means nothing, but there is one.
//
// It compares token by token: of two valid documents that have the same tokens the values are the same,
// as the grammar leaves no choice. So it also tells whether two cuttings of documents are the same.
func Equal(a []byte, parts ...[]byte) bool {
	var b []byte
	i, j := 0, 0
	for {
		i, j = SkipSpace(a, i), SkipSpace(b, j)
		if j >= len(b) && len(parts) > 0 {
			b, parts, j = parts[0], parts[1:], 0
			continue
		}
		if i >= len(a) || j >= len(b) {
			return i >= len(a) && j >= len(b)
		}
		switch c := a[i]; c {
		case '{', '}', '[', ']', ',', ':':
			if b[j] != c {
				return false
			}
			i++
			j++
		case '"':
			if b[j] != c {
				return false
			}
			endA, okA := SkipString(a, i+1)
			endB, okB := SkipString(b, j+1)
			if !okA || !okB || !sameText(a[i:endA], b[j:endB]) {
				return false
			}
			i, j = endA, endB
		default:
			endA, okA := skipScalar(a, i)
			endB, okB := skipScalar(b, j)
			if !okA || !okB || !sameScalar(a[i:endA], b[j:endB]) {
				return false
			}
			i, j = endA, endB
		}
	}
}

func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	a, b = inside(a), inside(b)
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		var ra, rb rune
		ra, i = next(a, i)
		rb, j = next(b, j)
		if ra != rb {
			return false
		}
	}
	return i == len(a) && j == len(b)
}

func sameScalar(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if kindOf(a[0]) != Number || kindOf(b[0]) != Number {
		return false
	}
	da, oka := decimalOf(a)
	db, okb := decimalOf(b)
	return oka && okb && da.negative == db.negative && da.exponent == db.exponent && da.sameDigits(db)
}

// decimal is 0.DIGITS × 10^exponent, where DIGITS, the significant ones, may have a point among them;
// they neither begin nor end with a zero. Zero has no digits and exponent 0.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// decimalOf takes a valid number apart. It refuses exponents of more than nine digits, which are
// compared by spelling.
func decimalOf(s []byte) (decimal, bool) {
	var d decimal
	if s[0] == '-' {
		d.negative = true
		s = s[1:]
	}
	if e := bytes.IndexAny(s, "eE"); e >= 0 {
		exp := s[e+1:]
		s = s[:e]
		minus := exp[0] == '-'
		if minus || exp[0] == '+' {
			exp = exp[1:]
		}
		exp = bytes.TrimLeft(exp, "0")
		if len(exp) > 9 {
			return decimal{}, false
		}
		for _, c := range exp {
			d.exponent = d.exponent*10 + int(c-'0')
		}
		if minus {
			d.exponent = -d.exponent
		}
	}
	point := bytes.IndexByte(s, '.')
	if point < 0 {
		point = len(s)
	} else {
		s = bytes.TrimRight(s, "0")
	}
	rest := bytes.TrimLeft(s, "0.")
	if len(rest) == 0 {
		return decimal{}, true
	}
	first := len(s) - len(rest)
	if first < point {
		d.exponent += point - first
	} else {
		d.exponent -= first - point - 1
	}
	d.digits = bytes.TrimRight(rest, "0.")
	return d, true
}

func (d decimal) sameDigits(e decimal) bool {
	i, j := 0, 0
	for i < len(d.digits) && j < len(e.digits) {
		switch {
		case d.digits[i] == '.':
			i++
		case e.digits[j] == '.':
			j++
		case d.digits[i] != e.digits[j]:
			return false
		default:
			i++
			j++
		}
	}
	return i == len(d.digits) && j == len(e.digits)
}
