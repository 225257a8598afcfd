package wasmtest

// Instructions that take no immediate.
const (
	Unreachable = 0x00
	Return      = 0x0f
	Drop        = 0x1a
	I32Add      = 0x6a
	I32Sub      = 0x6b
	End         = 0x0b
)

// Code joins instructions: bytes and byte slices.
func Code(parts ...any) []byte {
	var code []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			code = append(code, byte(p))
		case []byte:
			code = append(code, p...)
		}
	}
	return code
}

// I32Const pushes a number.
func I32Const(n int32) []byte { return append([]byte{0x41}, sleb(int64(n))...) }

// I64Const pushes a number.
func I64Const(n int64) []byte { return append([]byte{0x42}, sleb(n)...) }

// Call calls a function by index.
func Call(i int) []byte { return uleb([]byte{0x10}, uint64(i)) }

// LocalGet pushes a local or parameter.
func LocalGet(i int) []byte { return uleb([]byte{0x20}, uint64(i)) }

// GlobalGet pushes a global.
func GlobalGet(i int) []byte { return uleb([]byte{0x23}, uint64(i)) }

// GlobalSet pops into a global.
func GlobalSet(i int) []byte { return uleb([]byte{0x24}, uint64(i)) }

// I32Load8 pushes the byte at the popped address.
func I32Load8() []byte { return []byte{0x2d, 0, 0} }

// I32Store8 stores the low byte of the popped value at the popped address.
func I32Store8() []byte { return []byte{0x3a, 0, 0} }

// MemoryGrow grows memory by the popped number of pages and pushes the old size or -1.
func MemoryGrow() []byte { return []byte{0x40, 0} }

// Loop runs its body until a branch leaves it out; Branch(0) inside starts it again.
func Loop(body ...any) []byte { return append(append([]byte{0x03, 0x40}, Code(body...)...), End) }

// If runs its body when the popped number is not 0.
func If(body ...any) []byte { return append(append([]byte{0x04, 0x40}, Code(body...)...), End) }

// Branch jumps to a label.
func Branch(depth int) []byte { return uleb([]byte{0x0c}, uint64(depth)) }

// Answer pushes a packed answer at an address.
func Answer(at, n uint32) []byte { return I64Const(int64(uint64(at)<<32 | uint64(n))) }

func sleb(n int64) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if (n == 0 && b&0x40 == 0) || (n == -1 && b&0x40 != 0) {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
