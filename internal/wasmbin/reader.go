package wasmbin

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A FormatError says that the bytes are not a well-formed WebAssembly module.
type FormatError struct {
	Offset int    // byte offset in the file at which reading stopped
	Reason string // what was wrong there
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("not a valid wasm module: %s (at byte %d)", e.Reason, e.Offset)
}

// A LimitError says that a module is larger in some respect than the host accepts.
type LimitError struct {
	What string // for example "functions" or "locals of function 12"
	Got  uint64
	Max  uint64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("module too large: %s: %d, at most %d allowed", e.What, e.Got, e.Max)
}

func functionName(what string, i int) string { return what + " function " + strconv.Itoa(i) }

// An UnsupportedError says that a module uses something beyond core 2.0, or a name that the host keeps
// for itself.
type UnsupportedError struct {
	Offset int    // byte offset in the file, 0: of no one place
	What   string // for example "function 3: an instruction of the proposal tail calls"
}

func (e *UnsupportedError) Error() string {
	if e.Offset == 0 {
		return "module not supported: " + e.What
	}
	return fmt.Sprintf("module not supported: %s (at byte %d)", e.What, e.Offset)
}

// reader walks over data[pos:end]. All errors carry offsets into data, which is the whole file.
type reader struct {
	data     []byte
	pos, end int
}

func (r *reader) fail(format string, args ...any) error {
	return &FormatError{Offset: r.pos, Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) unsupported(format string, args ...any) error {
	return &UnsupportedError{Offset: r.pos, What: fmt.Sprintf(format, args...)}
}

func (r *reader) left() int { return r.end - r.pos }

func (r *reader) byte(what string) (byte, error) {
	if r.pos >= r.end {
		return 0, r.fail("%s is cut off", what)
	}
	b := r.data[r.pos]
	r.pos++
	return b, nil
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32(what string) (uint32, error) {
	v, err := r.uint(what, 32)
	return uint32(v), err
}

func (r *reader) uint(what string, bits uint) (uint64, error) {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b, err := r.byte(what)
		if err != nil {
			return 0, err
		}
		if shift+7 > bits && b>>(bits-shift) != 0 {
			r.pos--
			return 0, r.fail("%s does not fit in %d bits", what, bits)
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
}

// signed reads a signed LEB128 number of at most that many bits, and returns it extended to 64.
func (r *reader) signed(what string, bits uint) (uint64, error) {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b, err := r.byte(what)
		if err != nil {
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if shift+7 >= bits {
			// The last byte that there may be: what lies beyond the sign has to repeat it.
			rest := int8(b<<1) >> (bits - shift)
			if b >= 0x80 || (rest != 0 && rest != -1) {
				r.pos--
				return 0, r.fail("%s does not fit in %d bits", what, bits)
			}
		}
		if b < 0x80 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= ^uint64(0) << (shift + 7)
			}
			return v, nil
		}
	}
}

// fixed reads a little-endian number of n bytes.
func (r *reader) fixed(what string, n int) (v uint64, err error) {
	if err := r.skip(what, n); err != nil {
		return 0, err
	}
	for i := range n {
		v |= uint64(r.data[r.pos-n+i]) << (8 * i)
	}
	return v, nil
}

func (r *reader) skip(what string, n int) error {
	if r.left() < n {
		return r.fail("%s is cut off", what)
	}
	r.pos += n
	return nil
}

// of puts words before an error that begins with what was read.
func of(words string, err error) error {
	if e, ok := err.(*FormatError); ok {
		e.Reason = words + e.Reason
	}
	return err
}

// span reads a length and returns a reader over that many bytes, which are skipped here.
func (r *reader) span(what string) (reader, error) {
	n, err := r.u32(what)
	if err != nil {
		return reader{}, of("size of ", err)
	}
	if uint64(n) > uint64(r.left()) {
		return reader{}, r.fail("%s claims %d bytes, %d are left", what, n, r.left())
	}
	sub := reader{data: r.data, pos: r.pos, end: r.pos + int(n)}
	r.pos = sub.end
	return sub, nil
}

func (r *reader) name(what string, limit int) (string, error) {
	sub, err := r.span(what)
	if err != nil {
		return "", err
	}
	if sub.left() > limit {
		return "", &LimitError{What: "bytes of " + what, Got: uint64(sub.left()), Max: uint64(limit)}
	}
	b := sub.data[sub.pos:sub.end]
	if !utf8.Valid(b) {
		return "", &FormatError{Offset: sub.pos, Reason: what + " is not valid UTF-8"}
	}
	return string(b), nil
}

// count reads the length of a vector. Every element takes at least one byte, so a count beyond the
// bytes that are left is refused before anything is allocated for it.
func (r *reader) count(what string, limit int) (int, error) {
	n, err := r.u32(what)
	if err != nil {
		return 0, of("number of ", err)
	}
	if uint64(n) > uint64(limit) {
		return 0, &LimitError{What: what, Got: uint64(n), Max: uint64(limit)}
	}
	if uint64(n) > uint64(r.left()) {
		return 0, r.fail("%d %s announced, only %d bytes left", n, what, r.left())
	}
	return int(n), nil
}
