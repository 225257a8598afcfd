package wasmbin

import "encoding/binary"

// Executable returns the module as a compiler may have it. Of the custom sections only the names of
// functions are left, without those that are longer than the limits allow for a name: an engine repeats
// them in every trace. Tables cannot grow beyond the limit on their initial entries.
func (m *Module) Executable() []byte {
	out := make([]byte, 0, len(m.file))
	out = append(out, m.file[:headerSize]...)
	for _, s := range m.Sections {
		switch {
		case s.Custom():
		case s.ID == sectionTable:
			out = m.appendTables(out)
		default:
			out = append(out, m.file[s.Start:s.End]...)
		}
	}
	if names := m.functionNames(0); names != nil {
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
