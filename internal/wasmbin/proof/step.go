package proof

// Codes of the instructions that have a meaning to the proof.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opBrTable     = 0x0e
	opReturn      = 0x0f
	opCall        = 0x10
	opIndirect    = 0x11
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opMemoryGrow  = 0x40
	opI32Const    = 0x41
	opI64Const    = 0x42
	opI32LeU      = 0x4d
	opI32GtU      = 0x4b
	opI64GeS      = 0x59
	opI32Add      = 0x6a
	opI32Sub      = 0x6b
	opI64Sub      = 0x7d
	opI64Mul      = 0x7e
	opI64ShrU     = 0x88
	opI64ExtendU  = 0xad
	opRefFunc     = 0xd2
	opMemoryInit  = 0xfc08
	opMemoryCopy  = 0xfc0a
	opMemoryFill  = 0xfc0b
	opTableInit   = 0xfc0c
	opTableCopy   = 0xfc0e
	opTableGrow   = 0xfc0f
	opTableFill   = 0xfc11
	opExtract     = 0xfd1d // i64x2.extract_lane
	opReplace     = 0xfd1e // i64x2.replace_lane
	opSplat       = 0xfd12 // i64x2.splat
)

const emptyBlock = -64 // the type 0x40 read as a signed number

// step does one instruction that is in no sequence.
func (w *walker) step(in *instruction) {
	about := in.about()
	w.use(int64(about.weight))
	switch in.op {
	case opBlock, opLoop, opIf:
		w.open(in)
	case opElse:
		w.otherwise()
	case opEnd:
		w.close()
	case opBr:
		w.branch(in.a)
		w.now.dead = true
	case opBrIf:
		w.operands(1, 0)
		w.branch(in.a)
		if n, ok := w.compared(); ok && !w.now.dead {
			w.now.length = min(w.now.length, n)
		}
	case opBrTable:
		w.operands(1, 0)
		for _, l := range w.body.labels[in.target : int(in.target)+int(in.a)] {
			w.branch(l)
		}
		w.now.dead = true
	case opReturn:
		if w.entered {
			w.fail("a return, which leaves the frame counted")
		}
		w.now.dead = true
	case opUnreachable:
		w.now.dead = true
	case opCall:
		w.call(in.a)
	case opIndirect:
		w.operands(1, 0)
		w.called()
		if int64(in.a) >= int64(len(w.m.types)) {
			w.fail("type %d of %d", in.a, len(w.m.types))
			return
		}
		if !w.entered {
			w.fail("a call through a table from a function that does not count its frame")
		}
		w.signature(w.m.types[in.a])
	case opGlobalGet, opGlobalSet:
		w.global(in)
	case opLocalSet, opLocalTee:
		if in.a == 2 {
			w.now.length = unknown
		}
		w.operands(int(about.in), int(about.out))
	case opRefFunc:
		w.m.referred[in.a] = true
		w.operands(0, 1)
	case opMemoryInit, opMemoryCopy, opMemoryFill:
		w.bulk(maxPiece, 6)
	case opTableInit, opTableCopy, opTableFill:
		w.bulk(maxRow, 3)
	case opMemoryGrow:
		w.fail("memory.grow without asking the host")
	case opTableGrow:
		w.fail("table.grow without a charge by entries")
	default:
		w.operands(int(about.in), int(about.out))
	}
}

func (w *walker) open(in *instruction) {
	l := label{op: in.op, outer: w.floor, join: state{dead: true}}
	switch {
	case in.value >= int64(len(w.m.types)):
		w.fail("type %d of %d", in.value, len(w.m.types))
		return
	case in.value >= 0:
		t := w.m.types[in.value]
		l.params, l.results = len(t.params), len(t.results)
	case in.value != emptyBlock:
		l.results = 1
	}
	if in.op == opIf {
		w.operands(1, 0)
		l.entry = w.now
		if n, ok := w.compared(); ok {
			l.entry.length = min(l.entry.length, n)
		}
	}
	w.operands(l.params, l.params)
	l.height = w.height - l.params
	if in.op == opLoop {
		w.floor = w.now.credit
		w.now.length = unknown
	}
	w.labels = append(w.labels, l)
}

// compared reports whether the operand just taken says that local 2 is above a constant.
func (w *walker) compared() (int64, bool) {
	if w.i < 3 {
		return 0, false
	}
	l := w.list[w.i-3 : w.i]
	n := int64(uint32(l[1].value))
	return n, l[0].op == opLocalGet && l[0].a == 2 && l[1].op == opI32Const && l[2].op == opI32GtU
}

func (w *walker) otherwise() {
	l := &w.labels[len(w.labels)-1]
	if l.op != opIf {
		w.fail("else without if")
		return
	}
	l.join.meet(w.now)
	w.now, l.op = l.entry, opElse
	w.height = l.height + l.params
}

func (w *walker) close() {
	l := w.labels[len(w.labels)-1]
	w.labels = w.labels[:len(w.labels)-1]
	w.now.meet(l.join)
	switch l.op {
	case opIf:
		w.now.meet(l.entry)
	case opLoop:
		w.floor = l.outer
	}
	if w.height = l.height + l.results; !w.now.dead {
		w.most = max(w.most, w.height)
	}
	if w.entered && len(w.labels) == 1 {
		w.i++
		w.epilogue()
		w.i--
	}
}

func (w *walker) branch(depth uint32) {
	n := len(w.labels)
	switch {
	case int64(depth) >= int64(n):
		w.fail("a branch to label %d of %d", depth, n)
		return
	case int(depth) == n-1 && w.entered:
		w.fail("a branch out of the function, which leaves the frame counted")
		return
	}
	if l := &w.labels[n-1-int(depth)]; l.op != opLoop {
		l.join.meet(w.now)
	}
}

func (w *walker) call(f uint32) {
	switch {
	case int64(f) >= int64(len(w.m.functions)):
		w.fail("function %d of %d", f, len(w.m.functions))
		return
	case int(f) == w.m.tick, int(f) == w.m.grow:
		w.fail("a call of the meter outside of a check")
		return
	case int(f) >= w.m.imported:
		w.m.direct(w, f)
	}
	w.called()
	w.signature(w.m.types[w.m.functions[f]])
}

// called says that a call was made: what the function called has charged since its last check is not
// known.
func (w *walker) called() {
	w.now.tail = max(w.now.tail, 0)
}

// signature is a call of a function of this type. What it takes and leaves is moved.
func (w *walker) signature(t signature) {
	w.use(int64(len(t.params) + len(t.results)))
	w.operands(len(t.params), len(t.results))
}

func (w *walker) global(in *instruction) {
	switch {
	case int64(in.a) >= int64(len(w.m.globals)):
		w.fail("global %d of %d", in.a, len(w.m.globals))
	case in.a == w.m.fuel:
		w.fail("the fuel global is named outside of a charge or check")
	case in.a == w.m.depth:
		w.fail("the depth global is named outside of prologue and epilogue")
	case in.op == opGlobalGet:
		w.operands(0, 1)
	default:
		w.operands(1, 0)
	}
}

// bulk is an instruction whose length is a constant: it is charged like any other.
func (w *walker) bulk(most, shift int64) {
	in := &w.list[w.i-1] // the function began with a charge
	if n := int64(uint32(in.value)); in.op != opI32Const || n > most {
		w.fail("a bulk operation that is not charged by its length")
	} else {
		w.use(n >> shift * perUnit)
	}
	w.operands(3, 0)
}
