package wasmbin

import "slices"

// instruction checks one instruction by its rule and keeps it if it can run.
func (b *body) instruction(in *instr) {
	s := &b.stack
	live := s.live()
	switch in.op {
	case opBlock, opLoop, opIf:
		b.block(in, live)
	case opElse:
		b.elseArm(in)
	case opEnd:
		b.end(in)
	case opUnreachable, opBr, opBrIf, opBrTable, opReturn:
		b.branch(in, live)
	default:
		b.plain(in)
		if live && s.err == nil {
			b.emit(in)
		}
	}
	if b.charge.open && b.charge.due() {
		b.charge.check(len(b.code), 0)
	}
}

func (b *body) block(in *instr, live bool) {
	s := &b.stack
	params, results := b.blockType(int64(in.b))
	if in.op == opIf {
		s.expect(I32)
	}
	s.expectAll(params)
	if b.blocks++; b.blocks > b.m.limits.Blocks {
		s.tooMany("blocks of", b.blocks, b.m.limits.Blocks)
	}
	s.open(in.op, params, results)
	if !live || s.err != nil {
		return
	}
	b.emit(in)
	c := &b.charge
	if in.op == opLoop {
		c.add(carriedWeight * uint32(len(params)))
	}
	if in.op != opBlock {
		c.end()
	}
	f := s.top()
	f.sets = b.cost.sets
	b.cost.nanos += carriedNanos * uint64(len(params)+len(results))
	f.run, f.running, f.began = len(c.runs)-1, c.open, c.now
	switch in.op {
	case opLoop:
		if b.loopCount++; b.loopCount > b.m.limits.Loops {
			s.tooMany("loops of", b.loopCount, b.m.limits.Loops)
		}
		b.loops = append(b.loops, len(s.frames)-1)
		b.cost.depths += uint64(len(b.loops))
		c.check(len(b.code), loopWeight)
	case opIf:
		c.begin(len(b.code), f.began)
	}
}

// began returns the account of the place where a frame began.
func (b *body) began(f *frame) account {
	a := f.began
	if r := &b.charge.runs[f.run]; f.running && (r.checked || r.weight > 0) {
		a.payer, a.debt = f.run, 0
	}
	return a
}

// arrive notes that the path that ends here goes on at the end of a frame. Out of a loop it takes what
// was paid before the loop: what is paid in it is paid for each round.
func (b *body) arrive(depth int, a account) {
	s := &b.stack
	to := len(s.frames) - 1 - depth
	f := &s.frames[to]
	f.branches++
	if at := len(b.code); f.last != at {
		f.last = at
		f.from++
	}
	if f.op == opLoop {
		return
	}
	if i, _ := slices.BinarySearch(b.loops, to+1); i < len(b.loops) {
		out := b.charge.used(b.began(&s.frames[b.loops[i]]))
		a.payer, a.debt = out.payer, out.debt
	}
	if f.reached {
		a = b.charge.meet(f.join, a, b.began(f))
	}
	f.join, f.reached = a, true
}

func (b *body) elseArm(in *instr) {
	s := &b.stack
	f := s.top()
	if f.op != opIf {
		s.fail("else without if")
		return
	}
	if s.live() {
		b.charge.end()
		b.arrive(0, b.charge.now)
	}
	s.finish()
	f.op, f.dead = opElse, false
	s.pushAll(f.params)
	if !f.skipped && s.err == nil {
		b.mark(in)
		b.charge.begin(len(b.code), f.began)
	}
}

func (b *body) end(in *instr) {
	s := &b.stack
	c := &b.charge
	f := s.top()
	live, skipped := s.live(), f.skipped
	through := live && (f.op == opBlock || f.op == 0) && !f.reached // one path, which goes on
	if live && !through && f.op != opLoop {
		c.end()
		b.arrive(0, c.now)
	}
	if f.op == opIf {
		if !(FuncType{Params: f.params}).Equal(FuncType{Params: f.results}) {
			s.fail("if without else has the type %s", FuncType{f.params, f.results})
		}
		if !skipped {
			b.arrive(0, f.began)
		}
	}
	closed := *f
	s.close()
	if skipped || s.err != nil {
		return
	}
	b.mark(in)
	b.cost.frame(&closed)
	if closed.branches > 0 {
		b.meet(&closed)
	}
	if closed.op == opLoop {
		b.loops = b.loops[:len(b.loops)-1]
	}
	switch {
	case len(s.frames) == 0:
		c.end()
	case through:
	case closed.op == opLoop && live:
		c.end()
		a := c.used(b.began(&closed))
		a.unchecked, a.tail = c.now.unchecked, c.now.tail
		c.begin(len(b.code), a)
	case closed.reached:
		c.begin(len(b.code), closed.join)
	default: // nothing ever comes here, but it is valid code
		c.begin(len(b.code), c.used(b.began(&closed)))
	}
}

func (b *body) branch(in *instr, live bool) {
	s := &b.stack
	var carried []ValueType
	switch in.op {
	case opBr:
		carried = s.target(in.a).label()
		s.expectAll(carried)
	case opBrIf:
		s.expect(I32)
		carried = s.target(in.a).label()
		s.expectAll(carried)
		s.pushAll(carried)
	case opBrTable:
		carried = b.brTable(in)
	case opReturn:
		carried = s.frames[0].results
		s.expectAll(carried)
		in.b = uint64(len(s.frames) - 1)
	}
	if in.op != opBrIf {
		s.stop()
	}
	if !live || s.err != nil {
		return
	}
	b.emit(in)
	c := &b.charge
	c.add(carriedWeight * uint32(len(carried)))
	c.end()
	switch in.op {
	case opBr, opBrIf:
		b.arrive(int(in.a), c.now)
	case opReturn:
		b.arrive(len(s.frames)-1, c.now)
	case opBrTable:
		for _, l := range b.d.labels[in.b : in.b+uint64(in.a)+1] {
			b.arrive(int(l), c.now)
		}
	}
	if in.op == opBrIf {
		c.begin(len(b.code), c.now)
	}
}

// brTable returns what all labels take.
func (b *body) brTable(in *instr) []ValueType {
	s := &b.stack
	s.expect(I32)
	labels := b.d.labels[in.b : in.b+uint64(in.a)+1]
	last := s.target(labels[in.a]).label()
	for _, l := range labels[:in.a] {
		types := s.target(l).label()
		if len(types) != len(last) {
			s.fail("the labels of br_table take different numbers of operands")
		}
		if s.err != nil {
			return nil
		}
		if len(types) == 0 || &types[0] == &last[0] {
			continue
		}
		b.peek(types)
	}
	s.expectAll(last)
	return last
}

// peek checks the operands on the stack against types and leaves them there.
func (b *body) peek(types []ValueType) {
	s := &b.stack
	f := s.top()
	s.traffic += uint64(len(types))
	for i := len(types) - 1; i >= 0; i-- {
		at := len(s.values) - (len(types) - i)
		if at < f.height {
			if !f.dead {
				s.fail("an operand is missing")
			}
			return
		}
		if got := s.values[at]; got != types[i] && got != unknown {
			s.fail("an operand is %s and not %s", got, types[i])
			return
		}
	}
}

var single = [...]ValueType{I32, I64, F32, F64, V128, FuncRef, ExternRef}

func (b *body) blockType(t int64) (params, results []ValueType) {
	if t >= 0 {
		if t >= int64(len(b.m.types)) {
			b.stack.fail("block of type %d, there are %d", t, len(b.m.types))
			return nil, nil
		}
		return b.m.types[t].Params, b.m.types[t].Results
	}
	if t == -0x40 {
		return nil, nil
	}
	for i := range single {
		if int64(single[i])-0x80 == t {
			return nil, single[i : i+1 : i+1]
		}
	}
	b.stack.fail("unknown block type %d", t)
	return nil, nil
}
