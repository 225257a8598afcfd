package proof

// An instruction of a body, decoded. Codes behind a prefix have the prefix above them: 0xfc0a.
type instruction struct {
	op     uint16
	a, b   uint32 // indices, or the alignment and offset of an access; a of a block is unused
	value  int64  // constants; the type of a block: ≥ 0 an index, else a value type as a negative number
	at     int32  // offset in the module
	target int32  // where the labels of a br_table begin in body.labels, a of them
}

// A body is a function's code, decoded. Its memory is used again for the next function.
type body struct {
	locals uint64
	list   []instruction
	labels []uint32
}

const maxLocals = 1 << 20 // no engine takes more; it keeps sums far from overflow

// read decodes a body whole.
func (b *body) read(r *reader) {
	b.locals, b.list, b.labels = 0, b.list[:0], b.labels[:0]
	for n := r.count(); n > 0 && r.err == nil; n-- {
		b.locals += uint64(r.unsigned())
		r.byte()
		if b.locals > maxLocals {
			r.fail("%d locals", b.locals)
		}
	}
	for r.more() {
		in := instruction{at: int32(r.pos)}
		in.op = uint16(r.byte())
		known := plain
		switch in.op {
		case 0xfc:
			known = misc
		case 0xfd:
			known = vector
		}
		code := uint32(in.op)
		if known != plain {
			code = r.unsigned()
			in.op = in.op<<8 | uint16(code&0xff)
		}
		if code > 0xff || !known[code].known {
			r.fail("unknown instruction")
			return
		}
		b.immediates(r, &in, known[code].immediate)
		b.list = append(b.list, in)
	}
}

func (b *body) immediates(r *reader, in *instruction, what immediate) {
	switch what {
	case blockType:
		in.value = r.signed(33)
	case index:
		in.a = r.unsigned()
	case indices:
		in.a, in.b = r.unsigned(), r.unsigned()
	case labels:
		in.target = int32(len(b.labels))
		in.a = uint32(r.count()) + 1
		for n := in.a; n > 0 && r.err == nil; n-- {
			b.labels = append(b.labels, r.unsigned())
		}
	case types:
		p := r.part()
		r.pos, r.err = p.end, p.err
	case access:
		in.a, in.b = r.unsigned(), r.unsigned()
	case lane:
		in.a = uint32(r.byte())
	case accessLane:
		in.a, in.b = r.unsigned(), r.unsigned()
		r.byte()
	case int32Constant:
		in.value = r.signed(32)
	case int64Constant:
		in.value = r.signed(64)
	case bytes4:
		r.skip(4)
	case bytes8:
		r.skip(8)
	case bytes16:
		r.skip(16)
	}
}

// about returns what the proof knows of an instruction.
func (in *instruction) about() *operation {
	switch in.op >> 8 {
	case 0xfc:
		return &misc[in.op&0xff]
	case 0xfd:
		return &vector[in.op&0xff]
	}
	return &plain[in.op]
}
