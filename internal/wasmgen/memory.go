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

// length pushes the length of a bulk operation: none, small and constant, more than one piece,
// computed.
func (b *body) length() {
	switch b.below(12) {
	case 5:
		b.i32(int64(b.below(b.pages+1)) * 65536)
	case 6:
		b.i32(60000 + int64(b.below(6000)))
	case 7:
		b.masked(0x1ffff)
	case 8, 9, 10:
		b.masked(0xff)
	case 11:
		b.operand(i32) // mostly out of bounds
	default:
		b.i32(int64(b.below(300)))
	}
}

// place pushes an address for a bulk operation.
func (b *body) place() {
	switch b.below(12) {
	case 9, 10:
		b.masked(0xfff)
	case 11:
		b.i32(65536*int64(1+b.below(b.pages+1)) - int64(b.below(300)))
	default:
		b.i32(int64(b.below(5000)))
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
		b.place()
		b.place()
		b.length()
		b.emit(0xfc, 10, 0, 0)
	case 3:
		b.place()
		b.i32(int64(b.below(256)))
		b.length()
		b.emit(0xfc, 11, 0)
	case 4:
		// Passive segments alone: wazero leaves the bytes of an active one where memory.init still
		// finds them.
		i := b.below(len(b.data) + 1)
		if i == len(b.data) || !b.data[i] {
			return
		}
		b.place()
		b.i32(int64(b.below(8)))
		b.i32(int64(b.below(12)))
		b.emit(0xfc, 8, byte(i), 0)
	case 5:
		if len(b.data) > 0 && b.one(2) {
			b.emit(0xfc, 9, byte(b.below(len(b.data))))
		}
	}
}

func (b *body) tableOperation() {
	if len(b.tables) == 0 {
		return
	}
	at := b.below(len(b.tables))
	of := b.tables[at].of
	size := b.tables[at].size
	if size == 0 && b.most(6) {
		return
	}
	entry := func() {
		i := b.below(size + 1)
		if i == size && b.most(6) {
			i /= 2
		}
		b.i32(int64(i))
	}
	entries := func(n int) { b.i32(int64(b.below(min(n, size/2) + 1))) }
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
		entry()
		b.operand(of)
		entries(8)
		b.emit(0xfc)
		b.index(17, at)
	case 5:
		from, _ := b.table(of)
		entry()
		b.i32(int64(b.below(min(8, b.tables[from].size/2+1))))
		entries(8)
		b.emit(0xfc, 14, byte(at), byte(from))
	case 6:
		if i, ok := b.pick(b.elements, of); ok {
			entry()
			b.i32(int64(b.below(2)))
			entries(3)
			b.emit(0xfc, 12, byte(i), byte(at))
		}
	case 7:
		if len(b.elements) > 0 && b.one(2) {
			b.emit(0xfc, 13, byte(b.below(len(b.elements))))
		}
	}
}
