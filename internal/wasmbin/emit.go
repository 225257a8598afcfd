package wasmbin

// StackBytes is how many bytes of frames may be in use at one time.
const StackBytes = 4 << 20

// emitter writes the bodies of a module.
type emitter struct {
	writer
	m       *Module
	depth   uint32
	bulk    bulk
	newType func(FuncType) uint32
}

// moved returns the index that a function of the original has in the result.
func (m *Module) moved(i uint32) uint32 {
	if i < uint32(m.importedFuncs) {
		return i
	}
	return i + addedImports
}

// body appends a function that was read. A function that calls others counts its frame:
//
//	charge, check
//	global.get depth; i32.const frame; i32.add; global.set depth
//	global.get depth; i32.const StackBytes; i32.gt_u; if; i32.const TickStack; call tick; unreachable; end
//	block (the results of the function)
//	  …
//	end
//	global.get depth; i32.const frame; i32.sub; global.set depth
//
// and a return in it becomes a branch to the end of that block.
func (e *emitter) body(b *body) error {
	if b.copies {
		b.groups = append(b.groups, localGroup{copyLocals, I32})
	}
	e.uint(uint64(len(b.groups)))
	for _, g := range b.groups {
		e.uint(uint64(g.n))
		e.out = append(e.out, byte(g.of))
	}
	runs := b.charge.runs
	e.pay(&runs[0])
	runs = runs[1:]
	frame := int32(b.frameBytes())
	if b.calls {
		e.enter(frame)
		e.op(opBlock)
		e.results(b.typ.Results)
	}
	for i := range b.code {
		for len(runs) > 0 && runs[0].at == i {
			e.pay(&runs[0])
			runs = runs[1:]
		}
		if i == len(b.code)-1 && b.calls {
			e.op(opEnd) // of the added block
			e.leave(frame)
		}
		if err := e.instruction(b, &b.code[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *emitter) enter(frame int32) {
	e.index(opGlobalGet, e.depth)
	e.i32(frame)
	e.op(opI32Add)
	e.index(opGlobalSet, e.depth)
	e.index(opGlobalGet, e.depth)
	e.i32(StackBytes)
	e.op(opI32GtU)
	e.begin(opIf, emptyBlock)
	e.i32(TickStack)
	e.index(opCall, e.tick)
	e.op(opUnreachable, opEnd)
}

func (e *emitter) leave(frame int32) {
	e.index(opGlobalGet, e.depth)
	e.i32(frame)
	e.op(opI32Sub)
	e.index(opGlobalSet, e.depth)
}

func (e *emitter) pay(r *run) {
	if n := r.units(); n > 0 {
		e.charge(n)
	}
	if r.checked {
		e.check()
	}
}

// results writes a block type without parameters.
func (e *emitter) results(ts []ValueType) {
	switch len(ts) {
	case 0:
		e.out = append(e.out, emptyBlock)
	case 1:
		e.out = append(e.out, byte(ts[0]))
	default:
		e.out = appendSigned(e.out, int64(e.newType(FuncType{Results: ts})))
	}
}

func (e *emitter) instruction(b *body, in *instr) error {
	switch in.op {
	case opCall, opRefFunc:
		e.index(in.op, e.m.moved(in.a))
		return nil
	case opReturn:
		if b.calls {
			e.index(opBr, uint32(in.b))
			return nil
		}
	case opMemoryGrow, opMemoryCopy, opMemoryFill, opMemoryInit, opTableCopy, opTableFill, opTableInit, opTableGrow:
		if in.arg == direct {
			break
		}
		helper, err := e.bulk.helper(in)
		if err != nil {
			return err
		}
		helper += uint32(e.m.importedFuncs + addedImports + e.m.Functions)
		if in.op == opMemoryCopy {
			e.memoryCopy(uint32(len(b.locals)), helper)
		} else {
			e.index(opCall, helper)
		}
		return nil
	}
	e.op(in.op)
	switch in.op.info().form {
	case formIndex:
		e.uint(uint64(in.a))
	case formTwo:
		e.uint(uint64(in.a))
		e.uint(in.b)
	case formIndexZero:
		e.uint(uint64(in.a))
		e.out = append(e.out, 0)
	case formZero:
		e.out = append(e.out, 0)
	case formZeroZero:
		e.out = append(e.out, 0, 0)
	case formI32, formI64, formBlock:
		e.out = appendSigned(e.out, int64(in.b))
	case formF32:
		e.out = appendFixed(e.out, in.b, 4)
	case formF64:
		e.out = appendFixed(e.out, in.b, 8)
	case formV128, formLanes16:
		e.out = append(e.out, e.m.file[in.b:in.b+16]...)
	case formLabels:
		e.uint(uint64(in.a))
		for _, l := range b.d.labels[in.b : in.b+uint64(in.a)+1] {
			e.uint(uint64(l))
		}
	case formTypes:
		e.out = append(e.out, 1, in.arg)
	case formReftype, formLane:
		e.out = append(e.out, in.arg)
	case formMemory, formMemoryLane:
		e.out = append(e.out, in.arg)
		e.uint(uint64(in.a))
		if in.op.info().form == formMemoryLane {
			e.out = append(e.out, byte(in.b))
		}
	}
	return nil
}

func appendFixed(dst []byte, bits uint64, n int) []byte {
	for i := range n {
		dst = append(dst, byte(bits>>(8*i)))
	}
	return dst
}
