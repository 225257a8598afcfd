package session

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// NewZstdScanner returns a scanner for a log in the Zstandard form: the replay-state protocol, section
// "Zstandard form". The first frame holds the header and nothing else, and every other frame whole lines.
// A frame that is not complete, the last one, belongs to the torn tail; the whole lines that can be read
// from it count all the same (see Kept). A complete frame that cannot be read is damage (FrameCorrupt),
// and so is anything else between the frames, also a frame of the kind that readers skip.
//
// A frame without a checksum is accepted if the rest of it is right, as other tools may have written it.
// A frame is refused if it refers back further than 128 MiB or needs a dictionary.
func NewZstdScanner(r io.Reader) *Scanner {
	f := &frames{src: bufio.NewReaderSize(r, readBuffer)}
	f.text, f.err = newFrameText()
	return &Scanner{lines: newLineReader(f), frames: f}
}

// frames reads the text of a log in the Zstandard form, frame by frame.
type frames struct {
	src  *bufio.Reader
	text *frameText
	open bool  // a frame has been begun
	at   int64 // how far the file has been read
	out  int64 // how much text has been given out or waits in header
	from int64 // where the text of the open frame begins
	torn int64 // where the frame begins that is not complete, 0 if there is none
	// header is the text of the first frame, which is read ahead.
	header []byte
	err    error
	// marks are where frames begin, from the one in which the committed text ends.
	marks []frameMark
	// limit is the greatest text offset that a mark is still needed for; no limit if it is 0.
	limit int64
}

// A frameMark is the beginning of a frame, in the text and in the file, and the first seq in it.
type frameMark struct{ text, file, first int64 }

func (f *frames) Read(p []byte) (int, error) {
	for {
		if n := copy(p, f.header); n > 0 {
			f.header = f.header[n:]
			return n, nil
		}
		switch {
		case f.err != nil:
			return 0, f.err
		case f.at == 0:
			f.first()
		case !f.open:
			f.next()
		default:
			n, err := f.text.Read(p)
			f.out += int64(n)
			if n > 0 {
				return n, nil
			}
			if err != nil {
				f.end()
			}
		}
	}
}

// first reads the whole first frame.
func (f *frames) first() {
	f.text.begin(f.src, 0)
	header, _ := io.ReadAll(io.LimitReader(f.text, MaxLine+2)) // it has no error but its end
	what, reason := f.text.fate()
	f.at = f.text.body.at
	f.out = int64(len(header))
	lines := bytes.Count(header, []byte{'\n'})
	switch {
	case len(header) > MaxLine+1:
		f.err = &Error{Code: FrameCorrupt, Detail: "the first frame holds more than a header"}
	case what == frameTorn:
		f.err = headerError(HeaderMissing, "the log is empty, or its first frame is not complete")
	case what != frameWhole:
		f.err = f.fault(what, 0, reason)
	case lines != 1 || header[len(header)-1] != '\n':
		f.err = &Error{Code: FrameCorrupt, End: f.at, Detail: "the first frame does not hold one line, the header"}
	default:
		f.header = header
		f.mark()
	}
}

// next begins the next frame.
func (f *frames) next() {
	switch _, err := f.src.Peek(1); {
	case err != nil:
		f.err = err // io.EOF, if all is well
	case f.text.begin(f.src, f.at):
		f.open, f.from = true, f.out
	default:
		f.end()
	}
}

// end judges a frame that has been read.
func (f *frames) end() {
	start := f.at
	f.open, f.at = false, f.text.body.at
	switch what, reason := f.text.fate(); {
	case what == frameTorn:
		f.err, f.torn = io.EOF, start
	case what != frameWhole:
		f.err = f.fault(what, start, reason)
	case f.text.length == 0 || f.text.last != '\n':
		f.err = f.fault(frameBad, start, errors.New("a complete frame does not end with a whole line"))
	default:
		f.mark()
	}
}

// sound reads the frame in which a line is to its end: a line that is wrong in a frame that is damaged is
// the frame's fault.
func (f *frames) sound(offset int64) error {
	if !f.open || offset < f.from {
		return nil
	}
	_, _ = io.Copy(io.Discard, f.text) // what ends it is the frame's fate
	f.end()
	var fault *Error
	if errors.As(f.err, &fault) {
		return fault
	}
	return nil
}

func (f *frames) fault(what fate, start int64, reason error) error {
	if what == frameUnread {
		return reason
	}
	e := &Error{
		Code: FrameCorrupt, Offset: start,
		Detail: fmt.Sprintf("the frame at byte %d cannot be read: %v", start, reason),
	}
	if what == frameBad {
		e.End = f.at
	}
	return e
}

// mark notes that a frame begins where the file has been read to.
func (f *frames) mark() {
	if f.limit == 0 || f.out <= f.limit {
		f.marks = append(f.marks, frameMark{text: f.out, file: f.at})
	}
}

// pass notes that a line has been taken, with the seq of its first event, and drops the marks in front of
// it that are of no use any more.
func (f *frames) pass(offset, seq int64) {
	n := 0
	for n+1 < len(f.marks) && f.marks[n+1].text <= offset {
		n++
	}
	if n > 0 {
		f.marks = append(f.marks[:0], f.marks[n:]...)
	}
	if f.marks[0].text == offset {
		f.marks[0].first = seq
	}
}

// settle says that no more text will be committed.
func (f *frames) settle(safe int64) {
	f.limit = safe
	for len(f.marks) > 1 && f.marks[len(f.marks)-1].text > safe {
		f.marks = f.marks[:len(f.marks)-1]
	}
}

// last is the last frame that begins in the committed text or right behind it.
func (f *frames) last(safe int64) (m frameMark) {
	for _, mark := range f.marks {
		if mark.text <= safe {
			m = mark
		}
	}
	return m
}

func (f *frames) committed(safe int64) int64 { return f.last(safe).file }

func (f *frames) kept(safe, next int64) int64 {
	if m := f.last(safe); m.text < safe {
		return m.first
	}
	return next
}

// encoder compresses frames. It has no state that one frame would leave to the next.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are wrong, always
	}
	return e
})

// AppendFrame appends a frame with a checksum that holds lines, which must end with a line feed. It is
// how a batch is written to a log in the Zstandard form, the header in a frame of its own. Without lines
// there is no frame. It may be called at the same time from several goroutines.
func AppendFrame(dst, lines []byte) []byte {
	if len(lines) == 0 {
		return dst
	}
	return encoder().EncodeAll(lines, dst)
}

// appendStored is AppendFrame without compression, so that a reader gets no more text than it has read
// of the file.
func appendStored(dst, lines []byte) []byte {
	const (
		checksum = 1 << 2
		window   = 7 << 3 // 128 KiB, which is also the size of the largest block
		block    = 128 << 10
	)
	var sum xxh64
	sum.reset()
	sum.write(lines)
	dst = append(append(dst, frameMagic...), checksum, window)
	for {
		part := lines[:min(len(lines), block)]
		lines = lines[len(part):]
		head := uint32(len(part)) << 3
		if len(lines) == 0 {
			head |= 1
		}
		dst = append(append(dst, byte(head), byte(head>>8), byte(head>>16)), part...)
		if len(lines) == 0 {
			return binary.LittleEndian.AppendUint32(dst, uint32(sum.sum()))
		}
	}
}
