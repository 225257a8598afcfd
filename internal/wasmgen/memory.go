package wasmgen

// A memoryAccess is a load or a store.
type memoryAccess struct {
	code  []byte
	align int  // largest alignment, as a power of two
	of    byte // what is loaded or stored
	store bool
}

var accesses = func() []memoryAccess {
	var list []memoryAccess
	for i, align := range []int{2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2} { // 0x28…0x35
		of := []byte{i32, i64, f32, f64, i32, i32, i32, i32, i64, i64, i64, i64, i64, i64}[i]
		list = append(list, memoryAccess{code: []byte{byte(0x28 + i)}, align: align, of: of})
	}
	for i, align := range []int{2, 3, 2, 3, 0, 1, 0, 1, 2} { // 0x36…0x3e
		of := []byte{i32, i64, f32, f64, i32, i32, i64, i64, i64}[i]
		list = append(list, memoryAccess{code: []byte{byte(0x36 + i)}, align: align, of: of, store: true})
	}
	for op, align := range []int{4, 3, 3, 3, 3, 3, 3, 0, 1, 2, 3, 4} {
		list = append(list, memoryAccess{code: []byte{0xfd, byte(op)}, align: align, of: v128, store: op == 11})
	}
	return append(list, memoryAccess{code: []byte{0xfd, 92}, align: 2, of: v128},
		memoryAccess{code: []byte{0xfd, 93}, align: 3, of: v128})
}()

// address makes the operand on top a small address, most of the time.
func (b *body) address() {
	if b.most(50) {
		b.i32(0xfff)
		b.emit(0x71)
	}
}

func (b *body) memarg(align int) {
	b.code = uleb(b.code, uint64(b.below(align+1)))
	offset := uint64(b.below(64))
	if b.one(100) {
		offset = b.bits() & 0xffffffff
	}
	b.code = uleb(b.code, offset)
}

func (b *body) access() {
	if !b.memory {
		return
	}
	a := accesses[b.below(len(accesses))]
	b.need(i32)
	b.address()
	if !a.store {
		b.emit(a.code...)
		b.memarg(a.align)
		b.pushed(a.of)
		return
	}
	b.pushed(i32)
	b.push(a.of)
	b.stack = b.stack[:len(b.stack)-2]
	b.emit(a.code...)
	b.memarg(a.align)
}

// lanes emits the vector instructions that name a lane.
func (b *body) lanes() {
	kind := b.below(4)
	if kind == 3 && !b.memory {
		kind = 0
	}
	switch kind {
	case 0:
		b.need(v128, v128)
		b.emit(0xfd, 13)
		for range 16 {
			b.emit(byte(b.below(32)))
		}
		b.pushed(v128)
	case 1:
		i := b.below(8)
		b.need(v128)
		b.emit(0xfd, []byte{21, 22, 24, 25, 27, 29, 31, 33}[i], byte(b.below([]int{16, 16, 8, 8, 4, 2, 4, 2}[i])))
		b.pushed([]byte{i32, i32, i32, i32, i32, i64, f32, f64}[i])
	case 2:
		i := b.below(6)
		b.need(v128, []byte{i32, i32, i32, i64, f32, f64}[i])
		b.emit(0xfd, []byte{23, 26, 28, 30, 32, 34}[i], byte(b.below([]int{16, 8, 4, 2, 4, 2}[i])))
		b.pushed(v128)
	case 3:
		size, store := b.below(4), b.below(2)
		b.need(i32)
		b.address()
		b.pushed(i32)
		b.push(v128)
		b.stack = b.stack[:len(b.stack)-2]
		b.emit(0xfd, byte(84+4*store+size))
		b.memarg(size)
		b.emit(byte(b.below(16 >> size)))
		if store == 0 {
			b.pushed(v128)
		}
	}
}

// extent pushes places for a bulk operation and its length: most of the time such that it stays in bounds.
func (b *body) extent(places int) {
	kind := b.below(40)
	large := max(b.pages*65536-5000, 0)
	for range places {
		switch kind {
		case 38:
			b.i32(65536*int64(b.pages) - int64(b.below(300)))
		case 39:
			b.operand(i32)
		default:
			b.i32(int64(b.below(5000)))
		}
	}
	switch kind {
	case 10, 11:
		b.masked(0xff)
	case 12, 13:
		b.i32(int64(max(large-b.below(6000), 0))) // more than one piece
	case 39:
		b.operand(i32)
	default:
		b.i32(int64(b.below(300)))
	}
}

// masked pushes a computed i32 below a bound.
func (b *body) masked(mask int64) {
	b.operand(i32)
	b.i32(mask)
	b.emit(0x71)
}

func (b *body) bulk() {
	if !b.memory {
		return
	}
	switch b.below(6) {
	case 0:
		b.emit(0x3f, 0)
		b.pushed(i32)
	case 1:
		b.i32(int64(b.below(3)))
		if b.one(8) {
			b.emit(0x1a)
			b.operand(i32)
		}
		b.emit(0x40, 0)
		b.pushed(i32)
	case 2:
		b.extent(2)
		b.emit(0xfc, 10, 0, 0)
	case 3:
		b.i32(int64(b.below(5000)))
		b.i32(int64(b.below(256)))
		b.masked(0x3fff)
		b.emit(0xfc, 11, 0)
	case 4:
		b.extent(1)
		// The value stands between place and length.
		b.index(0x21, b.scratch[i32])
		b.i32(int64(b.below(256)))
		b.index(0x20, b.scratch[i32])
		b.emit(0xfc, 11, 0)
	case 5:
		b.fromSegment()
	}
}

// fromSegment emits the instructions for data segments.
func (b *body) fromSegment() {
	i := b.below(len(b.data) + 1)
	// Passive segments alone: wazero leaves the bytes of an active one where memory.init still finds them.
	if i == len(b.data) || !b.data[i].passive {
		return
	}
	if b.one(12) {
		b.emit(0xfc, 9, byte(i))
		return
	}
	b.i32(int64(b.below(5000)))
	b.within(b.data[i].size)
	b.emit(0xfc, 8, byte(i), 0)
}

// within pushes a place and a number of items in a row of a size, rarely beyond it.
func (b *body) within(size int) {
	from := b.below(size + 1)
	n := b.below(size - from + 1)
	if b.one(60) {
		n++
	}
	b.i32(int64(from))
	b.i32(int64(n))
}

func (b *body) tableOperation() {
	if len(b.tables) == 0 {
		return
	}
	at := b.below(len(b.tables))
	of := b.tables[at].of
	size := b.tables[at].size
	if size == 0 && b.most(60) {
		return
	}
	entry := func() {
		i := b.below(max(size, 1))
		if b.one(60) {
			i = size
		}
		b.i32(int64(i))
	}
	switch b.below(8) {
	case 0:
		entry()
		b.index(0x25, at)
		b.pushed(of)
	case 1:
		entry()
		b.operand(of)
		b.index(0x26, at)
	case 2:
		b.emit(0xfc)
		b.index(16, at)
		b.pushed(i32)
	case 3:
		b.operand(of)
		b.i32(int64(b.below(4)))
		b.emit(0xfc)
		b.index(15, at)
		b.pushed(i32)
	case 4:
		from := b.below(size + 1)
		b.i32(int64(from))
		b.operand(of)
		b.i32(int64(b.below(size - from + 1)))
		b.emit(0xfc)
		b.index(17, at)
	case 5:
		from, _ := b.table(of)
		both := min(size, b.tables[from].size)
		b.i32(int64(b.below(both/2 + 1)))
		b.within(both / 2)
		b.emit(0xfc, 14, byte(at), byte(from))
	case 6, 7:
		b.fromElements(at)
	}
}

// fromElements emits the instructions for element segments.
func (b *body) fromElements(at int) {
	i := b.below(len(b.elements) + 1)
	if i == len(b.elements) || b.tables[at].of != funcref {
		return
	}
	if s := b.elements[i]; b.one(12) {
		b.emit(0xfc, 13, byte(i))
	} else if n := min(s.size, b.tables[at].size); s.passive || n == 0 || b.one(12) {
		b.i32(0)
		b.within(n)
		b.emit(0xfc, 12, byte(i), byte(at))
	}
}
