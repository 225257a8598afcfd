package wasmbin

import "bytes"

// Section ids of core 2.0.
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// order is the rank of each section id in a file; the data count section stands before the code.
var order = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5,
	sectionGlobal: 6, sectionExport: 7, sectionStart: 8, sectionElement: 9, sectionDataCount: 10,
	sectionCode: 11, sectionData: 12,
}

const headerSize = 8

var header = []byte("\x00asm\x01\x00\x00\x00")

// Parse reads the section structure of a module and checks it against limits.
//
// Errors are a [*FormatError] or a [*LimitError]. Instructions are not read, except those of constant
// expressions.
func Parse(bin []byte, limits Limits) (*Module, error) {
	if len(bin) > limits.ModuleBytes {
		return nil, &LimitError{What: "bytes of the file", Got: uint64(len(bin)), Max: uint64(limits.ModuleBytes)}
	}
	if len(bin) < headerSize || !bytes.Equal(bin[:4], header[:4]) {
		return nil, &FormatError{Reason: "the file does not start with \\0asm"}
	}
	if !bytes.Equal(bin[:headerSize], header) {
		if bytes.Equal(bin[4:headerSize], []byte{0x0d, 0, 1, 0}) {
			return nil, &FormatError{Offset: 4, Reason: "this is a component, not a core module"}
		}
		return nil, &FormatError{Offset: 4, Reason: "the binary version is not 1"}
	}
	p := parser{m: &Module{file: bin, limits: limits, start: -1, dataCount: -1}, limits: limits}
	r := reader{data: bin, pos: headerSize, end: len(bin)}
	last := 0
	for r.left() > 0 {
		start := r.pos
		id, _ := r.byte("section id")
		if int(id) >= len(sectionNames) {
			r.pos--
			if id == 13 {
				return nil, r.unsupported("section id 13, of the proposal exception handling")
			}
			return nil, r.fail("unknown section id %d", id)
		}
		body, err := r.span(sectionNames[id])
		if err != nil {
			return nil, err
		}
		s := Section{ID: id, Start: start, Body: body.pos, End: body.end}
		if id == sectionCustom {
			if err := p.custom(&s, &body); err != nil {
				return nil, err
			}
		} else {
			if order[id] <= last {
				return nil, &FormatError{Offset: start, Reason: sectionNames[id] + " section is repeated or out of order"}
			}
			last = order[id]
			if err := p.section(id, &body); err != nil {
				return nil, err
			}
		}
		p.m.Sections = append(p.m.Sections, s)
	}
	if p.m.Functions != len(p.m.bodies) {
		return nil, r.fail("%d functions declared, %d code bodies", p.m.Functions, len(p.m.bodies))
	}
	if p.m.dataCount >= 0 && int(p.m.dataCount) != len(p.m.segments) {
		return nil, r.fail("%d data segments announced, there are %d", p.m.dataCount, len(p.m.segments))
	}
	return p.m, nil
}

type parser struct {
	m       *Module
	limits  Limits
	customs int
}

func (p *parser) custom(s *Section, r *reader) error {
	p.customs++
	if p.customs > p.limits.CustomEntries {
		return &LimitError{What: "custom sections", Got: uint64(p.customs), Max: uint64(p.limits.CustomEntries)}
	}
	name, err := r.name("section name", p.limits.NameBytes)
	if err != nil {
		return err
	}
	if r.left() > p.limits.CustomBytes {
		return &LimitError{What: "bytes of custom section " + name, Got: uint64(r.left()), Max: uint64(p.limits.CustomBytes)}
	}
	s.Name, s.Body = name, r.pos
	return nil
}

func (p *parser) section(id byte, r *reader) error {
	var err error
	switch id {
	case sectionType:
		err = p.types(r)
	case sectionImport:
		err = p.imports(r)
	case sectionFunction:
		err = p.functions(r)
	case sectionTable:
		err = p.tables(r)
	case sectionMemory:
		err = p.memories(r)
	case sectionExport:
		err = p.exports(r)
	case sectionStart:
		err = p.start(r)
	case sectionCode:
		err = p.code(r)
	case sectionDataCount:
		var n uint32
		n, err = r.count32("data segments", p.limits.DataSegments)
		p.m.dataCount = int64(n)
	case sectionGlobal:
		err = p.globals(r)
	case sectionElement:
		err = p.elements(r)
	case sectionData:
		err = p.dataSegments(r)
	}
	if err == nil && r.left() != 0 {
		err = r.fail("%s section has %d bytes too many", sectionNames[id], r.left())
	}
	return err
}

// count32 is count for a number that no elements follow.
func (r *reader) count32(what string, limit int) (uint32, error) {
	n, err := r.u32(what)
	if err == nil && uint64(n) > uint64(limit) {
		err = &LimitError{What: what, Got: uint64(n), Max: uint64(limit)}
	}
	return n, err
}

func (p *parser) types(r *reader) error {
	n, err := r.count("types", p.limits.Types)
	if err != nil {
		return err
	}
	p.m.types = make([]FuncType, 0, n)
	for range n {
		form, err := r.byte("type")
		if err != nil {
			return err
		}
		if form != 0x60 {
			r.pos--
			if form >= 0x4d && form <= 0x5f {
				return r.unsupported("type form 0x%02x, of the proposal garbage collection", form)
			}
			return r.fail("type form 0x%02x is not a function type", form)
		}
		var t FuncType
		if t.Params, err = p.values(r, "parameters of one function type"); err != nil {
			return err
		}
		if t.Results, err = p.values(r, "results of one function type"); err != nil {
			return err
		}
		p.m.types = append(p.m.types, t)
	}
	return nil
}

func (p *parser) values(r *reader, what string) ([]ValueType, error) {
	n, err := r.count(what, p.limits.Params)
	if err != nil {
		return nil, err
	}
	ts := make([]ValueType, n)
	for i := range ts {
		if ts[i], err = r.valueType(); err != nil {
			return nil, err
		}
	}
	return ts, nil
}

func (r *reader) valueType() (ValueType, error) {
	b, err := r.byte("value type")
	if err != nil {
		return 0, err
	}
	switch t := ValueType(b); t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
		return t, nil
	}
	r.pos--
	if b >= 0x63 && b <= 0x74 {
		return 0, r.unsupported("value type 0x%02x, of the proposals typed function references and garbage collection", b)
	}
	return 0, r.fail("unknown value type 0x%02x", b)
}

func (p *parser) funcType(r *reader, what string) (uint32, error) {
	i, err := r.u32(what)
	if err != nil {
		return 0, of("type index of ", err)
	}
	if uint64(i) >= uint64(len(p.m.types)) {
		err = r.fail("%s has type %d of %d", what, i, len(p.m.types))
	}
	return i, err
}

func (p *parser) imports(r *reader) error {
	n, err := r.count("imports", p.limits.Imports)
	if err != nil {
		return err
	}
	for range n {
		var im Import
		if im.Module, err = r.name("import module name", p.limits.NameBytes); err != nil {
			return err
		}
		if im.Name, err = r.name("import name", p.limits.NameBytes); err != nil {
			return err
		}
		kind, err := r.byte("import kind")
		if err != nil {
			return err
		}
		im.Kind = Kind(kind)
		switch im.Kind {
		case FuncKind:
			i, err := p.funcType(r, "imported function "+im.Name)
			if err != nil {
				return err
			}
			im.Type, im.typeIndex = p.m.types[i], i
			p.m.funcTypes = append(p.m.funcTypes, i)
			p.m.importedFuncs++
		case TableKind:
			im.table, err = p.table(r)
			p.m.tables = append(p.m.tables, im.table)
			p.m.importedTables++
		case MemoryKind:
			im.memory, err = p.memory(r)
			p.m.memories++
		case GlobalKind:
			im.global, err = p.globalType(r)
			p.m.globals = append(p.m.globals, im.global)
			p.m.importedGlobals++
		default:
			r.pos--
			err = r.fail("unknown import kind %d", kind)
		}
		if err != nil {
			return err
		}
		p.m.Imports = append(p.m.Imports, im)
	}
	if p.m.memories > 1 {
		return r.unsupported("%d imported memories, of the proposal multiple memories", p.m.memories)
	}
	return nil
}

func (p *parser) start(r *reader) error {
	i, err := r.u32("start function")
	if err != nil {
		return err
	}
	if uint64(i) >= uint64(len(p.m.funcTypes)) {
		return r.fail("start function %d of %d", i, len(p.m.funcTypes))
	}
	if t := p.m.types[p.m.funcTypes[i]]; len(t.Params)+len(t.Results) > 0 {
		return r.fail("start function %d has the type %s", i, t)
	}
	p.m.start = int64(i)
	return nil
}

func (p *parser) functions(r *reader) error {
	n, err := r.count("functions", p.limits.Functions)
	if err != nil {
		return err
	}
	p.m.Functions = n
	for range n {
		i, err := p.funcType(r, "function")
		if err != nil {
			return err
		}
		p.m.funcTypes = append(p.m.funcTypes, i)
	}
	return nil
}

func (p *parser) tables(r *reader) error {
	n, err := r.count("tables", p.limits.Tables)
	for i := 0; i < n && err == nil; i++ {
		var t table
		if t, err = p.table(r); err == nil {
			p.m.tables = append(p.m.tables, t)
		}
	}
	return err
}

func (p *parser) table(r *reader) (t table, err error) {
	if t.of, err = r.valueType(); err != nil {
		return t, err
	}
	if t.of != FuncRef && t.of != ExternRef {
		return t, r.fail("table of %s", t.of)
	}
	t.bounds, err = r.bounds("table")
	if err == nil && uint64(t.bounds.Min) > uint64(p.limits.TableEntries) {
		err = &LimitError{What: "initial entries of a table", Got: uint64(t.bounds.Min), Max: uint64(p.limits.TableEntries)}
	}
	return t, err
}

func (p *parser) memories(r *reader) error {
	n, err := r.u32("number of memories")
	if err == nil && n > 1 || n == 1 && p.m.memories > 0 {
		return r.unsupported("%d memories, of the proposal multiple memories", uint64(n)+uint64(p.m.memories))
	}
	for range n {
		var m Memory
		if m, err = p.memory(r); err == nil {
			p.m.Memories = append(p.m.Memories, m)
			p.m.memories++
		}
	}
	return err
}

const maxPages = 1 << 16 // 4 GiB

func (p *parser) memory(r *reader) (Memory, error) {
	m, err := r.bounds("memory")
	if err == nil && (m.Min > maxPages || m.Max > maxPages) {
		return m, r.fail("a memory cannot have more than %d pages", maxPages)
	}
	if err == nil && uint64(m.Min) > uint64(p.limits.MemoryPages) {
		err = &LimitError{What: "initial pages of memory", Got: uint64(m.Min), Max: uint64(p.limits.MemoryPages)}
	}
	return m, err
}

// bounds reads the limits of a table or memory.
func (r *reader) bounds(what string) (Memory, error) {
	flags, err := r.byte("limits of " + what)
	if err != nil {
		return Memory{}, err
	}
	var m Memory
	switch flags {
	case 0:
	case 1:
		m.HasMax = true
	case 4, 5, 6, 7:
		r.pos--
		return m, r.unsupported("64-bit %s, of the proposal memory64", what)
	case 2, 3:
		r.pos--
		return m, r.unsupported("shared %s, of the proposal threads", what)
	default:
		r.pos--
		return m, r.fail("unknown limits 0x%02x of %s", flags, what)
	}
	if m.Min, err = r.u32("minimum of " + what); err != nil {
		return m, err
	}
	if m.HasMax {
		if m.Max, err = r.u32("maximum of " + what); err != nil {
			return m, err
		}
		if m.Max < m.Min {
			return m, r.fail("maximum of %s is below its minimum", what)
		}
	}
	return m, nil
}

func (p *parser) exports(r *reader) error {
	n, err := r.count("exports", p.limits.Exports)
	if err != nil {
		return err
	}
	seen := make(map[string]struct{}, n)
	for range n {
		var e Export
		if e.Name, err = r.name("export name", p.limits.NameBytes); err != nil {
			return err
		}
		if _, twice := seen[e.Name]; twice {
			return r.fail("two exports are named %q", e.Name)
		}
		seen[e.Name] = struct{}{}
		kind, err := r.byte("export kind")
		if err != nil {
			return err
		}
		if e.Kind = Kind(kind); e.Kind > GlobalKind {
			r.pos--
			return r.fail("unknown export kind %d", kind)
		}
		if e.Index, err = r.u32("export index"); err != nil {
			return err
		}
		most := [...]int{len(p.m.funcTypes), len(p.m.tables), p.m.memories, len(p.m.globals)}[e.Kind]
		if uint64(e.Index) >= uint64(most) {
			return r.fail("export %q names %s %d of %d", e.Name, e.Kind, e.Index, most)
		}
		if e.Kind == FuncKind {
			e.Type = p.m.types[p.m.funcTypes[e.Index]]
			if err := p.refer(r, e.Index); err != nil {
				return err
			}
		}
		p.m.Exports = append(p.m.Exports, e)
	}
	return nil
}
