package wasmbin

// What the global, element and data sections announce is read to the end: an engine that allocates a
// vector as long as a segment claims to be would give away all of the host's memory for a few bytes.

// A constant is the one instruction of a constant expression.
type constant struct {
	op  opcode
	arg uint8  // reference type of ref.null
	b   uint64 // bits, index, or the position of a v128
}

type global struct {
	of      ValueType
	mutable bool
	init    constant // not of imported globals
}

type element struct {
	flags   uint32
	table   uint32
	of      ValueType
	offset  constant
	entries []constant // ref.func, ref.null or global.get
}

type dataSegment struct {
	flags    uint32
	offset   constant
	from, to int // contents, in the file
}

func (p *parser) globalType(r *reader) (g global, err error) {
	if g.of, err = r.valueType(); err != nil {
		return g, err
	}
	mutable, err := r.byte("global mutability")
	if err == nil && mutable > 1 {
		r.pos--
		err = r.fail("unknown mutability %d of a global", mutable)
	}
	g.mutable = mutable == 1
	return g, err
}

func (p *parser) globals(r *reader) error {
	n, err := r.count("globals", p.limits.Globals)
	for i := 0; i < n && err == nil; i++ {
		var g global
		if g, err = p.globalType(r); err != nil {
			break
		}
		if g.init, err = p.constant(r, "global", g.of); err == nil {
			p.m.globals = append(p.m.globals, g)
		}
	}
	p.m.Globals = n
	return err
}

// Bits of the first number of an element segment.
const (
	segmentPassive  = 1 // or declarative
	segmentExplicit = 2 // an active one names its table
	segmentExprs    = 4 // its entries are expressions
)

func (p *parser) elements(r *reader) error {
	n, err := r.count("element segments", p.limits.Elements)
	left := p.limits.ElementEntries
	for i := 0; i < n && err == nil; i++ {
		var e element
		if e, err = p.element(r, left); err == nil {
			left -= len(e.entries)
			p.m.elements = append(p.m.elements, e)
		}
	}
	return err
}

func (p *parser) element(r *reader, limit int) (e element, err error) {
	if e.flags, err = r.u32("element segment"); err != nil {
		return e, err
	}
	if e.flags > segmentPassive|segmentExplicit|segmentExprs {
		return e, r.fail("unknown element segment %d", e.flags)
	}
	if e.flags&segmentPassive == 0 {
		if e.flags&segmentExplicit != 0 {
			if e.table, err = r.u32("table of element segment"); err != nil {
				return e, err
			}
		}
		if uint64(e.table) >= uint64(len(p.m.tables)) {
			return e, r.fail("element segment names table %d of %d", e.table, len(p.m.tables))
		}
		if e.offset, err = p.constant(r, "element segment", I32); err != nil {
			return e, err
		}
	}
	if e.of, err = p.elementType(r, e.flags); err != nil {
		return e, err
	}
	if e.flags&segmentPassive == 0 && p.m.tables[e.table].of != e.of {
		return e, r.fail("element segment of %s for a table of %s", e.of, p.m.tables[e.table].of)
	}
	n, err := r.count("entries of element segments", limit)
	if le, ok := err.(*LimitError); ok { // the limit is for all segments together
		le.Got, le.Max = le.Got+uint64(p.limits.ElementEntries-limit), uint64(p.limits.ElementEntries)
	}
	if err != nil {
		return e, err
	}
	e.entries = make([]constant, n)
	for i := range e.entries {
		if e.flags&segmentExprs != 0 {
			e.entries[i], err = p.constant(r, "element", e.of)
		} else {
			e.entries[i], err = p.functionRef(r, "element")
		}
		if err != nil {
			return e, err
		}
	}
	return e, nil
}

func (p *parser) elementType(r *reader, flags uint32) (ValueType, error) {
	if flags&(segmentPassive|segmentExplicit) == 0 {
		return FuncRef, nil
	}
	if flags&segmentExprs != 0 {
		t, err := r.valueType()
		if err == nil && !t.reference() {
			r.pos--
			err = r.fail("element segment of %s", t)
		}
		return t, err
	}
	kind, err := r.byte("type of element segment")
	if err == nil && kind != 0 {
		r.pos--
		err = r.fail("unknown kind %d of element segment", kind)
	}
	return FuncRef, err
}

func (p *parser) functionRef(r *reader, what string) (constant, error) {
	i, err := r.u32(what)
	if err == nil {
		err = p.refer(r, i)
	}
	return constant{op: opRefFunc, b: uint64(i)}, err
}

// refer notes that a function's reference is taken outside of code, which lets code take it too.
func (p *parser) refer(r *reader, i uint32) error {
	if uint64(i) >= uint64(len(p.m.funcTypes)) {
		return r.fail("reference to function %d of %d", i, len(p.m.funcTypes))
	}
	if p.m.referred == nil {
		p.m.referred = make([]bool, len(p.m.funcTypes))
	}
	p.m.referred[i] = true
	return nil
}

func (p *parser) dataSegments(r *reader) error {
	n, err := r.count("data segments", p.limits.DataSegments)
	for i := 0; i < n && err == nil; i++ {
		var d dataSegment
		if d, err = p.dataSegment(r); err == nil {
			p.m.segments = append(p.m.segments, d)
		}
	}
	return err
}

func (p *parser) dataSegment(r *reader) (d dataSegment, err error) {
	if d.flags, err = r.u32("data segment"); err != nil {
		return d, err
	}
	switch d.flags {
	case 1: // passive
	case 2:
		memory, err := r.u32("memory of data segment")
		if err != nil {
			return d, err
		}
		if memory != 0 {
			return d, r.unsupported("memory %d of a data segment, of the proposal multiple memories", memory)
		}
		fallthrough
	case 0:
		if p.m.memories == 0 {
			return d, r.fail("data segment without a memory")
		}
		if d.offset, err = p.constant(r, "data segment", I32); err != nil {
			return d, err
		}
	default:
		return d, r.fail("unknown data segment %d", d.flags)
	}
	contents, err := r.span("data segment")
	d.from, d.to = contents.pos, contents.end
	return d, err
}

// constant reads a constant expression of core 2.0: one instruction and the end.
func (p *parser) constant(r *reader, what string, want ValueType) (c constant, err error) {
	at := r.pos
	d := decoder{reader: *r, limits: &p.limits}
	var in instr
	if err := d.next(&in); err != nil {
		return c, err
	}
	c = constant{op: in.op, arg: in.arg, b: in.b}
	of := in.op.info().result
	switch in.op {
	case opI32Const, opI64Const, opF32Const, opF64Const, opV128Const:
	case opRefNull:
		of = ValueType(in.arg)
	case opRefFunc:
		c.b, of = uint64(in.a), FuncRef
		err = p.refer(&d.reader, in.a)
	case opGlobalGet:
		c.b = uint64(in.a)
		if of, err = p.constantGlobal(&d.reader, in.a); err != nil {
			return c, err
		}
	case opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
		r.pos = at
		return c, r.unsupported("%s in a constant, of the proposal extended constant expressions", in.op)
	default:
		r.pos = at
		return c, r.fail("%s in a constant of %s", in.op, what)
	}
	if err == nil && of != want {
		r.pos = at
		err = r.fail("constant of %s is %s and not %s", what, of, want)
	}
	if err != nil {
		return c, err
	}
	r.pos = d.pos
	end, err := r.byte(what)
	if err == nil && opcode(end) != opEnd {
		r.pos--
		err = r.fail("more than one instruction in a constant of %s", what)
	}
	return c, err
}

// constantGlobal returns the type of a global that a constant may read: an imported one that does not
// change.
func (p *parser) constantGlobal(r *reader, i uint32) (ValueType, error) {
	if uint64(i) >= uint64(p.m.importedGlobals) {
		return 0, r.fail("constant of global %d, %d are imported", i, p.m.importedGlobals)
	}
	if p.m.globals[i].mutable {
		return 0, r.fail("constant of global %d, which is mutable", i)
	}
	return p.m.globals[i].of, nil
}
