package assembler

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// referenceState cuts an envelope as the reference does, which never looks at what the envelope is: a
// null is stored, whatever has no blocks is kept, whatever has blocks with the right length passes, and
// what a program in its language cannot do with these fails.
func (d decision) referenceState(raw json.RawMessage, envelope jsonspan.Node) (json.RawMessage, error) {
	list := jsonvalue.Member(envelope, "blocks")
	var length float64
	switch list.Kind() {
	case jsonspan.Absent:
		return raw, nil
	case jsonspan.Null:
		return nil, &Error{Code: UnusableState}
	case jsonspan.Array:
		length = float64(len(children(list)))
	case jsonspan.String:
		text, err := wtf8.Unquote(list.Raw())
		if err != nil {
			return nil, &Error{Code: UnusableState}
		}
		length = units(text)
	default:
		n := jsonvalue.Member(list, "length")
		if n.Kind() != jsonspan.Number {
			return nil, nil
		}
		length, _ = strconv.ParseFloat(string(n.Raw()), 64)
	}
	switch {
	case length != float64(d.seen):
		return nil, nil
	case !d.drops():
		return raw, nil
	}
	response := jsonvalue.Member(envelope, "response")
	if list.Kind() != jsonspan.Array || response.Kind() == jsonspan.Absent {
		return nil, &Error{Code: UnusableState}
	}
	return d.prune(raw, response, children(list)), nil
}

// units counts the UTF-16 units of a text.
func units(text string) float64 {
	n := 0.0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0xF0: // a character that takes a pair
			n += 2
		case utf8.RuneStart(c):
			n++
		}
	}
	return n
}
