package wasmgen

import "encoding/binary"

// instruction emits one instruction and what it needs.
func (b *body) instruction() {
	switch b.below(16) {
	case 0, 1, 2, 3:
		b.numeric(operations[b.below(scalars)])
	case 4:
		b.numeric(operations[scalars+b.below(len(operations)-scalars)])
	case 5:
		b.open()
	case 6:
		b.branch()
	case 7, 8:
		b.variable()
	case 9:
		b.call()
	case 10, 11:
		b.access()
	case 12:
		b.bulk()
	case 13:
		b.tableOperation()
	case 14:
		b.lanes()
	case 15:
		b.parametric()
	}
}

func (b *body) numeric(op operation) {
	b.need(op.in...)
	if op.trap && b.most(40) {
		b.tame(op)
	}
	b.emit(op.code...)
	b.pushed(op.out)
	if op.nan {
		b.canonical(op)
	}
}

// tame makes the operand on top one that does not trap. In dead code it must not take operands that are
// not there, but a trapping instruction always has one.
func (b *body) tame(op operation) {
	switch op.in[len(op.in)-1] {
	case i32:
		b.emit(0x41, 3, 0x72) // or 3: not 0
	case i64:
		b.emit(0x42, 3, 0x84)
	case f32: // from 0 to 2: without the sign and the highest bit of the exponent
		b.emit(0xbc)
		b.i32(0x3fffffff)
		b.emit(0x71, 0xbe)
	case f64:
		b.emit(0xbd)
		b.code = sleb(append(b.code, 0x42), 1<<62-1)
		b.emit(0x83, 0xbf)
	}
}

// canonical replaces a NaN on top of the stack by one with fixed bits.
func (b *body) canonical(op operation) {
	tmp := b.scratch[op.out]
	b.index(0x22, tmp)
	nan := binary.LittleEndian.AppendUint32([]byte{0x43}, 0x7fc00000)
	equal := []byte{0x5b}
	switch op.out {
	case f64:
		nan = binary.LittleEndian.AppendUint64([]byte{0x44}, 0x7ff8000000000000)
		equal = []byte{0x61}
	case v128:
		n, _ := binary.Uvarint(op.code[1:])
		half := uint64(0x7fc000007fc00000)
		equal = []byte{0xfd, 65}
		if doubles(int(n)) {
			half, equal = 0x7ff8000000000000, []byte{0xfd, 71}
		}
		nan = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{0xfd, 12}, half), half)
	}
	b.emit(nan...)
	b.index(0x20, tmp)
	b.index(0x20, tmp)
	b.emit(equal...)
	if op.out == v128 {
		b.emit(0xfd, 82)
	} else {
		b.emit(0x1b)
	}
}

// variable sets a local or a global, or keeps what it sets.
func (b *body) variable() {
	n := len(b.locals)
	switch b.below(3) {
	case 0:
		i := b.below(n)
		b.need(b.locals[i])
		b.index(0x21, i)
	case 1:
		i := b.below(n)
		b.need(b.locals[i])
		b.index(0x22, i)
		b.pushed(b.locals[i])
	case 2:
		of := b.valueType()
		if i, ok := b.global(of, true); ok {
			b.need(of)
			b.index(0x24, i)
		}
	}
}

func (b *body) parametric() {
	switch b.below(6) {
	case 0:
		of := b.valueType()
		b.need(of)
		b.discard(of)
	case 1:
		t := [...]byte{i32, i64, f32, f64, v128}[b.below(5)]
		b.need(t, t, i32)
		b.emit(0x1b)
		b.pushed(t)
	case 2:
		t := b.valueType()
		b.need(t, t, i32)
		b.emit(0x1c, 1, t)
		b.pushed(t)
	case 3:
		t := [...]byte{funcref, externref}[b.below(2)]
		b.need(t)
		b.emit(0xd1)
		b.pushed(i32)
	case 4:
		b.emit(0x01)
	case 5:
		if b.one(40) {
			b.emit(0x00)
			b.leave()
		}
	}
}
