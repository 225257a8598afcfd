package wasmbin

import "encoding/binary"

// A writer appends instructions in their shortest encoding.
type writer struct {
	out  []byte
	fuel uint32 // index of the global
	tick uint32 // index of the function
}

func (w *writer) op(ops ...opcode) {
	for _, op := range ops {
		switch {
		case op >= vectorPrefix:
			w.out = binary.AppendUvarint(append(w.out, 0xfd), uint64(op-vectorPrefix))
		case op >= miscPrefix:
			w.out = binary.AppendUvarint(append(w.out, 0xfc), uint64(op-miscPrefix))
		default:
			w.out = append(w.out, byte(op))
		}
	}
}

func (w *writer) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// index appends an instruction with one index.
func (w *writer) index(op opcode, i uint32) {
	w.op(op)
	w.uint(uint64(i))
}

func (w *writer) i32(n int32) {
	w.op(opI32Const)
	w.out = appendSigned(w.out, int64(n))
}

func (w *writer) i64(n int64) {
	w.op(opI64Const)
	w.out = appendSigned(w.out, n)
}

// begin opens a block, loop or if with a block type of one byte.
func (w *writer) begin(op opcode, t byte) { w.op(op); w.out = append(w.out, t) }

func appendSigned(dst []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if (n == 0 && b&0x40 == 0) || (n == -1 && b&0x40 != 0) {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

const emptyBlock = 0x40

// charge takes fuel that is known:
//
//	global.get fuel; i64.const n; i64.sub; global.set fuel
func (w *writer) charge(n uint32) {
	w.index(opGlobalGet, w.fuel)
	w.i64(int64(n))
	w.op(opI64Sub)
	w.index(opGlobalSet, w.fuel)
}

// check asks the host when fuel is spent:
//
//	global.get fuel; i64.const 0; i64.ge_s; if; else; i32.const TickFuel; call tick; end
//
// The empty arm comes first because wazero keeps values in registers behind the end as they are behind
// the first arm: with the call there, every value would come from memory after each check.
func (w *writer) check() {
	w.index(opGlobalGet, w.fuel)
	w.i64(0)
	w.op(opI64GeS)
	w.begin(opIf, emptyBlock)
	w.op(opElse)
	w.i32(TickFuel)
	w.index(opCall, w.tick)
	w.op(opEnd)
}
