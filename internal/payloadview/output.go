package payloadview

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Major types and values of CBOR (RFC 8949 section 3).
const (
	cborUnsigned = 0 << 5
	cborNegative = 1 << 5
	cborText     = 3 << 5
	cborList     = 4 << 5
	cborMap      = 5 << 5
	cborFalse    = 0xf4
	cborTrue     = 0xf5
	cborNull     = 0xf6
)

// output is the view as it grows, in deterministic CBOR.
type output struct {
	entries [16][]byte // of each selector
	count   int
	size    int    // of all entries, in bytes
	text    []byte // of one string
}

// shown is a value that a selector shows.
type shown struct {
	raw      []byte
	elements int     // of a list
	node     *node   // of an object
	members  []found // of an object
}

// show adds the current value to the view of the selectors in ends.
func (s *scanner) show(ends mask, v shown) {
	for i := range s.program.selectors {
		if ends&(1<<i) == 0 || s.fault != nil {
			continue
		}
		s.remember()
		o := &s.out
		before := len(o.entries[i])
		o.entries[i] = s.appendEntry(o.entries[i], &s.program.selectors[i], v)
		o.size += len(o.entries[i]) - before
		if o.count++; o.count > maxEntries || o.size+headLen(o.count) > maxViewBytes {
			s.fault = &Fault{Err: ErrTooLarge, Detail: fmt.Sprintf("its selectors find more than %d values, or more than %d KiB of them",
				maxEntries, maxViewBytes>>10)}
		}
	}
}

// appendEntry appends {"at": …, "value": …, "clipped"?: true}.
func (s *scanner) appendEntry(dst []byte, sel *selector, v shown) []byte {
	start := len(dst)
	dst = appendText(appendHead(dst, cborMap, 2), "at")
	dst = appendHead(dst, cborList, len(s.way)-1)
	for _, f := range s.way[1:] {
		if f.step.InList {
			dst = appendHead(dst, cborUnsigned, f.step.Index)
		} else {
			dst = appendText(dst, f.step.Member)
		}
	}
	dst = appendText(dst, "value")
	clipped := false
	if v.node == nil {
		dst, clipped = s.appendValue(dst, v.raw, v.elements, sel.clip)
	} else {
		dst, clipped = s.appendMembers(dst, sel, v)
	}
	if clipped {
		dst[start]++ // one pair more
		dst = append(appendText(dst, "clipped"), cborTrue)
	}
	return dst
}

// appendMembers appends {"object": {…}}.
func (s *scanner) appendMembers(dst []byte, sel *selector, v shown) (_ []byte, clipped bool) {
	n := 0
	for _, k := range sel.shown {
		if v.members[k].from != 0 {
			n++
		}
	}
	dst = appendHead(appendText(appendHead(dst, cborMap, 1), "object"), cborMap, n)
	for _, k := range sel.shown {
		f := v.members[k]
		if f.from == 0 {
			continue
		}
		if f.elements < 0 {
			_, f.elements, _ = skip(s.data, f.from, jsonspan.MaxDepth, true)
		}
		var cut bool
		dst, cut = s.appendValue(appendText(dst, v.node.keys[k].name), s.data[f.from:f.to], f.elements, sel.clip)
		clipped = clipped || cut
	}
	return dst, clipped
}

// appendValue appends a value; of an object it appends none of its members.
func (s *scanner) appendValue(dst, raw []byte, elements, clip int) (_ []byte, clipped bool) {
	switch raw[0] {
	case '{':
		return appendHead(appendText(appendHead(dst, cborMap, 1), "object"), cborMap, 0), false
	case '[':
		return appendHead(appendText(appendHead(dst, cborMap, 1), "list"), cborUnsigned, elements), false
	case '"':
		return s.appendString(dst, raw, clip)
	case 't':
		return append(dst, cborTrue), false
	case 'f':
		return append(dst, cborFalse), false
	case 'n':
		return append(dst, cborNull), false
	}
	return appendNumber(dst, raw), false
}

// appendString appends a text, or its ends if it is longer than clip.
func (s *scanner) appendString(dst, raw []byte, clip int) (_ []byte, clipped bool) {
	size := jsonspan.TextLen(raw)
	if size <= clip {
		s.out.text = jsonspan.AppendText(s.out.text[:0], raw)
		return appendText(dst, s.out.text), false
	}
	// Both ends are decoded with a character more than there is room for.
	head := jsonspan.AppendText(s.out.text[:0], raw[:jsonspan.Offset(raw, (clip+1)/2)+1])
	for most := (clip + 1) / 2; len(head) > most; {
		_, n := utf8.DecodeLastRune(head)
		head = head[:len(head)-n]
	}
	dst = appendHead(dst, cborMap, 3)
	dst = appendText(appendText(dst, "head"), head)
	s.out.text = jsonspan.AppendText(head[:0], tailOf(raw, clip/2))
	dst = appendText(appendText(dst, "tail"), s.out.text)
	return appendHead(appendText(dst, "bytes"), cborUnsigned, size), true
}

// appendNumber appends an integer if the number is written as one that fits 64 bits, else the double
// next to it; beyond all doubles that is an infinity.
func appendNumber(dst, raw []byte) []byte {
	if !bytes.ContainsAny(raw, ".eE") && len(raw) <= 20 {
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && n < 0 {
			return appendHead(dst, cborNegative, uint64(-(n + 1)))
		}
		if n, err := strconv.ParseUint(string(bytes.TrimPrefix(raw, []byte("-"))), 10, 64); err == nil && (raw[0] != '-' || n == 0) {
			return appendHead(dst, cborUnsigned, n)
		}
	}
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range: an infinity
	b, err := abi.Encode(f)
	if err != nil {
		panic(err) // there is an encoding for every float
	}
	return append(dst, b...)
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(appendHead(dst, cborText, len(s)), s...)
}

// headLen is the length of the head of a list.
func headLen(n int) int { return len(appendHead(make([]byte, 0, 9), cborList, n)) }

// appendHead appends the head of an item, as short as it can be.
func appendHead[N int | uint64](dst []byte, major byte, arg N) []byte {
	switch n := uint64(arg); {
	case n < 24:
		return append(dst, major|byte(n))
	case n <= math.MaxUint8:
		return append(dst, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, major|27), n)
	}
}
