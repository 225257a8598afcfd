package wasmbin

import (
	"encoding/binary"
	"unicode/utf8"
)

// Executable returns the module as a compiler may have it. Of the custom sections only the names of
// functions are left, without those that are longer than the limits allow for a name: an engine repeats
// them in every trace. Tables cannot grow beyond the limit on their initial entries.
func (m *Module) Executable() []byte {
	out := make([]byte, 0, len(m.data))
	out = append(out, m.data[:headerSize]...)
	for _, s := range m.Sections {
		switch {
		case s.Custom():
		case s.ID == sectionTable:
			out = m.appendTables(out)
		default:
			out = append(out, m.data[s.Start:s.End]...)
		}
	}
	if names := m.functionNames(); names != nil {
		out = appendCustom(out, "name", names)
	}
	return out
}

func (m *Module) appendTables(out []byte) []byte {
	body := binary.AppendUvarint(nil, uint64(len(m.tables)))
	for _, t := range m.tables {
		most := uint32(m.limits.TableEntries)
		if t.bounds.HasMax {
			most = min(most, t.bounds.Max)
		}
		body = append(body, byte(t.of), 1)
		body = binary.AppendUvarint(body, uint64(t.bounds.Min))
		body = binary.AppendUvarint(body, uint64(most))
	}
	out = binary.AppendUvarint(append(out, sectionTable), uint64(len(body)))
	return append(out, body...)
}

// functionNames returns the contents of a name section that has the names of functions and nothing else,
// nil if there are none.
func (m *Module) functionNames() []byte {
	const functions = 1
	for _, s := range m.Sections {
		if !s.Custom() || s.Name != "name" {
			continue
		}
		for r := (reader{data: m.data, pos: s.Body, end: s.End}); r.left() > 0; {
			id, _ := r.byte("subsection id")
			body, err := r.span("subsection")
			if err != nil {
				return nil
			}
			if id == functions {
				names := m.usableNames(&body)
				return append(binary.AppendUvarint([]byte{functions}, uint64(len(names))), names...)
			}
		}
	}
	return nil
}

// usableNames reads names of functions up to the first fault and leaves out those that are too long.
func (m *Module) usableNames(r *reader) []byte {
	announced, err := r.count("function names", len(m.funcTypes))
	var names []byte
	n := uint64(0)
	for i := 0; i < announced && err == nil; i++ {
		start := r.pos
		if _, err = r.u32("function"); err != nil {
			break
		}
		var text reader
		if text, err = r.span("function name"); err == nil && text.left() <= m.limits.NameBytes && utf8.Valid(text.data[text.pos:text.end]) {
			names = append(names, r.data[start:r.pos]...)
			n++
		}
	}
	return append(binary.AppendUvarint(nil, n), names...)
}
