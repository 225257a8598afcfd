package payloadview

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// sieve tells which selectors an object passes while its members come by.
type sieve struct {
	alive mask      // no filter has failed
	open  mask      // of these, those with filters that have not been asked
	left  [16]uint8 // how many, for each selector
}

// look asks the filters on a member. raw is its value.
func (s *sieve) look(k *key, raw []byte) {
	var tail []byte
	for i := range k.tests {
		t := &k.tests[i]
		if t.by&s.alive == 0 {
			continue
		}
		if t.suffix != "" && tail == nil && raw[0] == '"' {
			tail = tailOf(raw, k.suffix)
		}
		if !t.holds(raw, tail) {
			s.alive &^= t.by
			s.open &^= t.by
		} else if s.left[t.selector]--; s.left[t.selector] == 0 {
			s.open &^= t.by
		}
	}
}

// holds asks one filter. tail is the end of raw, if that is a string and the filter looks at its end.
func (t *test) holds(raw, tail []byte) bool {
	text := raw[0] == '"'
	switch {
	case t.text != nil:
		return text && jsonspan.TextIs(raw, *t.text)
	case t.scalar != nil:
		return !text && raw[0] != '{' && raw[0] != '[' && jsonspan.Equal(raw, t.scalar)
	}
	return text && hasPrefix(raw, t.prefix) && (t.suffix == "" || hasSuffix(tail, t.suffix)) &&
		(t.contains == "" || strings.Contains(jsonspan.Text(raw), t.contains))
}

// Of the parts of strings below, the byte in front and the one behind are as little looked at as
// quotation marks are.

func hasPrefix(raw []byte, prefix string) bool {
	end := jsonspan.Offset(raw, len(prefix))
	return jsonspan.TextIs(raw[:end+1], prefix)
}

func hasSuffix(raw []byte, suffix string) bool {
	return jsonspan.TextIs(tailOf(raw, len(suffix)), suffix)
}

// tailOf returns the part of a string that stands for the last n bytes of its text, less what would cut
// a character.
func tailOf(raw []byte, n int) []byte {
	return raw[jsonspan.Offset(raw, jsonspan.TextLen(raw)-n)-1:]
}
