package jsonspan

// MaxDepth is how deep containers of a document may be nested; encoding/json has the same limit.
const MaxDepth = 10000

// Valid tells whether data is exactly one JSON value by RFC 8259, nested at most 10,000 containers
// deep, with nothing but white space around it. Bytes of strings that are not UTF-8 are accepted, as
// encoding/json accepts them.
func Valid(data []byte) bool {
	i, ok := SkipValue(data, SkipSpace(data, 0), MaxDepth)
	return ok && SkipSpace(data, i) == len(data)
}

// SkipSpace returns the index of the first byte at or behind i that is no white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// SkipValue returns the index behind the value that starts at i, or the index of the fault and false.
// The value may nest limit containers. It checks the value as [Valid] does.
func SkipValue(b []byte, i, limit int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"':
		return SkipString(b, i+1)
	case '{', '[':
		return skipContainer(b, i, limit)
	default:
		return skipScalar(b, i)
	}
}

// skipContainer keeps one bit per open container, 64 of them in a register, so that hostile nesting
// costs neither Go stack nor much memory.
func skipContainer(b []byte, i, limit int) (int, bool) {
	var (
		objects uint64   // the innermost up to 64 open containers; bit 0 is the innermost; 1 is an object
		spilled []uint64 // the ones further out, 64 each
		depth   int
		c       byte
		ok      bool
	)
value:
	if i = SkipSpace(b, i); i >= len(b) {
		return i, false
	}
	switch c = b[i]; c {
	case '"':
		i, ok = SkipString(b, i+1)
	case '{', '[':
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
		if i = SkipSpace(b, i+1); i < len(b) && b[i] == c+2 {
			goto closed
		}
		if c == '{' {
			goto key
		}
		goto value
	default:
		i, ok = skipScalar(b, i)
	}
	if !ok {
		return i, false
	}
more:
	if i = SkipSpace(b, i); i >= len(b) {
		return i, false
	}
	c = b[i]
	if c == ',' {
		i++
		if objects&1 != 0 {
			goto key
		}
		goto value
	}
	if c != '}' && objects&1 != 0 || c != ']' && objects&1 == 0 {
		return i, false
	}
closed:
	i++
	if depth--; depth == 0 {
		return i, true
	}
	objects >>= 1
	if depth%64 == 0 {
		objects, spilled = spilled[len(spilled)-1], spilled[:len(spilled)-1]
	}
	goto more
key:
	if i = SkipSpace(b, i); i >= len(b) || b[i] != '"' {
		return i, false
	}
	if i, ok = SkipString(b, i+1); !ok {
		return i, false
	}
	if i = SkipSpace(b, i); i >= len(b) || b[i] != ':' {
		return i, false
	}
	i++
	goto value
}

// skipScalar skips a number or one of the three words.
func skipScalar(b []byte, i int) (int, bool) {
	w := b[i:min(i+5, len(b))]
	switch {
	case w[0] == 't' && len(w) >= 4 && w[1] == 'r' && w[2] == 'u' && w[3] == 'e':
		return i + 4, true
	case w[0] == 'f' && len(w) >= 5 && w[1] == 'a' && w[2] == 'l' && w[3] == 's' && w[4] == 'e':
		return i + 5, true
	case w[0] == 'n' && len(w) >= 4 && w[1] == 'u' && w[2] == 'l' && w[3] == 'l':
		return i + 4, true
	}
	return skipNumber(b, i)
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
