package wasmbin

import (
	"encoding/binary"
	"strconv"
)

func functionName(what string, i int) string { return what + " function " + strconv.Itoa(i) }

// Strip returns the module without the custom sections for which keep answers false.
func (m *Module) Strip(keep func(name string) bool) []byte {
	out := make([]byte, 0, len(m.file))
	out = append(out, m.file[:headerSize]...)
	for _, s := range m.Sections {
		if !s.Custom() || keep(s.Name) {
			out = append(out, m.file[s.Start:s.End]...)
		}
	}
	return out
}

// WithCustomFirst returns the module with one custom section put in front of all others, in place of
// every section that already had that name.
func (m *Module) WithCustomFirst(name string, contents []byte) []byte {
	rest := m.Strip(func(n string) bool { return n != name })
	out := make([]byte, 0, len(rest)+len(name)+len(contents)+16)
	out = append(out, rest[:headerSize]...)
	out = appendCustom(out, name, contents)
	return append(out, rest[headerSize:]...)
}

func appendCustom(dst []byte, name string, contents []byte) []byte {
	body := binary.AppendUvarint(nil, uint64(len(name)))
	body = append(body, name...)
	dst = append(dst, sectionCustom)
	dst = binary.AppendUvarint(dst, uint64(len(body)+len(contents)))
	dst = append(dst, body...)
	return append(dst, contents...)
}
