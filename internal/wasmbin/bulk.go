package wasmbin

// Instructions whose work is as long as an operand says become calls of added functions, one for each
// instruction and its indices.

const (
	pieceBytes   = 64 << 10
	pieceEntries = pieceBytes / 8
	maxHelpers   = 1_000

	// Units of fuel. Lengths are shifted: 32 bytes or 4 entries to a unit.
	bytesPerUnit   = 5
	entriesPerUnit = 2
	bulkUnits      = 16    // a piece, beside its length
	pageUnits      = 4_096 // a page of memory.grow
	helperUnits    = 4     // a call
	tableGrowUnits = 64    // a table.grow, which may move the table

	maxTableGrown = 65_536
)

// Shorter memory instructions whose length is a constant stay as they are, and copies are made in place.
const (
	maxDirect  = 1_024
	direct     = 1 // in instr.arg
	copyLocals = 3 // locals that a function needs for it
)

type helper struct {
	op   opcode
	a, b uint32
}

// bulk collects the added functions that a module needs.
type bulk struct {
	helpers []helper
	index   map[helper]uint32
}

func (in instr) helper() helper { return helper{op: in.op, a: in.a, b: uint32(in.b)} }

func (k *bulk) helper(in *instr) (uint32, error) {
	h := in.helper()
	if i, ok := k.index[h]; ok {
		return i, nil
	}
	i := uint32(len(k.helpers))
	if i >= maxHelpers {
		return 0, &LimitError{What: "different instructions for bulk memory and tables", Got: uint64(i) + 1, Max: maxHelpers}
	}
	if k.index == nil {
		k.index = map[helper]uint32{}
	}
	k.index[h] = i
	k.helpers = append(k.helpers, h)
	return i, nil
}

// signature returns the type of an added function, which is that of the instruction.
func (h helper) signature(m *Module) FuncType {
	three := FuncType{Params: []ValueType{I32, I32, I32}}
	switch h.op {
	case opMemoryGrow:
		return FuncType{Params: []ValueType{I32}, Results: []ValueType{I32}}
	case opTableGrow:
		return FuncType{Params: []ValueType{m.tables[h.a].of, I32}, Results: []ValueType{I32}}
	case opTableFill:
		three.Params[1] = m.tables[h.a].of
	}
	return three
}

// helperBody appends the body of an added function.
func (e *emitter) helperBody(h helper) {
	units := uint32(helperUnits)
	if h.op == opTableGrow {
		units = tableGrowUnits
	}
	e.uint(0) // locals
	e.charge(units)
	e.check()
	switch h.op {
	case opMemoryGrow:
		e.memoryGrow()
	case opTableGrow:
		e.tableGrow(h)
	default:
		e.pieces(h)
	}
	e.op(opEnd)
}

// memoryGrow asks the host first:
//
//	local.get 0; call grow
//	if (i32)
//	  charge local 0 x pageUnits; check
//	  local.get 0; memory.grow
//	else
//	  i32.const -1
//	end
func (e *emitter) memoryGrow() {
	e.index(opLocalGet, 0)
	e.index(opCall, e.tick+1)
	e.begin(opIf, byte(I32))
	e.chargeLocal(0, func() {
		e.i64(pageUnits)
		e.op(opI64Mul)
	})
	e.check()
	e.index(opLocalGet, 0)
	e.op(opMemoryGrow)
	e.out = append(e.out, 0)
	e.op(opElse)
	e.i32(-1)
	e.op(opEnd)
}

// tableGrow answers -1 for more than any table may have:
//
//	local.get 1; i32.const maxTableGrown; i32.gt_u
//	if (i32)
//	  i32.const -1
//	else
//	  charge local 1 >> entriesPerUnit; check
//	  local.get 0; local.get 1; table.grow
//	end
func (e *emitter) tableGrow(h helper) {
	e.index(opLocalGet, 1)
	e.i32(maxTableGrown)
	e.op(opI32GtU)
	e.begin(opIf, byte(I32))
	e.i32(-1)
	e.op(opElse)
	e.chargeLocal(1, func() {
		e.i64(entriesPerUnit)
		e.op(opI64ShrU)
	})
	e.check()
	e.index(opLocalGet, 0)
	e.index(opLocalGet, 1)
	e.index(opTableGrow, h.a)
	e.op(opEnd)
}

// chargeLocal takes fuel by a local:
//
//	global.get fuel; local.get n; i64.extend_i32_u; (factor); i64.sub; global.set fuel
func (e *emitter) chargeLocal(n uint32, factor func()) {
	e.index(opGlobalGet, e.fuel)
	e.index(opLocalGet, n)
	e.op(opI64ExtendU)
	factor()
	e.op(opI64Sub)
	e.index(opGlobalSet, e.fuel)
}

// memoryCopy is a memory.copy in a function whose locals from to on are the rewriter's: real guests copy
// little at a time, and a call would cost them more than that.
//
//	local.set n; local.set from; local.set to
//	local.get n; i32.const maxDirect; i32.le_u
//	if
//	  charge local n >> bytesPerUnit
//	  local.get to; local.get from; local.get n; memory.copy
//	else
//	  local.get to; local.get from; local.get n; call helper
//	end
func (e *emitter) memoryCopy(to, helper uint32) {
	from, n := to+1, to+2
	operands := func() {
		e.index(opLocalGet, to)
		e.index(opLocalGet, from)
		e.index(opLocalGet, n)
	}
	e.index(opLocalSet, n)
	e.index(opLocalSet, from)
	e.index(opLocalSet, to)
	e.index(opLocalGet, n)
	e.i32(maxDirect)
	e.op(opI32LeU)
	e.begin(opIf, emptyBlock)
	e.chargeLocal(n, func() {
		e.i64(bytesPerUnit)
		e.op(opI64ShrU)
	})
	operands()
	e.original(instr{op: opMemoryCopy}.helper())
	e.op(opElse)
	operands()
	e.index(opCall, helper)
	e.op(opEnd)
}

// pieces does a copy, fill or init of locals 0 (to), 1 (from, or the value), 2 (length), whole pieces
// first, each charged and checked:
//
//	local.get 2; i32.const piece; i32.gt_u
//	if
//	  (trap if a whole range is out of bounds)
//	  (loop over pieces, for a copy upwards in memory from the end)
//	end
//	charge local 2 >> shift
//	local.get 0; local.get 1; local.get 2; op
func (e *emitter) pieces(h helper) {
	piece, shift := int32(pieceBytes), int64(bytesPerUnit)
	if h.op != opMemoryCopy && h.op != opMemoryFill && h.op != opMemoryInit {
		piece, shift = pieceEntries, entriesPerUnit
	}
	e.index(opLocalGet, 2)
	e.i32(piece)
	e.op(opI32GtU)
	e.begin(opIf, emptyBlock)
	e.outOfBounds(h)
	switch h.op {
	case opMemoryCopy, opTableCopy:
		e.index(opLocalGet, 0)
		e.index(opLocalGet, 1)
		e.op(opI32LeU)
		e.begin(opIf, emptyBlock)
		e.forward(h, piece, shift)
		e.op(opElse)
		e.backward(h, piece, shift)
		e.op(opEnd)
	default:
		e.forward(h, piece, shift)
	}
	e.op(opEnd)
	e.chargeLocal(2, func() {
		e.i64(shift)
		e.op(opI64ShrU)
	})
	e.index(opLocalGet, 0)
	e.index(opLocalGet, 1)
	e.index(opLocalGet, 2)
	e.original(h)
}

func (e *emitter) original(h helper) {
	e.op(h.op)
	switch h.op {
	case opMemoryCopy:
		e.out = append(e.out, 0, 0)
	case opMemoryFill:
		e.out = append(e.out, 0)
	case opMemoryInit:
		e.uint(uint64(h.a))
		e.out = append(e.out, 0)
	case opTableFill:
		e.uint(uint64(h.a))
	default:
		e.uint(uint64(h.a))
		e.uint(uint64(h.b))
	}
}

// forward: loop; charge piece; check; op at 0, 1, piece; 0 += piece; 1 += piece; 2 -= piece; again while
// more than a piece is left; end.
func (e *emitter) forward(h helper, piece int32, shift int64) {
	e.begin(opLoop, emptyBlock)
	e.charge(uint32(piece>>shift) + bulkUnits)
	e.check()
	e.index(opLocalGet, 0)
	e.index(opLocalGet, 1)
	e.i32(piece)
	e.original(h)
	e.move(0, opI32Add, piece)
	if h.op != opMemoryFill && h.op != opTableFill {
		e.move(1, opI32Add, piece)
	}
	e.move(2, opI32Sub, piece)
	e.again(piece)
}

// backward: loop; charge piece; check; 2 -= piece; op at 0+2, 1+2, piece; again; end.
func (e *emitter) backward(h helper, piece int32, shift int64) {
	e.begin(opLoop, emptyBlock)
	e.charge(uint32(piece>>shift) + bulkUnits)
	e.check()
	e.move(2, opI32Sub, piece)
	for i := range uint32(2) {
		e.index(opLocalGet, i)
		e.index(opLocalGet, 2)
		e.op(opI32Add)
	}
	e.i32(piece)
	e.original(h)
	e.again(piece)
}

func (e *emitter) move(local uint32, op opcode, by int32) {
	e.index(opLocalGet, local)
	e.i32(by)
	e.op(op)
	e.index(opLocalSet, local)
}

func (e *emitter) again(piece int32) {
	e.index(opLocalGet, 2)
	e.i32(piece)
	e.op(opI32GtU)
	e.index(opBrIf, 0)
	e.op(opEnd)
}

// outOfBounds traps as the whole instruction would, before anything is written. A trap comes from two
// elements at the last index, which no memory or table has.
func (e *emitter) outOfBounds(h helper) {
	switch h.op {
	case opMemoryCopy, opTableCopy:
		e.bound(h, 0, h.a)
		e.bound(h, 1, h.b)
	case opMemoryFill:
		e.bound(h, 0, 0)
	case opTableFill:
		e.bound(h, 0, h.a)
	case opMemoryInit, opTableInit:
		e.bound(h, 0, h.b)
		// Nothing at the end of the source: traps if the segment is shorter, or dropped.
		e.sum(1)
		e.i64(1<<32 - 1)
		e.op(opI64GtU)
		e.trapIf(h)
		e.i32(0)
		e.index(opLocalGet, 1)
		e.index(opLocalGet, 2)
		e.op(opI32Add)
		e.i32(0)
		e.original(h)
	}
}

func (e *emitter) sum(local uint32) {
	e.index(opLocalGet, local)
	e.op(opI64ExtendU)
	e.index(opLocalGet, 2)
	e.op(opI64ExtendU, opI64Add)
}

// bound: if local + length > size of the memory or table: trap.
func (e *emitter) bound(h helper, local, table uint32) {
	e.sum(local)
	if h.op == opMemoryCopy || h.op == opMemoryFill || h.op == opMemoryInit {
		e.op(opMemorySize)
		e.out = append(e.out, 0)
		e.op(opI64ExtendU)
		e.i64(16)
		e.op(opI64Shl)
	} else {
		e.index(opTableSize, table)
		e.op(opI64ExtendU)
	}
	e.op(opI64GtU)
	e.trapIf(h)
}

func (e *emitter) trapIf(h helper) {
	e.begin(opIf, emptyBlock)
	e.i32(-1)
	switch h.op {
	case opTableFill:
		e.op(opRefNull)
		e.out = append(e.out, byte(e.m.tables[h.a].of))
	case opMemoryInit, opTableInit:
		e.i32(0)
	default:
		e.i32(-1)
	}
	e.i32(2)
	e.original(h)
	e.op(opUnreachable, opEnd)
}
