package wasmbin

import "fmt"

// An opcode is an instruction: the code of one byte, or miscPrefix or vectorPrefix plus the number that
// follows the prefix byte.
type opcode uint16

const (
	miscPrefix   opcode = 0x100 // behind the byte 0xfc
	vectorPrefix opcode = 0x200 // behind the byte 0xfd
	opcodes             = 0x300
)

// The instructions that something is done about.
const (
	opUnreachable  opcode = 0x00
	opBlock        opcode = 0x02
	opLoop         opcode = 0x03
	opIf           opcode = 0x04
	opElse         opcode = 0x05
	opEnd          opcode = 0x0b
	opBr           opcode = 0x0c
	opBrIf         opcode = 0x0d
	opBrTable      opcode = 0x0e
	opReturn       opcode = 0x0f
	opCall         opcode = 0x10
	opCallIndirect opcode = 0x11
	opDrop         opcode = 0x1a
	opSelect       opcode = 0x1b
	opSelectTyped  opcode = 0x1c
	opLocalGet     opcode = 0x20
	opLocalSet     opcode = 0x21
	opLocalTee     opcode = 0x22
	opGlobalGet    opcode = 0x23
	opGlobalSet    opcode = 0x24
	opTableGet     opcode = 0x25
	opTableSet     opcode = 0x26
	opI32Load      opcode = 0x28
	opI32Store     opcode = 0x36
	opI64Store32   opcode = 0x3e
	opMemorySize   opcode = 0x3f
	opMemoryGrow   opcode = 0x40
	opI32Const     opcode = 0x41
	opI64Const     opcode = 0x42
	opF32Const     opcode = 0x43
	opF64Const     opcode = 0x44
	opI32GtU       opcode = 0x4b
	opI32LeU       opcode = 0x4d
	opI64GtU       opcode = 0x56
	opI64GeS       opcode = 0x59
	opI32Add       opcode = 0x6a
	opI32Sub       opcode = 0x6b
	opI32Mul       opcode = 0x6c
	opI32DivS      opcode = 0x6d
	opI32RemU      opcode = 0x70
	opI64Add       opcode = 0x7c
	opI64Sub       opcode = 0x7d
	opI64Mul       opcode = 0x7e
	opI64DivS      opcode = 0x7f
	opI64RemU      opcode = 0x82
	opI64Shl       opcode = 0x86
	opI64ShrU      opcode = 0x88
	opF32Min       opcode = 0x96
	opF32Max       opcode = 0x97
	opF64Min       opcode = 0xa4
	opF64Max       opcode = 0xa5
	opI32TruncF32S opcode = 0xa8
	opI32TruncF64U opcode = 0xab
	opI64ExtendU   opcode = 0xad
	opI64TruncF32S opcode = 0xae
	opI64TruncF64U opcode = 0xb1
	opRefNull      opcode = 0xd0
	opRefIsNull    opcode = 0xd1
	opRefFunc      opcode = 0xd2
	opMemoryInit          = miscPrefix + 8
	opDataDrop            = miscPrefix + 9
	opMemoryCopy          = miscPrefix + 10
	opMemoryFill          = miscPrefix + 11
	opTableInit           = miscPrefix + 12
	opElemDrop            = miscPrefix + 13
	opTableCopy           = miscPrefix + 14
	opTableGrow           = miscPrefix + 15
	opTableSize           = miscPrefix + 16
	opTableFill           = miscPrefix + 17
	opV128Store           = vectorPrefix + 11
	opV128Const           = vectorPrefix + 12
	opV128Store8          = vectorPrefix + 88
	opV128Store64         = vectorPrefix + 91
	opI64x2Splat          = vectorPrefix + 18
	opI64x2Extract        = vectorPrefix + 29
	opI64x2Replace        = vectorPrefix + 30
)

// A form says which immediates follow an opcode.
type form uint8

const (
	unknownOp      form = iota
	bare                // nothing
	formBlock           // a block type
	formIndex           // an index
	formTwo             // two indices
	formIndexZero       // an index and the memory 0
	formZero            // the memory 0
	formZeroZero        // the memory 0 twice
	formLabels          // a vector of labels and one more
	formTypes           // a vector of value types
	formReftype         // a reference type
	formI32             // constants
	formI64             //
	formF32             //
	formF64             //
	formV128            //
	formMemory          // alignment and offset
	formMemoryLane      // alignment, offset and lane
	formLane            // a lane
	formLanes16         // 16 lanes
)

// An opRow is one line of the tables of instructions. The signature has the operands, a colon and the
// result, where an instruction has always the same; i, I, f, F and v are i32, i64, f32, f64 and v128.
type opRow struct {
	code   uint8
	name   string
	form   form
	sig    string
	weight uint8 // eighths of a unit of fuel
	arg    uint8 // the natural alignment as a power of two, or the number of lanes
}

// opInfo is an opRow as it is used.
type opInfo struct {
	name     string
	form     form
	weight   uint8
	arg      uint8
	operands []ValueType
	result   ValueType // 0: none
}

var instructions = func() (all [opcodes]opInfo) {
	letters := map[rune]ValueType{'i': I32, 'I': I64, 'f': F32, 'F': F64, 'v': V128}
	for base, rows := range map[opcode][]opRow{0: plainOps, miscPrefix: miscOps, vectorPrefix: vectorOps} {
		for _, row := range rows {
			info := opInfo{name: row.name, form: row.form, weight: row.weight, arg: row.arg}
			result := false
			for _, c := range row.sig {
				switch {
				case c == ':':
					result = true
				case result:
					info.result = letters[c]
				default:
					info.operands = append(info.operands, letters[c])
				}
			}
			all[base+opcode(row.code)] = info
		}
	}
	return all
}()

func (op opcode) info() *opInfo { return &instructions[op] }

func (op opcode) String() string {
	if name := op.info().name; name != "" {
		return name
	}
	return fmt.Sprintf("instruction %s", op.hex())
}

func (op opcode) hex() string {
	switch {
	case op >= vectorPrefix:
		return fmt.Sprintf("0xfd %d", op-vectorPrefix)
	case op >= miscPrefix:
		return fmt.Sprintf("0xfc %d", op-miscPrefix)
	}
	return fmt.Sprintf("0x%02x", uint16(op))
}

// stores reports whether the instruction writes memory.
func (op opcode) stores() bool {
	switch {
	case op >= opI32Store && op <= opI64Store32, op >= opV128Store8 && op <= opV128Store64:
		return true
	case op == opV128Store, op == opMemoryInit, op == opMemoryCopy, op == opMemoryFill:
		return true
	}
	return false
}

// proposal names the extension of WebAssembly that an unknown instruction belongs to, "" if none is known.
func proposal(prefix byte, n uint32) string {
	switch {
	case prefix == 0xfd:
		return "relaxed SIMD"
	case prefix == 0xfc && n >= 19 && n <= 22:
		return "wide arithmetic"
	case prefix == 0xfc:
		return ""
	}
	switch prefix {
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		return "exception handling"
	case 0x12, 0x13:
		return "tail calls"
	case 0x14, 0x15, 0xd4, 0xd5, 0xd6:
		return "typed function references"
	case 0xd3, 0xfb:
		return "garbage collection"
	case 0xfe:
		return "threads"
	}
	return ""
}
