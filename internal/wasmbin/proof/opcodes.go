package proof

// What an instruction has behind its code.
type immediate byte

const (
	bare      immediate = iota
	blockType           // empty, a value type, or the index of a type
	index               // one index
	indices             // two indices
	labels              // a list of labels and one more
	types               // a list of value types
	access              // alignment and offset
	lane                // one byte
	accessLane
	int32Constant
	int64Constant
	bytes4
	bytes8
	bytes16
)

// An operation is what the proof knows of an instruction: how many operands it takes and leaves, and
// the least that it must be charged. Blocks, branches and calls take and leave what their types say.
type operation struct {
	known     bool
	immediate immediate
	in, out   int8
	weight    uint8
}

type operations [256]operation

type span struct {
	first, last int
	operation
}

func table(spans []span) *operations {
	var t operations
	for _, s := range spans {
		for i := s.first; i <= s.last; i++ {
			s.known = true
			t[i] = s.operation
		}
	}
	return &t
}

func of(i immediate, in, out int8, weight uint8) operation {
	return operation{immediate: i, in: in, out: out, weight: weight}
}

// The least weights are eighths of a unit, which is about a nanosecond. Where much code depends on them
// they are what the engine was measured to take, and lower for what is rare: the proof is about what is
// forgotten, not about how well work is measured. What leaves no machine code behind weighs nothing.
var plain = table([]span{
	{0x00, 0x01, of(bare, 0, 0, 0)},      // unreachable, nop
	{0x02, 0x03, of(blockType, 0, 0, 0)}, // block, loop
	{0x04, 0x04, of(blockType, 1, 0, 1)}, // if
	{0x05, 0x05, of(bare, 0, 0, 0)},      // else
	{0x0b, 0x0b, of(bare, 0, 0, 0)},      // end
	{0x0c, 0x0c, of(index, 0, 0, 1)},     // br
	{0x0d, 0x0d, of(index, 1, 0, 1)},     // br_if
	{0x0e, 0x0e, of(labels, 1, 0, 6)},    // br_table
	{0x0f, 0x0f, of(bare, 0, 0, 1)},      // return
	{0x10, 0x10, of(index, 0, 0, 12)},    // call
	{0x11, 0x11, of(indices, 1, 0, 24)},  // call_indirect
	{0x1a, 0x1a, of(bare, 1, 0, 0)},      // drop
	{0x1b, 0x1b, of(bare, 3, 1, 1)},      // select
	{0x1c, 0x1c, of(types, 3, 1, 1)},     // select t
	{0x20, 0x20, of(index, 0, 1, 0)},     // local.get
	{0x21, 0x21, of(index, 1, 0, 1)},     // local.set
	{0x22, 0x22, of(index, 1, 1, 1)},     // local.tee
	{0x23, 0x23, of(index, 0, 1, 1)},     // global.get
	{0x24, 0x24, of(index, 1, 0, 2)},     // global.set
	{0x25, 0x25, of(index, 1, 1, 2)},     // table.get
	{0x26, 0x26, of(index, 2, 0, 3)},     // table.set
	{0x28, 0x35, of(access, 1, 1, 2)},    // loads
	{0x36, 0x3e, of(access, 2, 0, 2)},    // stores
	{0x3f, 0x3f, of(index, 0, 1, 1)},     // memory.size
	{0x40, 0x40, of(index, 1, 1, 0)},     // memory.grow: charged by pages
	{0x41, 0x41, of(int32Constant, 0, 1, 0)},
	{0x42, 0x42, of(int64Constant, 0, 1, 0)},
	{0x43, 0x43, of(bytes4, 0, 1, 0)},
	{0x44, 0x44, of(bytes8, 0, 1, 0)},
	{0x45, 0x45, of(bare, 1, 1, 1)}, // i32.eqz
	{0x46, 0x4f, of(bare, 2, 1, 1)},
	{0x50, 0x50, of(bare, 1, 1, 1)}, // i64.eqz
	{0x51, 0x66, of(bare, 2, 1, 1)},
	{0x67, 0x69, of(bare, 1, 1, 1)}, // i32.clz …
	{0x6a, 0x6b, of(bare, 2, 1, 1)},
	{0x6c, 0x6c, of(bare, 2, 1, 3)},  // i32.mul
	{0x6d, 0x70, of(bare, 2, 1, 16)}, // i32.div, i32.rem
	{0x71, 0x78, of(bare, 2, 1, 1)},
	{0x79, 0x7b, of(bare, 1, 1, 1)}, // i64.clz …
	{0x7c, 0x7d, of(bare, 2, 1, 1)},
	{0x7e, 0x7e, of(bare, 2, 1, 3)},  // i64.mul
	{0x7f, 0x82, of(bare, 2, 1, 16)}, // i64.div, i64.rem
	{0x83, 0x8a, of(bare, 2, 1, 1)},
	{0x8b, 0x8c, of(bare, 1, 1, 1)},  // f32.abs, f32.neg
	{0x8d, 0x90, of(bare, 1, 1, 3)},  // f32.ceil …
	{0x91, 0x91, of(bare, 1, 1, 24)}, // f32.sqrt
	{0x92, 0x94, of(bare, 2, 1, 3)},
	{0x95, 0x95, of(bare, 2, 1, 16)}, // f32.div
	{0x96, 0x98, of(bare, 2, 1, 3)},
	{0x99, 0x9a, of(bare, 1, 1, 1)},  // f64.abs, f64.neg
	{0x9b, 0x9e, of(bare, 1, 1, 3)},  // f64.ceil …
	{0x9f, 0x9f, of(bare, 1, 1, 24)}, // f64.sqrt
	{0xa0, 0xa2, of(bare, 2, 1, 3)},
	{0xa3, 0xa3, of(bare, 2, 1, 16)}, // f64.div
	{0xa4, 0xa6, of(bare, 2, 1, 3)},
	{0xa7, 0xa7, of(bare, 1, 1, 1)}, // i32.wrap_i64
	{0xa8, 0xab, of(bare, 1, 1, 8)}, // i32.trunc
	{0xac, 0xad, of(bare, 1, 1, 1)}, // i64.extend_i32
	{0xae, 0xb1, of(bare, 1, 1, 8)}, // i64.trunc
	{0xb2, 0xb5, of(bare, 1, 1, 6)}, // f32.convert
	{0xb6, 0xb6, of(bare, 1, 1, 3)}, // f32.demote
	{0xb7, 0xba, of(bare, 1, 1, 6)}, // f64.convert
	{0xbb, 0xbb, of(bare, 1, 1, 3)}, // f64.promote
	{0xbc, 0xc4, of(bare, 1, 1, 1)}, // reinterpret, extend
	{0xd0, 0xd0, of(lane, 0, 1, 0)}, // ref.null
	{0xd1, 0xd1, of(bare, 1, 1, 1)}, // ref.is_null
	{0xd2, 0xd2, of(index, 0, 1, 80)},
})

// Behind the prefix 0xfc.
var misc = table([]span{
	{0, 7, of(bare, 1, 1, 8)},      // trunc_sat
	{8, 8, of(indices, 3, 0, 8)},   // memory.init: beside its length
	{9, 9, of(index, 0, 0, 8)},     // data.drop
	{10, 10, of(indices, 3, 0, 8)}, // memory.copy
	{11, 11, of(index, 3, 0, 8)},   // memory.fill
	{12, 12, of(indices, 3, 0, 8)}, // table.init
	{13, 13, of(index, 0, 0, 8)},   // elem.drop
	{14, 14, of(indices, 3, 0, 8)}, // table.copy
	{15, 15, of(index, 2, 1, 8)},   // table.grow
	{16, 16, of(index, 0, 1, 1)},   // table.size
	{17, 17, of(index, 3, 0, 8)},   // table.fill
})

// Behind the prefix 0xfd.
var vector = table([]span{
	{0, 10, of(access, 1, 1, 2)},
	{11, 11, of(access, 2, 0, 2)},
	{12, 12, of(bytes16, 0, 1, 0)},
	{13, 13, of(bytes16, 2, 1, 4)}, // i8x16.shuffle
	{14, 14, of(bare, 2, 1, 4)},    // i8x16.swizzle
	{15, 20, of(bare, 1, 1, 4)},    // splats
	{21, 22, of(lane, 1, 1, 4)},    // lanes are taken out and put in
	{23, 23, of(lane, 2, 1, 4)},
	{24, 25, of(lane, 1, 1, 4)},
	{26, 26, of(lane, 2, 1, 4)},
	{27, 27, of(lane, 1, 1, 4)},
	{28, 28, of(lane, 2, 1, 4)},
	{29, 29, of(lane, 1, 1, 4)},
	{30, 30, of(lane, 2, 1, 4)},
	{31, 31, of(lane, 1, 1, 4)},
	{32, 32, of(lane, 2, 1, 4)},
	{33, 33, of(lane, 1, 1, 4)},
	{34, 34, of(lane, 2, 1, 4)},
	{35, 76, of(bare, 2, 1, 4)}, // comparisons
	{77, 77, of(bare, 1, 1, 4)},
	{78, 81, of(bare, 2, 1, 4)},
	{82, 82, of(bare, 3, 1, 4)}, // v128.bitselect
	{83, 83, of(bare, 1, 1, 4)},
	{84, 87, of(accessLane, 2, 1, 4)},
	{88, 91, of(accessLane, 2, 0, 4)},
	{92, 93, of(access, 1, 1, 2)},
	{94, 100, of(bare, 1, 1, 4)},
	{101, 102, of(bare, 2, 1, 4)},
	{103, 106, of(bare, 1, 1, 4)},
	{107, 115, of(bare, 2, 1, 4)},
	{116, 117, of(bare, 1, 1, 4)},
	{118, 121, of(bare, 2, 1, 4)},
	{122, 122, of(bare, 1, 1, 4)},
	{123, 123, of(bare, 2, 1, 4)},
	{124, 129, of(bare, 1, 1, 4)},
	{130, 130, of(bare, 2, 1, 4)},
	{131, 132, of(bare, 1, 1, 4)},
	{133, 134, of(bare, 2, 1, 4)},
	{135, 138, of(bare, 1, 1, 4)},
	{139, 147, of(bare, 2, 1, 4)},
	{148, 148, of(bare, 1, 1, 4)},
	{149, 153, of(bare, 2, 1, 4)},
	{155, 159, of(bare, 2, 1, 4)},
	{160, 161, of(bare, 1, 1, 4)},
	{163, 164, of(bare, 1, 1, 4)},
	{167, 170, of(bare, 1, 1, 4)},
	{171, 174, of(bare, 2, 1, 4)},
	{177, 177, of(bare, 2, 1, 4)},
	{181, 186, of(bare, 2, 1, 4)},
	{188, 191, of(bare, 2, 1, 4)},
	{192, 193, of(bare, 1, 1, 4)},
	{195, 196, of(bare, 1, 1, 4)},
	{199, 202, of(bare, 1, 1, 4)},
	{203, 203, of(bare, 2, 1, 4)},
	{204, 204, of(bare, 2, 1, 20)}, // i64x2.shr_s
	{205, 206, of(bare, 2, 1, 4)},
	{209, 209, of(bare, 2, 1, 4)},
	{213, 213, of(bare, 2, 1, 12)}, // i64x2.mul
	{214, 219, of(bare, 2, 1, 4)},
	{220, 223, of(bare, 2, 1, 12)},
	{224, 225, of(bare, 1, 1, 4)},
	{227, 227, of(bare, 1, 1, 20)}, // f32x4.sqrt
	{228, 230, of(bare, 2, 1, 4)},
	{231, 231, of(bare, 2, 1, 20)}, // f32x4.div
	{232, 233, of(bare, 2, 1, 12)}, // f32x4.min, f32x4.max
	{234, 235, of(bare, 2, 1, 4)},
	{236, 237, of(bare, 1, 1, 4)},
	{239, 239, of(bare, 1, 1, 20)}, // f64x2.sqrt
	{240, 242, of(bare, 2, 1, 4)},
	{243, 243, of(bare, 2, 1, 20)}, // f64x2.div
	{244, 245, of(bare, 2, 1, 12)}, // f64x2.min, f64x2.max
	{246, 247, of(bare, 2, 1, 4)},
	{248, 255, of(bare, 1, 1, 4)},
})
