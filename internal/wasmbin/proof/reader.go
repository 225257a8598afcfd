package proof

import "fmt"

// An Error says which property of a module could not be shown.
type Error struct {
	Function int // index of the function, -1 outside of code
	Offset   int // byte offset in the module
	Reason   string
}

func (e *Error) Error() string {
	if e.Function < 0 {
		return fmt.Sprintf("rewritten module not proved, offset 0x%x: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("rewritten module not proved, function %d, offset 0x%x: %s", e.Function, e.Offset, e.Reason)
}

// A reader takes a module apart. After the first fault it only returns zeros, so that a caller may look
// at err once in a while; every loop over a count must look at it.
type reader struct {
	data     []byte
	pos, end int
	err      error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Function: -1, Offset: r.pos, Reason: fmt.Sprintf(format, args...)}
		r.pos = r.end
	}
}

func (r *reader) more() bool { return r.err == nil && r.pos < r.end }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail("cut off")
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

func (r *reader) skip(n int) {
	if n > r.end-r.pos {
		r.fail("cut off")
		return
	}
	r.pos += n
}

// unsigned reads a LEB128 number. What the rewriter writes is as short as it can be, and only that is
// accepted: no two decoders can disagree about it.
func (r *reader) unsigned() uint32 {
	if r.pos < r.end && r.data[r.pos] < 0x80 {
		r.pos++
		return uint32(r.data[r.pos-1])
	}
	v := uint64(0)
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && shift > 0 {
				r.fail("a number is longer than it must be")
			}
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail("a number does not fit in 32 bits")
	return 0
}

// signed reads a signed LEB128 number of up to bits bits, as short as it can be.
func (r *reader) signed(bits int) int64 {
	if r.pos < r.end && r.data[r.pos] < 0x80 {
		r.pos++
		return int64(int8(r.data[r.pos-1]<<1) >> 1)
	}
	v, last := int64(0), byte(0)
	for shift := 0; shift < bits; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			last = b
			continue
		}
		if shift > 0 && (b == 0 && last&0x40 == 0 || b == 0x7f && last&0x40 != 0) {
			r.fail("a number is longer than it must be")
		}
		if shift+7 < 64 {
			v = v << (57 - shift) >> (57 - shift)
		} else if b != 0 && b != 0x7f {
			break
		}
		if limit := int64(1) << (bits - 1); bits < 64 && (v >= limit || v < -limit) {
			break
		}
		return v
	}
	r.fail("a number does not fit in %d bits", bits)
	return 0
}

// count reads a number of items that take at least a byte each.
func (r *reader) count() int {
	n := r.unsigned()
	if r.err == nil && int64(n) > int64(r.end-r.pos) {
		r.fail("%d items announced, %d bytes left", n, r.end-r.pos)
		return 0
	}
	return int(n)
}

// part returns a reader of the next n bytes, whose number stands before them.
func (r *reader) part() reader {
	n := r.count()
	start := r.pos
	r.skip(n)
	return reader{data: r.data, pos: start, end: r.pos, err: r.err}
}

func (r *reader) text() string {
	p := r.part()
	return string(r.data[p.pos:p.end])
}
