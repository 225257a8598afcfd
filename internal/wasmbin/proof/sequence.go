package proof

// The sequences that the rewriter adds, as fixed runs of instructions. Fuel and depth are named nowhere
// else, so that what a function does in between cannot change them.

const (
	chargeLength   = 4
	checkLength    = 8
	byLocalLength  = 7
	prologueLength = 12
	epilogueLength = 4

	stackBytes = 4 << 20
	tickFuel   = 0
	tickStack  = 1
	maxCharge  = 1 << 31 // far above any, far below an overflow
)

func (w *walker) at(i int, op uint16) *instruction {
	if i < len(w.list) && w.list[i].op == op {
		return &w.list[i]
	}
	return nil
}

// index reports whether the instruction at i is op with this index.
func (w *walker) index(i int, op uint16, index uint32) bool {
	in := w.at(i, op)
	return in != nil && in.a == index
}

// value reports whether the instruction at i is op with this constant or block type.
func (w *walker) value(i int, op uint16, value int64) bool {
	in := w.at(i, op)
	return in != nil && in.value == value
}

// ops reports whether the instructions from i on are these.
func (w *walker) ops(i int, ops ...uint16) bool {
	for j, op := range ops {
		if w.at(i+j, op) == nil {
			return false
		}
	}
	return true
}

// charge is
//
//	global.get fuel; i64.const n; i64.sub; global.set fuel
func (w *walker) charge(i int) (int64, bool) {
	if !w.index(i, opGlobalGet, w.m.fuel) || !w.ops(i+1, opI64Const, opI64Sub) || !w.index(i+3, opGlobalSet, w.m.fuel) {
		return 0, false
	}
	n := w.list[i+1].value
	return n, n >= 0 && n <= maxCharge
}

// check is
//
//	global.get fuel; i64.const 0; i64.ge_s; if; else; i32.const 0; call tick; end
func (w *walker) check(i int) bool {
	return w.index(i, opGlobalGet, w.m.fuel) && w.value(i+1, opI64Const, 0) && w.ops(i+2, opI64GeS) &&
		w.value(i+3, opIf, emptyBlock) && w.ops(i+4, opElse) && w.value(i+5, opI32Const, tickFuel) &&
		w.index(i+6, opCall, uint32(w.m.tick)) && w.ops(i+7, opEnd)
}

// byLocal is a charge by the unsigned value of a local, times or divided by a constant:
//
//	global.get fuel; local.get n; i64.extend_i32_u; i64.const c; i64.mul or i64.shr_u; i64.sub; global.set fuel
func (w *walker) byLocal(i int, op uint16) (local uint32, constant int64, ok bool) {
	if !w.index(i, opGlobalGet, w.m.fuel) || !w.ops(i+1, opLocalGet, opI64ExtendU, opI64Const, op, opI64Sub) ||
		!w.index(i+6, opGlobalSet, w.m.fuel) {
		return 0, 0, false
	}
	return w.list[i+1].a, w.list[i+3].value, true
}

// prologue is, behind the first check,
//
//	global.get depth; i32.const frame; i32.add; global.set depth
//	global.get depth; i32.const stackBytes; i32.gt_u; if; i32.const 1; call tick; unreachable; end
//	block
func (w *walker) prologue() {
	i := w.i
	if w.err != nil || !w.index(i, opGlobalGet, w.m.depth) {
		return
	}
	ok := w.ops(i+1, opI32Const, opI32Add) && w.index(i+3, opGlobalSet, w.m.depth) &&
		w.index(i+4, opGlobalGet, w.m.depth) && w.value(i+5, opI32Const, stackBytes) && w.ops(i+6, opI32GtU) &&
		w.value(i+7, opIf, emptyBlock) && w.value(i+8, opI32Const, tickStack) && w.index(i+9, opCall, uint32(w.m.tick)) &&
		w.ops(i+10, opUnreachable, opEnd, opBlock)
	if !ok {
		w.fail("the frame is not counted in the agreed way")
		return
	}
	if w.frame = w.list[i+1].value; w.frame <= 0 || w.frame > maxCharge/2 {
		w.fail("a frame of %d bytes", w.frame)
	}
	w.i += prologueLength
	w.step(&w.list[w.i])
	w.i++
	w.entered = true
}

// epilogue is, behind that block and before the end of the function,
//
//	global.get depth; i32.const frame; i32.sub; global.set depth
func (w *walker) epilogue() {
	i := w.i
	if !w.index(i, opGlobalGet, w.m.depth) || !w.value(i+1, opI32Const, w.frame) || !w.ops(i+2, opI32Sub) ||
		!w.index(i+3, opGlobalSet, w.m.depth) || !w.ops(i+4, opEnd) {
		w.fail("the frame is not taken off at the end of the function")
		return
	}
	w.i += epilogueLength
}

// sequence does what stands at the current place if it is one of the others.
func (w *walker) sequence() bool {
	switch in := &w.list[w.i]; {
	case in.op == opLocalGet:
		return w.growMemory()
	case in.op == opLocalSet:
		return w.shortCopy()
	case in.op != opGlobalGet || in.a != w.m.fuel:
		return false
	}
	if n, ok := w.charge(w.i); ok {
		w.pay(n)
		w.i += chargeLength
		return true
	}
	if w.check(w.i) {
		w.checked()
		w.i += checkLength
		return true
	}
	return w.rest() || w.growTable()
}

// rest is a bulk operation of at most a piece, of a length that is known when it runs:
//
//	charge by local 2 >> shift; local.get 0; local.get 1; local.get 2; the operation
func (w *walker) rest() bool {
	local, shift, ok := w.byLocal(w.i, opI64ShrU)
	i := w.i + byLocalLength
	if !ok || local != 2 || i+3 >= len(w.list) ||
		!w.index(i, opLocalGet, 0) || !w.index(i+1, opLocalGet, 1) || !w.index(i+2, opLocalGet, 2) {
		return false
	}
	most, least := int64(maxPiece), int64(6)
	switch w.list[i+3].op {
	case opMemoryInit, opMemoryCopy, opMemoryFill:
	case opTableInit, opTableCopy, opTableFill:
		most, least = maxRow, 3
	default:
		return false
	}
	if shift < 0 || shift > least || w.now.length > most && !w.now.dead {
		return false
	}
	w.unchecked(w.now.length >> shift)
	w.operands(0, 3)
	w.operands(3, 0)
	w.i = i + 4
	w.use(0)
	return true
}

// growMemory is
//
//	local.get n; call grow; if (result i32)
//	  charge by local n * pages; check; local.get n; memory.grow
//	else
//	  i32.const -1
//	end
func (w *walker) growMemory() bool {
	i := w.i
	n := w.at(i, opLocalGet)
	if !w.index(i+1, opCall, uint32(w.m.grow)) || n == nil || !w.value(i+2, opIf, i32-128) {
		return false
	}
	local, pages, ok := w.byLocal(i+3, opI64Mul)
	i += 3 + byLocalLength
	if !ok || local != n.a || pages < 1024 || pages > 1<<16 || !w.check(i) {
		return false
	}
	i += checkLength
	if !w.index(i, opLocalGet, n.a) || !w.ops(i+1, opMemoryGrow, opElse) || !w.value(i+3, opI32Const, -1) || !w.ops(i+4, opEnd) {
		return false
	}
	w.use(8)
	w.operands(0, 1)
	w.i = i + 5
	return true
}

// growTable is
//
//	charge by local 1 >> shift; check; local.get 0; local.get 1; table.grow
func (w *walker) growTable() bool {
	local, shift, ok := w.byLocal(w.i, opI64ShrU)
	i := w.i + byLocalLength
	if !ok || local != 1 || shift < 0 || shift > 3 || !w.check(i) || !w.index(i+checkLength, opLocalGet, 0) ||
		!w.index(i+checkLength+1, opLocalGet, 1) || !w.ops(i+checkLength+2, opTableGrow) {
		return false
	}
	w.checked()
	w.operands(0, 2)
	w.operands(2, 1)
	w.i = i + checkLength + 3
	return true
}
