package wasmbin

import (
	"encoding/binary"
	"errors"
	"slices"
)

// RenameFunctions returns the module with other names of functions in its name section: each becomes what
// rename makes of it. Everything else stays, and so does a name section that is not well-formed.
func (m *Module) RenameFunctions(rename func(name string) string) []byte {
	out := slices.Clone(m.file[:headerSize])
	for _, s := range m.Sections {
		if s.Custom() && s.Name == nameSection {
			if renamed, err := m.renamed(s, rename); err == nil {
				out = appendCustom(out, nameSection, renamed)
				continue
			}
		}
		out = append(out, m.file[s.Start:s.End]...)
	}
	return out
}

// renamed returns the contents of a name section with other names of functions.
func (m *Module) renamed(s Section, rename func(string) string) ([]byte, error) {
	var out []byte
	for r := (reader{data: m.file, pos: s.Body, end: s.End}); r.left() > 0; {
		from := r.pos
		id, _ := r.byte("subsection id")
		body, err := r.span("subsection")
		if err != nil {
			return nil, err
		}
		if id != functionNamesID {
			out = append(out, m.file[from:r.pos]...)
			continue
		}
		names, err := m.renamedFunctions(&body, rename)
		if err != nil {
			return nil, err
		}
		out = append(binary.AppendUvarint(append(out, id), uint64(len(names))), names...)
	}
	return out, nil
}

func (m *Module) renamedFunctions(r *reader, rename func(string) string) ([]byte, error) {
	n, err := r.count("function names", len(m.funcTypes))
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(n))
	for range n {
		index, err := r.u32("function")
		if err != nil {
			return nil, err
		}
		name, err := r.name("function name", len(m.file))
		if err != nil {
			return nil, err
		}
		out = appendName(uleb(out, index), rename(name))
	}
	if r.left() > 0 {
		return nil, errors.New("bytes behind the names of functions")
	}
	return out, nil
}
