package wasmgen

import "encoding/binary"

// A frame is an open block.
type frame struct {
	label   []byte // what a branch to it brings
	results []byte
	height  int  // operands below it
	dead    bool // behind a branch that is always taken: operands come from nowhere
	arms    bool // an if that may still have an else
	params  []byte
}

// A body is the code of one function under construction. The generator knows the types of all operands.
type body struct {
	*module
	code   []byte
	locals []byte // types, parameters first
	stack  []byte
	frames []frame
	left   int // budget
	// scratch are locals that hold a result for a moment, NaNs of any bits among them: no other code reads them.
	scratch map[byte]int
	result  []byte
	// Behind the locals that code uses stand counters of loops.
	first, counters int
}

// counter returns a local that nothing else uses.
func (b *body) counter() int {
	b.counters++
	return b.first + b.counters - 1
}

// function makes the body of defined function i.
func (m *module) function(i int) []byte {
	t := m.types[m.functions[i]]
	own := append(m.list(5), f32, f64, v128, i32)
	b := &body{module: m, locals: append(append([]byte(nil), t.Params...), own...), result: t.Results}
	b.left = 5 + m.below(bodyBudget)
	n := len(b.locals)
	b.scratch = map[byte]int{f32: n, f64: n + 1, v128: n + 2, i32: n + 3}
	own = append(own, f32, f64, v128, i32)
	b.first = n + 4
	b.frames = []frame{{label: t.Results, results: t.Results}}
	b.tick()
	for len(b.frames) > 0 {
		b.left--
		if b.left <= 0 || b.done() || len(b.frames) > 1 && b.one(10) || b.top().dead && b.one(3) {
			b.closeBlock()
			continue
		}
		b.instruction()
	}
	out := uleb(nil, uint64(len(own)+1))
	for _, t := range own {
		out = append(out, 1, t)
	}
	out = append(uleb(out, uint64(b.counters)), i32)
	return append(out, b.code...)
}

func (b *body) top() *frame { return &b.frames[len(b.frames)-1] }

func (b *body) emit(code ...byte) { b.code = append(b.code, code...) }

func (b *body) index(op byte, i int) { b.code = uleb(append(b.code, op), uint64(i)) }

func (b *body) i32(n int64) { b.code = sleb(append(b.code, 0x41), n) }

// tick takes the countdown down and leaves the function when it is used up.
func (b *body) tick() {
	b.emit(0x23, 0, 0x45, 0x04, 0x40)
	for _, t := range b.result {
		b.zero(t)
	}
	b.emit(0x0f, 0x0b)
	b.countDown()
}

func (b *body) countDown() { b.emit(0x23, 0, 0x41, 1, 0x6b, 0x24, 0) }

func (b *body) zero(of byte) {
	switch of {
	case i32:
		b.emit(0x41, 0)
	case i64:
		b.emit(0x42, 0)
	case f32:
		b.emit(0x43, 0, 0, 0, 0)
	case f64:
		b.emit(0x44, 0, 0, 0, 0, 0, 0, 0, 0)
	case v128:
		b.emit(append([]byte{0xfd, 12}, make([]byte, 16)...)...)
	default:
		b.emit(0xd0, of)
	}
}

// constant appends an instruction that is allowed in a constant expression.
func (m *module) constant(dst []byte, of byte) []byte {
	switch of {
	case i32:
		return sleb(append(dst, 0x41), int64(int32(m.bits())))
	case i64:
		return sleb(append(dst, 0x42), int64(m.bits()))
	case f32:
		return binary.LittleEndian.AppendUint32(append(dst, 0x43), uint32(m.bits()))
	case f64:
		return binary.LittleEndian.AppendUint64(append(dst, 0x44), m.bits())
	case v128:
		dst = binary.LittleEndian.AppendUint64(append(dst, 0xfd, 12), m.bits())
		return binary.LittleEndian.AppendUint64(dst, m.bits())
	case funcref:
		if m.funcrefs && m.one(2) {
			return uleb(append(dst, 0xd2), uint64(m.below(m.all())))
		}
	}
	return append(dst, 0xd0, of)
}

// push leaves a value of a type: a local, a global or a constant.
func (b *body) push(of byte) {
	switch b.below(6) {
	case 0, 1, 2:
		if i, ok := b.pick(b.locals, of); ok {
			b.index(0x20, i)
			break
		}
		b.code = b.constant(b.code, of)
	case 3:
		if i, ok := b.global(of, false); ok {
			b.index(0x23, i)
			break
		}
		fallthrough
	default:
		b.code = b.constant(b.code, of)
	}
	b.stack = append(b.stack, of)
}

// discard takes a value off the stack, most of the time into the digest: else what made it would not be seen.
func (b *body) discard(of byte) {
	if b.one(4) {
		b.emit(0x1a)
		return
	}
	switch of {
	case i32:
		b.emit(0xad)
	case f32:
		b.emit(0xbc, 0xad)
	case f64:
		b.emit(0xbd)
	case v128:
		b.emit(0xfd, 0x1d, byte(b.below(2)))
	case funcref, externref:
		b.emit(0xd1, 0xad)
	}
	b.index(0x23, digest)
	b.emit(0x42, 31, 0x7e, 0x85) // digest * 31 xor value
	b.index(0x24, digest)
}

// operand leaves a value that the next instruction takes.
func (b *body) operand(of byte) {
	b.push(of)
	b.stack = b.stack[:len(b.stack)-1]
}

// pick chooses one of the positions at which a list of types has a type.
func (b *body) pick(list []byte, of byte) (int, bool) {
	var at []int
	for i, t := range list {
		if t == of {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[b.below(len(at))], true
}

// global chooses a global of a type, never the countdown or the digest.
func (b *body) global(of byte, mutable bool) (int, bool) {
	var at []int
	for i, g := range b.globals {
		if i > digest && g.of == of && (g.mutable || !mutable) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[b.below(len(at))], true
}

// need makes the operands on top of the stack be of these types, by those that are there and others,
// and takes them off.
func (b *body) need(types ...byte) {
	f := b.top()
	if f.dead && len(b.stack) == f.height && b.one(2) {
		return // dead code has all operands
	}
	have := b.stack[f.height:]
	n := min(len(types), len(have))
	for n > 0 && string(have[len(have)-n:]) != string(types[:n]) {
		n--
	}
	for _, t := range types[n:] {
		b.push(t)
	}
	b.stack = b.stack[:len(b.stack)-len(types)]
}

// pushed notes the types of the operands that an instruction just emitted pushes.
func (b *body) pushed(types ...byte) { b.stack = append(b.stack, types...) }

// coerce makes the operands of the innermost block exactly these.
func (b *body) coerce(types []byte) {
	f := b.top()
	if f.dead && len(b.stack) == f.height && b.one(2) {
		b.pushed(types...)
		return
	}
	have := b.stack[f.height:]
	n := 0
	for n < min(len(types), len(have)) && have[n] == types[n] {
		n++
	}
	for i := len(have) - 1; i >= n; i-- {
		b.discard(have[i])
	}
	b.stack = b.stack[:f.height+n]
	for _, t := range types[n:] {
		b.push(t)
	}
}
