package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the greatest length of a line, in bytes without its line feed. A longer one counts as one
// that is not JSON, and is passed over without being held in memory; a writer must not write one.
const MaxLine = 64 << 20

// readBuffer is how much of a log is read at a time.
const readBuffer = 64 << 10

// A lineReader takes a text apart at its line feeds. Memory is bounded by the longest line that it
// gives out.
type lineReader struct {
	r      *bufio.Reader
	joined []byte // a line that is longer than the buffer
	// offset is where the next line starts, number that of the last one, from 1.
	offset, number int64
}

// A textLine is one line. Its text lasts until the next one is read.
type textLine struct {
	text []byte // without the line feed
	// number counts from 1. offset and end are the bytes from which and up to which it goes, its line
	// feed included.
	number, offset, end int64
	// whole says that a line feed ends it, long that it is longer than MaxLine: there is no text then.
	whole, long bool
}

func newLineReader(r io.Reader) lineReader {
	return lineReader{r: bufio.NewReaderSize(r, readBuffer)}
}

// next reads a line. With an error it returns what there is of one; it is empty if there is nothing.
func (l *lineReader) next() (textLine, error) {
	if cap(l.joined) > 1<<20 {
		l.joined = nil
	}
	t := textLine{number: l.number + 1, offset: l.offset}
	part, err := l.r.ReadSlice('\n')
	length := int64(len(part))
	if errors.Is(err, bufio.ErrBufferFull) {
		l.joined = append(l.joined[:0], part...)
		for errors.Is(err, bufio.ErrBufferFull) {
			part, err = l.r.ReadSlice('\n')
			length += int64(len(part))
			if t.long = t.long || length > MaxLine+1; !t.long {
				l.joined = append(l.joined, part...)
			}
		}
		if part = l.joined; t.long {
			part = nil
		}
	}
	t.whole = err == nil
	t.end = t.offset + length
	t.text = bytes.TrimSuffix(part, []byte{'\n'})
	if t.long = t.long || len(t.text) > MaxLine; t.long {
		t.text = nil
	}
	l.offset = t.end
	if length > 0 {
		l.number++
	}
	return t, err
}
