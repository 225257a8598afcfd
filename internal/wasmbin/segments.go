package wasmbin

// What the global, element and data sections announce is read to the end: an engine that allocates a
// vector as long as a segment claims to be would give away all of the host's memory for a few bytes.

func (p *parser) globals(r *reader) error {
	n, err := r.count("globals", p.limits.Globals)
	for i := 0; i < n && err == nil; i++ {
		if _, err = r.valueType(); err != nil {
			break
		}
		if _, err = r.byte("global mutability"); err == nil {
			err = r.constant("global")
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
		var entries int
		if entries, err = p.element(r, left); err == nil {
			left -= entries
		}
	}
	return err
}

func (p *parser) element(r *reader, limit int) (entries int, err error) {
	flags, err := r.u32("element segment")
	if err != nil {
		return 0, err
	}
	if flags > segmentPassive|segmentExplicit|segmentExprs {
		return 0, r.fail("unknown element segment %d", flags)
	}
	if flags&segmentPassive == 0 {
		if flags&segmentExplicit != 0 {
			if _, err = r.u32("table of element segment"); err != nil {
				return 0, err
			}
		}
		if err = r.constant("element segment"); err != nil {
			return 0, err
		}
	}
	if flags&(segmentPassive|segmentExplicit) != 0 {
		if _, err = r.byte("type of element segment"); err != nil {
			return 0, err
		}
	}
	entries, err = r.count("entries of element segments", limit)
	if le, ok := err.(*LimitError); ok { // the limit is for all segments together
		le.Got, le.Max = le.Got+uint64(p.limits.ElementEntries-limit), uint64(p.limits.ElementEntries)
	}
	for i := 0; i < entries && err == nil; i++ {
		if flags&segmentExprs != 0 {
			err = r.constant("element")
		} else {
			_, err = r.u32("element")
		}
	}
	return entries, err
}

func (p *parser) dataSegments(r *reader) error {
	n, err := r.count("data segments", p.limits.DataSegments)
	for i := 0; i < n && err == nil; i++ {
		err = r.dataSegment()
	}
	return err
}

func (r *reader) dataSegment() error {
	flags, err := r.u32("data segment")
	if err != nil {
		return err
	}
	switch flags {
	case 1: // passive
	case 2:
		if _, err := r.u32("memory of data segment"); err != nil {
			return err
		}
		fallthrough
	case 0:
		if err := r.constant("data segment"); err != nil {
			return err
		}
	default:
		return r.fail("unknown data segment %d", flags)
	}
	_, err = r.span("data segment")
	return err
}

// constant passes over a constant expression of core 2.0: one instruction and the end. Whether its type
// fits is for the engine to say.
func (r *reader) constant(what string) error {
	op, err := r.byte(what)
	if err != nil {
		return err
	}
	switch op {
	case 0x41: // i32.const
		_, err = r.uint(what, 35) // signed: all bits of five bytes may be set
	case 0x42: // i64.const
		err = r.signed64(what)
	case 0x43: // f32.const
		err = r.skip(what, 4)
	case 0x44: // f64.const
		err = r.skip(what, 8)
	case 0x23, 0xd2: // global.get, ref.func
		_, err = r.u32(what)
	case 0xd0: // ref.null
		_, err = r.valueType()
	case 0xfd: // v128.const
		if op, err = r.byte(what); err == nil && op != 12 {
			return r.fail("vector instruction %d in a constant of %s", op, what)
		}
		if err == nil {
			err = r.skip(what, 16)
		}
	default:
		r.pos--
		return r.fail("instruction 0x%02x in a constant of %s", op, what)
	}
	if err != nil {
		return err
	}
	if op, err = r.byte(what); err == nil && op != 0x0b {
		r.pos--
		err = r.fail("more than one instruction in a constant of %s", what)
	}
	return err
}

func (r *reader) signed64(what string) error {
	for range 10 {
		b, err := r.byte(what)
		if err != nil || b < 0x80 {
			return err
		}
	}
	return r.fail("%s does not fit in 64 bits", what)
}

func (r *reader) skip(what string, n int) error {
	if r.left() < n {
		return r.fail("%s is cut off", what)
	}
	r.pos += n
	return nil
}
