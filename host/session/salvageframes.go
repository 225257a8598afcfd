package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errBreak says that what follows in a text does not join on to what was before.
var errBreak = errors.New("a part of the text is missing here")

// brokenFrames reads the text of a Zstandard log whatever is wrong with it. Where a frame fails it looks
// for the next one, in the frame too, as its length may be what is wrong.
type brokenFrames struct {
	src   io.ReadSeeker
	buf   *bufio.Reader
	text  *frameText
	open  bool
	at    int64 // where buf is in the file
	out   int64 // how much text there was
	lines int   // of the first frame
	// again is how many bytes have been read a second time, and allowed how many may be. It bounds what a
	// file costs that was made to fail.
	again, allowed int64
	notes          []frameNote
	err            error
}

// A frameNote is an entry of the report, and where in the text it belongs.
type frameNote struct {
	text  int64
	fault *Error
}

func newBrokenFrames(src io.ReadSeeker) (*brokenFrames, error) {
	size, err := src.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = src.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	text, err := newFrameText()
	buf := bufio.NewReaderSize(src, readBuffer)
	return &brokenFrames{src: src, buf: buf, text: text, allowed: 16<<20 + 8*size}, err
}

// Read reads the text. Where a part of it is missing it fails once with errBreak.
func (f *brokenFrames) Read(p []byte) (int, error) {
	for {
		switch {
		case f.err != nil:
			return 0, f.err
		case !f.open:
			if broken := f.next(); broken && f.err == nil {
				return 0, errBreak
			}
		default:
			n, err := f.text.Read(p)
			if f.out += int64(n); f.at == 0 {
				f.lines += bytes.Count(p[:n], []byte{'\n'})
			}
			if n > 0 {
				return n, nil
			}
			if err != nil && f.end() && f.err == nil {
				return 0, errBreak
			}
		}
	}
}

func (f *brokenFrames) note(code Code, from, to int64, detail string) {
	f.notes = append(f.notes, frameNote{f.out, &Error{Code: code, Offset: from, End: to, Detail: detail}})
}

// next goes to the next frame. It returns true if it had to skip something.
func (f *brokenFrames) next() (skipped bool) {
	head, err := f.buf.Peek(len(frameMagic))
	switch {
	case len(head) == 0:
		f.err = err
		return false
	case err != nil && !errors.Is(err, io.EOF):
		f.err = err
		return false
	}
	if string(head) == frameMagic {
		f.open = true
		f.text.begin(f.buf, f.at)
		return false
	}
	from := f.at
	if f.search(); f.err == nil || errors.Is(f.err, io.EOF) {
		code := FrameCorrupt
		if err != nil { // there was not enough for a frame
			code = Torn
		}
		f.note(code, from, f.at, fmt.Sprintf("the %d bytes from byte %d are no frame", f.at-from, from))
	}
	return true
}

// search goes on to the next magic number, or to the end of the file.
func (f *brokenFrames) search() {
	for {
		part, err := f.buf.Peek(f.buf.Size())
		if i := bytes.Index(part, []byte(frameMagic)); i >= 0 {
			f.skip(i)
			return
		}
		if err != nil {
			f.skip(len(part))
			f.err = err
			return
		}
		f.skip(len(part) - len(frameMagic) + 1)
	}
}

func (f *brokenFrames) skip(n int) {
	_, _ = f.buf.Discard(n)
	f.at += int64(n)
}

// end judges a frame that has been read, and finds out where to go on. It returns true if what follows
// does not join on to it.
func (f *brokenFrames) end() (broken bool) {
	start, reached := f.at, f.text.body.at
	f.open, f.at = false, reached
	what, reason := f.text.fate()
	unreadable := fmt.Sprintf("the frame at byte %d cannot be read: %v", start, reason)
	switch what {
	case frameUnread:
		f.err = reason
		return false
	case frameWhole:
		switch {
		case f.text.length == 0 || f.text.last != '\n':
			f.note(FrameCorrupt, start, reached, "a complete frame does not end with a whole line")
		case start == 0 && f.lines != 1:
			f.note(FrameCorrupt, start, reached, "the first frame does not hold one line, the header")
		}
		return false
	}
	// That a frame begins where this one says it ends does not make it as long: one that was cut takes the
	// next ones for its own, and may come out even.
	f.back(start + int64(len(frameMagic)))
	if f.err == nil {
		f.search()
	}
	switch end := errors.Is(f.err, io.EOF); {
	case end && what == frameTorn:
		f.note(Torn, start, f.at, reason.Error())
	case end || f.err == nil:
		f.note(FrameCorrupt, start, f.at, unreadable)
	}
	return true
}

// back returns to a place in a frame that failed, if that has not been done too often.
func (f *brokenFrames) back(to int64) {
	if f.at <= to { // its header was wrong
		f.skip(int(to - f.at))
		return
	}
	if f.again += f.at - to + int64(f.buf.Size()); f.again > f.allowed { // the buffer is filled anew
		return
	}
	if _, err := f.src.Seek(to, io.SeekStart); err != nil {
		f.err = err
		return
	}
	f.buf.Reset(f.src)
	f.at = to
}
