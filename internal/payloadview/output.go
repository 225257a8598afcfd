package payloadview

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/cborout"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
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
		if o.count++; o.count > maxEntries || o.size+len(cborout.AppendList(make([]byte, 0, 9), o.count)) > maxViewBytes {
			s.fault = &Fault{Err: ErrTooLarge, Detail: fmt.Sprintf("its selectors find more than %d values, or more than %d KiB of them",
				maxEntries, maxViewBytes>>10)}
		}
	}
}

// appendEntry appends {"at": …, "value": …, "clipped"?: true}.
func (s *scanner) appendEntry(dst []byte, sel *selector, v shown) []byte {
	start := len(dst)
	dst = cborout.AppendText(cborout.AppendMap(dst, 2), "at")
	dst = cborout.AppendList(dst, len(s.way)-1)
	for _, f := range s.way[1:] {
		if f.step.InList {
			dst = cborout.AppendUint(dst, f.step.Index)
		} else {
			dst = cborout.AppendText(dst, f.step.Member)
		}
	}
	dst = cborout.AppendText(dst, "value")
	clipped := false
	if v.node == nil {
		dst, clipped = s.appendValue(dst, v.raw, v.elements, sel.clip)
	} else {
		dst, clipped = s.appendMembers(dst, sel, v)
	}
	if clipped {
		dst[start]++ // one pair more
		dst = cborout.AppendBool(cborout.AppendText(dst, "clipped"), true)
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
	dst = cborout.AppendMap(cborout.AppendText(cborout.AppendMap(dst, 1), "object"), n)
	for _, k := range sel.shown {
		f := v.members[k]
		if f.from == 0 {
			continue
		}
		if f.elements < 0 {
			_, f.elements, _ = skip(s.data, f.from, jsonspan.MaxDepth, true)
		}
		var cut bool
		dst, cut = s.appendValue(cborout.AppendText(dst, v.node.keys[k].name), s.data[f.from:f.to], f.elements, sel.clip)
		clipped = clipped || cut
	}
	return dst, clipped
}

// appendValue appends a value; of an object it appends none of its members.
func (s *scanner) appendValue(dst, raw []byte, elements, clip int) (_ []byte, clipped bool) {
	switch raw[0] {
	case '{':
		return cborout.AppendMap(cborout.AppendText(cborout.AppendMap(dst, 1), "object"), 0), false
	case '[':
		return cborout.AppendUint(cborout.AppendText(cborout.AppendMap(dst, 1), "list"), uint64(elements)), false
	case '"':
		return s.appendString(dst, raw, clip)
	case 't':
		return cborout.AppendBool(dst, true), false
	case 'f':
		return cborout.AppendBool(dst, false), false
	case 'n':
		return cborout.AppendNull(dst), false
	}
	return appendNumber(dst, raw), false
}

// appendString appends a text, or its ends if it is longer than clip.
func (s *scanner) appendString(dst, raw []byte, clip int) (_ []byte, clipped bool) {
	size := jsonspan.TextLen(raw)
	if size <= clip {
		s.out.text = jsonspan.AppendText(s.out.text[:0], raw)
		return cborout.AppendUTF8(dst, s.out.text), false
	}
	// Both ends are decoded with a character more than there is room for.
	head := jsonspan.AppendText(s.out.text[:0], raw[:jsonspan.Offset(raw, (clip+1)/2)+1])
	for most := (clip + 1) / 2; len(head) > most; {
		_, n := utf8.DecodeLastRune(head)
		head = head[:len(head)-n]
	}
	dst = cborout.AppendMap(dst, 3)
	dst = cborout.AppendUTF8(cborout.AppendText(dst, "head"), head)
	s.out.text = jsonspan.AppendText(head[:0], tailOf(raw, clip/2))
	dst = cborout.AppendUTF8(cborout.AppendText(dst, "tail"), s.out.text)
	return cborout.AppendUint(cborout.AppendText(dst, "bytes"), uint64(size)), true
}

// appendNumber appends an integer if the number is written as one that fits 64 bits, else the double
// next to it; beyond all doubles that is an infinity.
func appendNumber(dst, raw []byte) []byte {
	if !bytes.ContainsAny(raw, ".eE") && len(raw) <= 20 {
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return cborout.AppendInt(dst, n)
		}
		if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
			return cborout.AppendUint(dst, n)
		}
	}
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range: an infinity
	b, err := abi.Encode(f)
	if err != nil {
		panic(err) // there is an encoding for every float
	}
	return append(dst, b...)
}
