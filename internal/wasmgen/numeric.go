package wasmgen

// An operation takes operands of fixed types and leaves one result.
type operation struct {
	code []byte
	in   []byte
	out  byte
	nan  bool // the result may be a NaN whose bits are left open
	trap bool // traps on some operands
}

// operations are all numeric instructions without immediates, scalar ones first.
var operations, scalars = func() ([]operation, int) {
	list := scalarOperations()
	return append(list, vectorOperations()...), len(list)
}()

func scalarOperations() []operation {
	var list []operation
	add := func(first, last byte, out byte, in ...byte) {
		for op := int(first); op <= int(last); op++ {
			list = append(list, operation{code: []byte{byte(op)}, in: in, out: out})
		}
	}
	add(0x45, 0x45, i32, i32)
	add(0x46, 0x4f, i32, i32, i32)
	add(0x50, 0x50, i32, i64)
	add(0x51, 0x5a, i32, i64, i64)
	add(0x5b, 0x60, i32, f32, f32)
	add(0x61, 0x66, i32, f64, f64)
	add(0x67, 0x69, i32, i32)
	add(0x6a, 0x78, i32, i32, i32)
	add(0x79, 0x7b, i64, i64)
	add(0x7c, 0x8a, i64, i64, i64)
	add(0x8b, 0x91, f32, f32)
	add(0x92, 0x98, f32, f32, f32)
	add(0x99, 0x9f, f64, f64)
	add(0xa0, 0xa6, f64, f64, f64)
	add(0xa7, 0xa7, i32, i64)
	add(0xa8, 0xa9, i32, f32)
	add(0xaa, 0xab, i32, f64)
	add(0xac, 0xad, i64, i32)
	add(0xae, 0xaf, i64, f32)
	add(0xb0, 0xb1, i64, f64)
	add(0xb2, 0xb3, f32, i32)
	add(0xb4, 0xb5, f32, i64)
	add(0xb6, 0xb6, f32, f64)
	add(0xb7, 0xb8, f64, i32)
	add(0xb9, 0xba, f64, i64)
	add(0xbb, 0xbb, f64, f32)
	add(0xbc, 0xbc, i32, f32)
	add(0xbd, 0xbd, i64, f64)
	add(0xbe, 0xbe, f32, i32)
	add(0xbf, 0xbf, f64, i64)
	add(0xc0, 0xc1, i32, i32)
	add(0xc2, 0xc4, i64, i64)
	for i := range list {
		op := list[i].code[0]
		list[i].trap = within(op, 0x6d, 0x70) || within(op, 0x7f, 0x82) || within(op, 0xa8, 0xab) || within(op, 0xae, 0xb1)
		list[i].nan = within(op, 0x8d, 0x97) || within(op, 0x9b, 0xa5) || op == 0xb6 || op == 0xbb
	}
	saturating := func(op byte, out, in byte) {
		list = append(list, operation{code: []byte{0xfc, op}, in: []byte{in}, out: out})
	}
	for i, in := range []byte{f32, f32, f64, f64} {
		saturating(byte(i), i32, in)
		saturating(byte(i+4), i64, in)
	}
	return list
}

func within(op, first, last byte) bool { return first <= op && op <= last }

func vectorOperations() []operation {
	var list []operation
	add := func(first, last int, out byte, in ...byte) {
		for op := first; op <= last; op++ {
			switch op {
			case 154, 162, 165, 166, 175, 176, 178, 179, 180, 187, 194, 197, 198, 207, 208, 210, 211, 212, 226, 238:
				continue // no instructions
			}
			list = append(list, operation{code: uleb([]byte{0xfd}, uint64(op)), in: in, out: out, nan: vectorNaN(op)})
		}
	}
	for i, in := range []byte{i32, i32, i32, i64, f32, f64} {
		add(15+i, 15+i, v128, in) // splat
	}
	add(14, 14, v128, v128, v128)
	add(35, 76, v128, v128, v128)
	add(77, 77, v128, v128)
	add(78, 81, v128, v128, v128)
	add(82, 82, v128, v128, v128, v128)
	add(83, 83, i32, v128)
	add(94, 98, v128, v128)
	add(103, 106, v128, v128)
	add(116, 117, v128, v128)
	add(122, 122, v128, v128)
	add(124, 129, v128, v128)
	add(148, 148, v128, v128)
	for _, base := range []int{99, 131, 163, 195} {
		add(base, base+1, i32, v128) // all_true, bitmask
	}
	for _, base := range []int{107, 139, 171, 203} {
		add(base, base+2, v128, v128, i32) // shifts
	}
	for _, base := range []int{135, 167, 199} {
		add(base, base+3, v128, v128) // extend
	}
	for _, base := range []int{160, 192, 224, 236} {
		add(base, base+1, v128, v128) // abs, neg
	}
	add(227, 227, v128, v128)
	add(239, 239, v128, v128)
	add(248, 255, v128, v128)
	for _, span := range [][2]int{{101, 102}, {110, 115}, {118, 121}, {123, 123}, {130, 130}, {133, 134}, {142, 147}, {149, 159},
		{174, 191}, {206, 223}, {228, 235}, {240, 247}} {
		add(span[0], span[1], v128, v128, v128)
	}
	return list
}

func vectorNaN(op int) bool {
	switch {
	case op == 94, op == 95, 103 <= op && op <= 106, op == 116, op == 117, op == 122, op == 148:
		return true
	}
	return 227 <= op && op <= 233 || 239 <= op && op <= 245
}

// doubles reports whether the float lanes of a vector instruction's result have 64 bits.
func doubles(op int) bool {
	return op == 95 || op == 116 || op == 117 || op == 122 || op == 148 || op >= 239
}
