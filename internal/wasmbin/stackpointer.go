package wasmbin

const (
	globalNamesID = 7 // part of the name section
	// stackPointer is what LLVM names the pointer of the stack that it keeps in linear memory.
	stackPointer = "__stack_pointer"
)

// StackPointer returns the index of the global that has the lower end of the stack in linear memory, as compilers
// of C and Rust keep one. It is -1 if there is none, or the names of globals do not tell.
func (m *Module) StackPointer() int {
	for _, s := range m.Sections {
		if !s.Custom() || s.Name != nameSection {
			continue
		}
		for r := (reader{data: m.file, pos: s.Body, end: s.End}); r.left() > 0; {
			id, _ := r.byte("subsection id")
			body, err := r.span("subsection")
			if err != nil {
				return -1
			}
			if id == globalNamesID {
				return m.stackPointer(&body)
			}
		}
	}
	return -1
}

func (m *Module) stackPointer(r *reader) int {
	n, err := r.count("global names", len(m.globals))
	for i := 0; i < n && err == nil; i++ {
		var g uint32
		if g, err = r.u32("global"); err != nil {
			break
		}
		var text reader
		if text, err = r.span("global name"); err == nil && string(text.data[text.pos:text.end]) == stackPointer && int(g) < len(m.globals) {
			return int(g)
		}
	}
	return -1
}
