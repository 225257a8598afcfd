package wasmgen

import "bytes"

// blockType writes the type of a block.
func (b *body) blockType(t int) {
	s := b.types[t]
	switch {
	case len(s.Params) == 0 && len(s.Results) == 0:
		b.emit(0x40)
	case len(s.Params) == 0 && len(s.Results) == 1 && b.one(2):
		b.emit(s.Results[0])
	default:
		b.code = sleb(b.code, int64(t))
	}
}

const maxNesting = 12

func (b *body) open() {
	if len(b.frames) >= maxNesting {
		return
	}
	t := b.below(len(b.types))
	s := b.types[t]
	kind := b.below(3)
	if kind == 2 {
		b.need(append(bytes.Clone(s.Params), i32)...)
	} else {
		b.need(s.Params...)
	}
	f := frame{label: s.Results, results: s.Results, params: s.Params, height: len(b.stack), arms: kind == 2}
	if kind == 1 {
		b.loop(t, f)
		return
	}
	b.emit([]byte{0x02, 0, 0x04}[kind])
	b.blockType(t)
	b.frames = append(b.frames, f)
	b.pushed(s.Params...)
}

// loop opens a loop in a block. It is left after a few rounds, so that what stands behind it has its turn.
func (b *body) loop(t int, f frame) {
	counter := b.counter()
	b.i32(int64(1 + b.below(9)))
	b.index(0x21, counter)
	b.emit(0x02)
	b.blockType(t)
	b.frames = append(b.frames, f)
	b.emit(0x03)
	b.blockType(t)
	f.label = f.params
	b.frames = append(b.frames, f)
	b.pushed(f.params...)
	b.index(0x20, counter)
	b.emit(0x45, 0x23, 0, 0x45, 0x72, 0x04, 0x40)
	for _, of := range f.results {
		b.zero(of)
	}
	b.emit(0x0c, 2, 0x0b) // out of the if, the loop, the block
	b.index(0x20, counter)
	b.emit(0x41, 1, 0x6b)
	b.index(0x21, counter)
	b.countDown()
}

func (b *body) closeBlock() {
	f := *b.top()
	if len(b.frames) == 1 {
		for i, of := range b.locals {
			b.index(0x20, i)
			b.discard(of)
		}
	}
	b.coerce(f.results)
	b.stack = b.stack[:f.height]
	if f.arms && (len(f.params) > 0 || len(f.results) > 0 || b.one(2)) {
		b.emit(0x05)
		b.top().arms, b.top().dead = false, false
		b.pushed(f.params...)
		return
	}
	b.emit(0x0b)
	b.frames = b.frames[:len(b.frames)-1]
	b.pushed(f.results...)
}

// label returns the number of a block counted from the inside and what a branch to it brings.
func (b *body) label() (int, []byte) {
	depth := b.below(len(b.frames))
	return depth, b.frames[len(b.frames)-1-depth].label
}

// leave marks what follows as dead.
func (b *body) leave() {
	b.stack = b.stack[:b.top().height]
	b.top().dead = true
}

func (b *body) branch() {
	depth, label := b.label()
	if depth == len(b.frames)-1 && b.most(60) {
		return // seldom out of the function: most of it would not run
	}
	switch b.below(14) {
	case 11:
		b.need(label...)
		b.index(0x0c, depth)
		b.leave()
	case 12:
		b.branchTable(depth, label)
	case 13:
		if b.most(10) {
			return
		}
		b.need(b.result...)
		b.emit(0x0f)
		b.leave()
	default:
		b.need(append(bytes.Clone(label), i32)...)
		b.index(0x0d, depth)
		b.pushed(label...)
	}
}

func (b *body) branchTable(depth int, label []byte) {
	var same []int
	for i := range b.frames {
		if at := len(b.frames) - 1 - i; (at > 0 || i == depth) && string(b.frames[at].label) == string(label) {
			same = append(same, i)
		}
	}
	b.need(append(bytes.Clone(label), i32)...)
	n := b.below(5)
	b.index(0x0e, n)
	for range n {
		b.code = uleb(b.code, uint64(same[b.below(len(same))]))
	}
	b.code = uleb(b.code, uint64(depth))
	b.leave()
}

func (b *body) call() {
	if b.one(3) && b.callIndirect() {
		return
	}
	f := b.below(b.all())
	t := b.typeOf(f)
	b.need(t.Params...)
	b.index(0x10, f)
	b.pushed(t.Results...)
}

func (b *body) callIndirect() bool {
	at, ok := b.table(funcref)
	if !ok {
		return false
	}
	t := b.tables[at]
	var there []int
	for i, f := range t.at {
		if f >= 0 {
			there = append(there, i)
		}
	}
	entry, of := 0, 0
	switch {
	case len(there) > 0 && b.most(30):
		entry = there[b.below(len(there))]
		of = b.typeIndex(t.at[entry]) // which is what code has not changed
	case b.most(10):
		return false
	default:
		entry, of = b.below(t.size+1), b.below(len(b.types))
	}
	s := b.types[of]
	b.need(s.Params...)
	b.i32(int64(entry))
	b.index(0x11, of)
	b.code = uleb(b.code, uint64(at))
	b.pushed(s.Results...)
	return true
}

// table chooses a table of a type.
func (b *body) table(of byte) (int, bool) {
	var kinds []byte
	for _, t := range b.tables {
		kinds = append(kinds, t.of)
	}
	return b.pick(kinds, of)
}
