package auth

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A view is a text in which one kind of escapes has been undone. It knows which bytes of the text each of
// its own stands for.
type view struct {
	source []byte
	read   int // how much of the source is in text
	text   []byte
	pieces []piece
}

// A piece says that size bytes of a view, from at on, stand for width bytes of the source. Bytes between
// pieces stand for themselves.
type piece struct {
	at, from    int
	size, width uint8
}

// of makes the view of another text, and says whether anything in it was escaped.
func (v *view) of(source []byte, undo func(*view)) (changed bool) {
	*v = view{source: source, text: v.text[:0], pieces: v.pieces[:0]}
	undo(v)
	v.text = append(v.text, source[v.read:]...)
	return len(v.pieces) > 0
}

// put appends what stands for width bytes of the source.
func (v *view) put(from, width int, with ...byte) {
	v.text = append(v.text, v.source[v.read:from]...)
	v.pieces = append(v.pieces, piece{at: len(v.text), from: from, size: uint8(len(with)), width: uint8(width)})
	v.text = append(v.text, with...)
	v.read = from + width
}

// origin is what a span of the view stands for, escapes whole.
func (v *view) origin(s jsonspan.Span) jsonspan.Span {
	from, to := s.From, s.To
	if p := v.before(from + 1); p != nil {
		if past := from - p.at - int(p.size); past < 0 {
			from = p.from
		} else {
			from = p.from + int(p.width) + past
		}
	}
	if p := v.before(to); p != nil {
		to = p.from + int(p.width) + max(to-p.at-int(p.size), 0)
	}
	return jsonspan.Span{From: from, To: to}
}

// before is the last piece that begins before a place, nil if there is none.
func (v *view) before(place int) *piece {
	i := sort.Search(len(v.pieces), func(i int) bool { return v.pieces[i].at >= place })
	if i == 0 {
		return nil
	}
	return &v.pieces[i-1]
}

// undo are the kinds of escapes. Each is undone wherever it may be meant, not only inside of what is JSON, a
// URL and so on as a whole.
var undo = [...]func(*view){unquote, unpercent, unbase64(0), unbase64(1), unbase64(2), unbase64(3)}

// unquote undoes the escapes of string literals: those of JSON, and what JavaScript and Go have beside
// them.
func unquote(v *view) {
	for at := 0; ; {
		i := bytes.IndexByte(v.source[at:], '\\')
		if i < 0 {
			return
		}
		at += i
		var buf [utf8.UTFMax]byte
		with, width := unescape(buf[:0], v.source[at:])
		if width > 0 {
			v.put(at, width, with...)
		}
		at += max(width, 1)
	}
}

// unescape appends what the escape at the start of a text stands for. The width is 0 if there is none.
func unescape(dst, text []byte) (out []byte, width int) {
	if len(text) < 2 {
		return dst, 0
	}
	switch c := text[1]; c {
	case 'u':
		unit, ok := hex(text, 2, 4)
		if !ok {
			return dst, 0
		}
		if bytes.HasPrefix(text[6:], []byte(`\u`)) {
			if low, ok := hex(text, 8, 4); ok {
				if r := utf16.DecodeRune(unit, low); r != utf8.RuneError {
					return utf8.AppendRune(dst, r), 12
				}
			}
		}
		if utf16.IsSurrogate(unit) {
			return wtf8.AppendHalf(dst, unit), 6
		}
		return utf8.AppendRune(dst, unit), 6
	case 'U':
		if r, ok := hex(text, 2, 8); ok && utf8.ValidRune(r) {
			return utf8.AppendRune(dst, r), 10
		}
		return dst, 0
	case 'x':
		if r, ok := hex(text, 2, 2); ok {
			return utf8.AppendRune(dst, r), 4
		}
		return dst, 0
	default:
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			return append(dst, "\a\b\f\n\r\t\v"[i]), 2
		}
		if inWord(text, 1) {
			return dst, 0
		}
		return append(dst, c), 2 // above all quotation marks, slashes and the backslash
	}
}

// hex is the number of some digits at a place of a text.
func hex(text []byte, at, digits int) (n rune, ok bool) {
	if len(text) < at+digits {
		return 0, false
	}
	for i := range digits {
		switch c := rune(text[at+i]); {
		case '0' <= c && c <= '9':
			n = n<<4 + c - '0'
		case 'a' <= c && c <= 'f':
			n = n<<4 + c - 'a' + 10
		case 'A' <= c && c <= 'F':
			n = n<<4 + c - 'A' + 10
		default:
			return 0, false
		}
	}
	return n, true
}

// unpercent undoes the escapes of URLs. A plus sign stays: it may be a space or itself.
func unpercent(v *view) {
	for at := 0; ; {
		i := bytes.IndexByte(v.source[at:], '%')
		if i < 0 {
			return
		}
		at += i
		if c, ok := hex(v.source, at+1, 2); ok {
			v.put(at, 3, byte(c))
			at += 2
		}
		at++
	}
}

// leastBase64 is how many digits what is worth looking into has: those of shortSecret bytes.
const leastBase64 = (shortSecret*8 + 5) / 6

// unbase64 decodes what can be base64, in groups of four digits. Where the digits begin only offset 0 is
// sure to be tried: the marks that are digits too may be what stands before base64, as in "v1/…",
// "Basic+…" and "id_…", or be part of it, so all offsets are tried for digits with a mark among them.
func unbase64(offset int) func(*view) {
	return func(v *view) {
		text := v.source
		for at := 0; at < len(text); at++ {
			from, marked := at+offset, offset == 0
			for at < len(text) && sextet(text[at]) >= 0 {
				marked = marked || sextet(text[at]) >= 62
				at++
			}
			if !marked || at-from < leastBase64 {
				continue
			}
			for ; from < at-1; from += 4 {
				width := min(4, at-from)
				bits := int32(0)
				for i := range width {
					bits |= sextet(text[from+i]) << (18 - 6*i)
				}
				group := [...]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}
				v.put(from, width, group[:width-1]...)
			}
		}
	}
}

// sextet is the value of a digit of base64 in either alphabet, negative for what is none.
func sextet(c byte) int32 {
	switch {
	case 'A' <= c && c <= 'Z':
		return int32(c - 'A')
	case 'a' <= c && c <= 'z':
		return int32(c-'a') + 26
	case '0' <= c && c <= '9':
		return int32(c-'0') + 52
	case c == '+', c == '-':
		return 62
	case c == '/', c == '_':
		return 63
	}
	return -1
}
