package wasmbin

import "fmt"

type localGroup struct {
	n  uint32
	of ValueType
}

// A body is one function: checked, with dead code left out, and divided into runs.
type body struct {
	m      *Module
	d      decoder
	index  int // of all functions, imported ones first
	typ    FuncType
	groups []localGroup
	locals []ValueType // parameters first
	code   []instr
	stack  stack
	charge charges
	cost   cost
	loops  []int          // indices of the open frames that are loops and can run
	calls  bool           // it calls functions, so its frame counts
	copies bool           // it needs locals for memory.copy
	used   *[opcodes]bool // instructions of the module that can run

	kept       kept
	localSlots int

	globals           int  // mutable ones of the result
	known             bool // see InstrumentKnown
	blocks, loopCount int
}

// read checks the function with the given index, counted without imports.
func (b *body) read(i int) error {
	b.index = b.m.importedFuncs + i
	b.typ = b.m.types[b.m.funcTypes[b.index]]
	b.d = decoder{reader: b.m.bodies[i], limits: &b.m.limits, labels: b.d.labels[:0]}
	b.code, b.loops, b.calls, b.copies = b.code[:0], b.loops[:0], false, false
	b.blocks, b.loopCount = 0, 0
	b.stack.reset(&b.m.limits, b.index)
	b.charge.reset()
	if err := b.readLocals(); err != nil {
		return err
	}
	b.cost.reset(b.globals, len(b.locals))
	b.kept = kept{}
	b.stack.open(0, nil, b.typ.Results)
	b.charge.add(uint32(len(b.locals)) / 4)
	for len(b.stack.frames) > 0 {
		if b.d.left() == 0 {
			b.stack.at = b.d.pos
			b.stack.fail("the code ends within a block")
			return b.stack.err
		}
		var in instr
		if err := b.d.next(&in); err != nil {
			return b.within(err)
		}
		b.stack.at = in.at
		b.instruction(&in)
		if b.stack.err != nil {
			return b.stack.err
		}
	}
	if b.d.left() > 0 {
		b.stack.at = b.d.pos
		b.stack.fail("%d bytes behind the end", b.d.left())
		return b.stack.err
	}
	return nil
}

// within adds the function to an error of the decoder.
func (b *body) within(err error) error {
	switch e := err.(type) {
	case *FormatError:
		e.Reason = fmt.Sprintf("function %d: %s", b.index, e.Reason)
	case *UnsupportedError:
		e.What = fmt.Sprintf("function %d: %s", b.index, e.What)
	case *LimitError:
		e.What = functionName(e.What+" in", b.index)
	}
	return err
}

func (b *body) readLocals() error {
	b.locals = append(b.locals[:0], b.typ.Params...)
	b.localSlots = 0
	for _, t := range b.typ.Params {
		b.localSlots += slotsOf(t)
	}
	b.groups = b.groups[:0]
	groups, err := b.d.u32("groups of locals")
	for i := uint32(0); i < groups && err == nil; i++ {
		var g localGroup
		if g.n, err = b.d.u32("number of locals"); err == nil {
			g.of, err = b.d.valueType()
		}
		if g.n == 0 || err != nil {
			continue
		}
		b.groups = append(b.groups, g)
		b.localSlots += int(g.n) * slotsOf(g.of)
		for range g.n { // Parse has bounded the sum
			b.locals = append(b.locals, g.of)
		}
	}
	return err
}

// emit keeps an instruction for the result and pays for it.
func (b *body) emit(in *instr) {
	b.used[in.op] = true
	b.charge.add(uint32(in.op.info().weight))
	switch in.op {
	case opCall, opCallIndirect:
		b.calls = true
		b.charge.call()
	case opMemoryCopy, opMemoryFill, opMemoryInit, opTableCopy, opTableFill, opTableInit, opMemoryGrow, opTableGrow:
		b.bulk(in)
	case opLocalSet, opLocalTee:
		if n := slotsOf(b.locals[in.a]); b.localSlots > registers {
			b.kept.slots += n
		} else {
			b.kept.sets += n
		}
	case opRefFunc:
		b.outlive()
	}
	b.cost.instruction(in)
	b.code = append(b.code, *in)
}

// bulk pays for an instruction whose work is as long as an operand says, as far as that is known.
func (b *body) bulk(in *instr) {
	if n, ok := b.constantLength(in.op); ok {
		in.arg = direct
		b.charge.add(weightsPerUnit * (n >> bytesPerUnit))
		return
	}
	if in.op == opMemoryCopy {
		b.copies = true
		b.charge.now.spend(weightsPerUnit * (maxDirect >> bytesPerUnit))
	}
	b.charge.call()
	b.cost.call(4)
	b.outlive()
}

// constantLength returns the length of an instruction for bulk memory if it is short and known.
func (b *body) constantLength(op opcode) (uint32, bool) {
	if op != opMemoryCopy && op != opMemoryFill && op != opMemoryInit || len(b.code) == 0 {
		return 0, false
	}
	last := &b.code[len(b.code)-1]
	n := uint32(last.b)
	return n, last.op == opI32Const && n <= maxDirect
}

// mark keeps an instruction that costs nothing.
func (b *body) mark(in *instr) { b.code = append(b.code, *in) }

// frameBytes returns what a call of the function takes of the stack: the operands and locals that it has
// at one time, and the values that have places of their own.
func (b *body) frameBytes() uint32 {
	slots := b.stack.maxSlots + b.localSlots
	if !b.known {
		slots += b.kept.slots + b.stack.spilled
	}
	if b.copies {
		slots += copyLocals
	}
	for _, t := range b.typ.Results {
		slots += slotsOf(t)
	}
	return uint32(64 + 8*slots)
}
