package wasmbin

// plain checks an instruction that is not about control.
func (b *body) plain(in *instr) {
	s, m := &b.stack, b.m
	info := in.op.info()
	switch info.form {
	case formMemory, formMemoryLane, formZero, formZeroZero, formIndexZero:
		if m.memories == 0 {
			s.fail("%s without a memory", in.op)
		}
	}
	s.expectAll(info.operands)
	if info.result != 0 {
		s.push(info.result)
	}
	switch in.op {
	case opTableSize:
		b.exists(in.a, len(m.tables), "table")
	case opCall:
		if b.exists(in.a, len(m.funcTypes), "function") {
			b.call(m.types[m.funcTypes[in.a]])
		}
	case opCallIndirect:
		if b.exists(uint32(in.b), len(m.tables), "table") && m.tables[in.b].of != FuncRef {
			s.fail("call_indirect in a table of %s", m.tables[in.b].of)
		}
		if b.exists(in.a, len(m.types), "type") {
			b.call(m.types[in.a])
			b.cost.nanos += tableNanos
		}
	case opDrop:
		s.pop()
	case opSelect:
		b.selectAny()
	case opSelectTyped:
		t := ValueType(in.arg)
		s.expect(t)
		s.expect(t)
		s.push(t)
	case opLocalGet, opLocalSet, opLocalTee:
		b.local(in)
	case opGlobalGet, opGlobalSet:
		b.global(in)
	case opRefNull:
		s.push(ValueType(in.arg))
	case opRefIsNull:
		if t := s.pop(); t != unknown && !t.reference() {
			s.fail("ref.is_null of %s", t)
		}
		s.push(I32)
	case opRefFunc:
		if b.exists(in.a, len(m.funcTypes), "function") && (m.referred == nil || !m.referred[in.a]) {
			s.fail("ref.func of function %d, to which nothing outside of code refers", in.a)
		}
		s.push(FuncRef)
		b.cost.call(1) // a call of the engine
	case opTableGet, opTableSet, opTableGrow, opTableFill, opTableInit, opTableCopy:
		b.table(in)
	case opMemoryInit, opDataDrop:
		if m.dataCount < 0 {
			s.fail("%s without a data count section", in.op)
		}
		b.exists(in.a, int(max(m.dataCount, 0)), "data segment")
	case opElemDrop:
		b.exists(in.a, len(m.elements), "element segment")
	}
}

func (b *body) exists(i uint32, most int, what string) bool {
	if uint64(i) >= uint64(most) {
		b.stack.fail("%s %d does not exist, there are %d", what, i, most)
		return false
	}
	return true
}

func (b *body) call(t FuncType) {
	b.stack.expectAll(t.Params)
	if b.stack.live() {
		b.outlive()
	}
	b.stack.pushAll(t.Results)
	if b.stack.live() {
		b.charge.add(uint32(len(t.Params) + len(t.Results)))
		b.cost.call(len(t.Params) + len(t.Results))
	}
}

// selectAny is the select whose type is that of its operands.
func (b *body) selectAny() {
	s := &b.stack
	t, u := s.pop(), s.pop()
	if t == unknown {
		t, u = u, t
	}
	if t.reference() || u.reference() {
		s.fail("select of %s has to name its type", t)
	}
	if t != u && u != unknown {
		s.fail("select of %s and %s", u, t)
	}
	s.push(t)
}

func (b *body) local(in *instr) {
	s := &b.stack
	if !b.exists(in.a, len(b.locals), "local") {
		return
	}
	t := b.locals[in.a]
	if in.op != opLocalGet {
		s.expect(t)
	}
	if in.op != opLocalSet {
		s.push(t)
	}
}

func (b *body) global(in *instr) {
	s := &b.stack
	if !b.exists(in.a, len(b.m.globals), "global") {
		return
	}
	g := &b.m.globals[in.a]
	if in.op == opGlobalGet {
		s.push(g.of)
		return
	}
	if !g.mutable {
		s.fail("global.set of global %d, which is not mutable", in.a)
	}
	s.expect(g.of)
}

func (b *body) table(in *instr) {
	s, m := &b.stack, b.m
	index := in.a
	if in.op == opTableInit {
		index = uint32(in.b)
	}
	if !b.exists(index, len(m.tables), "table") {
		return
	}
	of := m.tables[index].of
	switch in.op {
	case opTableGet: // the index was taken already
		s.push(of)
	case opTableSet:
		s.expect(of)
		s.expect(I32)
	case opTableGrow:
		s.expect(I32)
		s.expect(of)
		s.push(I32)
	case opTableFill:
		s.expect(I32)
		s.expect(of)
		s.expect(I32)
	case opTableInit:
		if b.exists(in.a, len(m.elements), "element segment") && m.elements[in.a].of != of {
			s.fail("table.init of a table of %s from elements of %s", of, m.elements[in.a].of)
		}
	case opTableCopy:
		if b.exists(uint32(in.b), len(m.tables), "table") && m.tables[in.b].of != of {
			s.fail("table.copy from a table of %s to one of %s", m.tables[in.b].of, of)
		}
	}
}
