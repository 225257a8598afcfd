package ecma

import "unicode/utf8"

// CompareUnits orders texts as JavaScript's < and sort do, by UTF-16 code units: characters beyond U+FFFF
// come in front of those from U+E000 on. Halves of surrogate pairs in WTF-8 are the units that they are.
// The result is -1, 0 or 1.
func CompareUnits(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && (midway(a, i) || midway(b, i)) {
		i--
	}
	x, y := units{rest: a[i:]}, units{rest: b[i:]}
	for {
		u, more := x.next()
		v, moreToo := y.next()
		switch {
		case !more && !moreToo:
			return 0
		case !more, moreToo && u < v:
			return -1
		case !moreToo, u > v:
			return 1
		}
	}
}

// midway says that s[:i] ends within a character.
func midway(s string, i int) bool { return i < len(s) && !utf8.RuneStart(s[i]) }

type units struct {
	rest string
	low  uint16 // the second half of a pair whose first has been given
}

func (u *units) next() (unit uint16, ok bool) {
	if u.low != 0 {
		unit, u.low = u.low, 0
		return unit, true
	}
	if u.rest == "" {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(u.rest)
	if r == utf8.RuneError && size == 1 && len(u.rest) >= 3 && u.rest[0] == 0xED && u.rest[1] >= 0xA0 {
		r, size = 0xD000|rune(u.rest[1]&0x3F)<<6|rune(u.rest[2]&0x3F), 3
	}
	u.rest = u.rest[size:]
	if r > 0xFFFF {
		u.low = uint16(0xDC00 | r&0x3FF)
		return uint16(0xD7C0 + r>>10), true
	}
	return uint16(r), true
}
