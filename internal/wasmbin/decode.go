package wasmbin

// An instr is one decoded instruction.
type instr struct {
	op  opcode
	arg uint8  // alignment, lane, or value type
	at  int    // offset in the file
	a   uint32 // first index, offset of a memory access, number of labels
	b   uint64 // second index, bits of a constant, block type, lane, or where the rest is
}

// A decoder reads the instructions of one function. Labels of br_table are collected in labels: those
// of an instruction are labels[b:b+a+1].
type decoder struct {
	reader
	limits *Limits
	labels []uint32
}

// next reads one instruction with its immediates. Codes behind a prefix have to be in their shortest
// encoding, so that no two decoders read two different instructions.
func (d *decoder) next(in *instr) error {
	*in = instr{at: d.pos}
	code, err := d.byte("instruction")
	if err != nil {
		return err
	}
	in.op = opcode(code)
	if code == 0xfc || code == 0xfd || code == 0xfb || code == 0xfe {
		if err := d.prefixed(in, code); err != nil {
			return err
		}
	}
	info := in.op.info()
	switch info.form {
	case bare:
		return nil
	case formIndex:
		in.a, err = d.u32(info.name)
	case formI32:
		in.b, err = d.signed(info.name, 32)
	case formI64:
		in.b, err = d.signed(info.name, 64)
	case formBlock:
		if in.b, err = d.signed(info.name, 33); err == nil && int64(in.b) < 0 && d.pos != in.at+2 {
			err = &FormatError{Offset: in.at, Reason: "a block type that is no index has more than one byte"}
		}
	case formMemory, formMemoryLane:
		err = d.memarg(in, info)
	case unknownOp:
		return d.unknown(in.at, code, 0)
	default:
		err = d.rest(in, info)
	}
	return err
}

func (d *decoder) prefixed(in *instr, prefix byte) error {
	n, err := d.u32("instruction")
	if err != nil {
		return err
	}
	if size := d.pos - in.at - 1; size > 1 && n>>(7*(size-1)) == 0 {
		return &FormatError{Offset: in.at, Reason: "the code of an instruction is not in its shortest encoding"}
	}
	most, base := uint32(0xff), vectorPrefix
	if prefix == 0xfc {
		base = miscPrefix
	}
	if prefix == 0xfb || prefix == 0xfe || n > most {
		return d.unknown(in.at, prefix, n)
	}
	in.op = base + opcode(n)
	if in.op.info().form == unknownOp {
		return d.unknown(in.at, prefix, n)
	}
	return nil
}

func (d *decoder) unknown(at int, code byte, n uint32) error {
	if p := proposal(code, n); p != "" {
		return &UnsupportedError{Offset: at, What: "an instruction of the proposal " + p}
	}
	r := reader{pos: at}
	if code == 0xfc || code == 0xfd {
		return r.fail("unknown instruction 0x%02x %d", code, n)
	}
	return r.fail("unknown instruction 0x%02x", code)
}

func (d *decoder) memarg(in *instr, info *opInfo) error {
	align, err := d.u32("alignment")
	if err != nil {
		return err
	}
	if align&0x40 != 0 && align < 0x80 {
		return &UnsupportedError{Offset: in.at, What: "an instruction of the proposal multiple memories"}
	}
	if align > uint32(info.arg) {
		return d.fail("alignment of %s is larger than natural", info.name)
	}
	in.arg = uint8(align)
	if in.a, err = d.u32("offset"); err != nil || info.form != formMemoryLane {
		return err
	}
	lane, err := d.byte("lane")
	if err == nil && lane >= 16>>info.arg {
		err = d.fail("%s has lane %d of %d", info.name, lane, 16>>info.arg)
	}
	in.b = uint64(lane)
	return err
}

func (d *decoder) rest(in *instr, info *opInfo) (err error) {
	switch info.form {
	case formTwo:
		if in.a, err = d.u32(info.name); err == nil {
			in.b, err = d.uint(info.name, 32)
		}
	case formIndexZero:
		if in.a, err = d.u32(info.name); err == nil {
			err = d.zero(in)
		}
	case formZero:
		err = d.zero(in)
	case formZeroZero:
		if err = d.zero(in); err == nil {
			err = d.zero(in)
		}
	case formLabels:
		err = d.brTable(in)
	case formTypes:
		var n uint32
		if n, err = d.u32(info.name); err == nil && n != 1 {
			return d.fail("select with %d types", n)
		}
		fallthrough
	case formReftype:
		var t ValueType
		if err == nil {
			t, err = d.valueType()
		}
		if err == nil && info.form == formReftype && !t.reference() {
			err = d.fail("%s of %s", info.name, t)
		}
		in.arg = uint8(t)
	case formF32:
		in.b, err = d.fixed(info.name, 4)
	case formF64:
		in.b, err = d.fixed(info.name, 8)
	case formV128:
		in.b = uint64(d.pos)
		err = d.skip(info.name, 16)
	case formLane:
		if in.arg, err = d.byte(info.name); err == nil && in.arg >= info.arg {
			err = d.fail("%s has lane %d of %d", info.name, in.arg, info.arg)
		}
	case formLanes16:
		in.b = uint64(d.pos)
		for i := 0; i < 16 && err == nil; i++ {
			var lane byte
			if lane, err = d.byte(info.name); err == nil && lane >= 32 {
				err = d.fail("%s has lane %d of 32", info.name, lane)
			}
		}
	}
	return err
}

// zero reads the byte where later versions have the index of a memory.
func (d *decoder) zero(in *instr) error {
	b, err := d.byte(in.op.info().name)
	if err != nil || b == 0 {
		return err
	}
	if b < 0x80 {
		return &UnsupportedError{Offset: in.at, What: "an instruction of the proposal multiple memories"}
	}
	return d.fail("%s has the reserved byte 0x%02x", in.op, b)
}

func (d *decoder) brTable(in *instr) error {
	n, err := d.count("labels of br_table", d.limits.BranchTargets)
	if err != nil {
		return err
	}
	in.a, in.b = uint32(n), uint64(len(d.labels))
	for range n + 1 {
		label, err := d.u32("label")
		if err != nil {
			return err
		}
		d.labels = append(d.labels, label)
	}
	return nil
}
