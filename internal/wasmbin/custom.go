package wasmbin

import "encoding/binary"

// WithCustomFirst returns the module with one custom section put in front of all others, in place of
// every section that already had that name. Everything else stays byte for byte.
func (m *Module) WithCustomFirst(name string, contents []byte) []byte {
	out := make([]byte, 0, len(m.file)+len(name)+len(contents)+16)
	out = append(out, m.file[:headerSize]...)
	out = appendCustom(out, name, contents)
	for _, s := range m.Sections {
		if !s.Custom() || s.Name != name {
			out = append(out, m.file[s.Start:s.End]...)
		}
	}
	return out
}

func appendCustom(dst []byte, name string, contents []byte) []byte {
	body := appendName(nil, name)
	dst = binary.AppendUvarint(append(dst, sectionCustom), uint64(len(body)+len(contents)))
	return append(append(dst, body...), contents...)
}
