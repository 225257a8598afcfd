package wasmbin

import (
	"encoding/binary"
	"unicode/utf8"
)

// The custom section with names, and its part with those of functions.
const (
	nameSection     = "name"
	functionNamesID = 1
)

// FunctionNames returns what Instrument keeps of the custom sections of the module, nil if that is nothing: the
// contents of a name section that has the names of functions alone, at their indices in the rewritten module.
// Two modules of the same [Module.Sum] and the same names are rewritten alike.
func (m *Module) FunctionNames() []byte {
	for _, s := range m.Sections {
		if !s.Custom() || s.Name != nameSection {
			continue
		}
		for r := (reader{data: m.file, pos: s.Body, end: s.End}); r.left() > 0; {
			id, _ := r.byte("subsection id")
			body, err := r.span("subsection")
			if err != nil {
				return nil
			}
			if id == functionNamesID {
				names := m.usableNames(&body)
				return append(binary.AppendUvarint([]byte{functionNamesID}, uint64(len(names))), names...)
			}
		}
	}
	return nil
}

// usableNames reads names of functions up to the first fault and leaves out those that are too long.
func (m *Module) usableNames(r *reader) []byte {
	announced, err := r.count("function names", len(m.funcTypes))
	var names []byte
	n, next := uint64(0), uint32(0)
	for i := 0; i < announced && err == nil; i++ {
		var f uint32
		if f, err = r.u32("function"); err != nil || f < next || uint64(f) >= uint64(len(m.funcTypes)) {
			break
		}
		next = f + 1
		var text reader
		text, err = r.span("function name")
		if err != nil || text.left() > m.limits.NameBytes || !utf8.Valid(text.data[text.pos:text.end]) {
			continue
		}
		names = appendName(uleb(names, m.moved(f)), string(text.data[text.pos:text.end]))
		n++
	}
	return append(binary.AppendUvarint(nil, n), names...)
}
