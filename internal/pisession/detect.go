package pisession

import (
	"errors"
	"io"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// errKnown ends a look at the first lines.
var errKnown = errors.New("the kind of the file is known")

// Detect tells whether a text is a session file of Pi rather than the log of another system, whose header
// has the same type. It goes by the first line, of the first 100 and within eight megabytes, that says so.
func Detect(r io.Reader) (bool, error) {
	const most, bytes = 100, 8 << 20
	pi := false
	err := lines(io.LimitReader(r, bytes), func(t *textLine) error {
		known := false
		if pi, known = decisive(t.text); known || t.number == most {
			return errKnown
		}
		return nil
	})
	if errors.Is(err, errKnown) {
		err = nil
	}
	return pi, err
}

// decisive tells whether a line is one of Pi's, and whether it is known at all.
func decisive(text []byte) (pi, known bool) {
	if len(text) >= 3 && string(text[:3]) == string(ByteOrderMark) {
		text = text[3:]
	}
	m, kind, err := readMembers(text)
	if err != nil || kind != jsonspan.Object {
		return false, false
	}
	name := jsonvalue.StringOf(m.kind)
	_, dated := jsonvalue.TextOf(m.time)
	if name == "session" {
		other := jsonvalue.Pick(text, "createdAt", "delegationDepth")
		_, cwd := jsonvalue.TextOf(m.cwd)
		switch {
		case other[0] != nil || other[1] != nil:
			return false, true
		case dated || cwd:
			return true, true
		}
		return false, false
	}
	if other := jsonvalue.Pick(text, "seq"); other[0] != nil {
		return false, true
	}
	pi = dated && (KnownType(name) || m.parent != nil)
	return pi, pi
}
