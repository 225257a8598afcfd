package stream

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// ReadParts reads parts from lines of JSON, each one as soon as its line is there. A part is put in the
// place of the one before, whose texts and JSON stay as they are. Blank lines are skipped.
//
// An error ends the parts: that of r, that of a line which is no JSON object or is longer than 64 MiB, or a
// *[Thrown]. A last line without its line feed counts if it is whole; otherwise the error wraps
// [io.ErrUnexpectedEOF].
func ReadParts(r io.Reader) iter.Seq2[*Part, error] {
	return func(yield func(*Part, error) bool) {
		in := lines{from: r}
		read := parser{texts: &arena{}}
		var p Part
		for n := 1; ; n++ {
			line, whole, err := in.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("parts: line %d: %w", n, err))
				return
			}
			if len(bytes.TrimLeft(line, " \t\r")) == 0 {
				continue
			}
			if err := read.parse(line, &p); err != nil {
				if _, ok := err.(*Thrown); !ok {
					if !whole {
						err = io.ErrUnexpectedEOF
					}
					err = fmt.Errorf("parts: line %d: %w", n, err)
				}
				yield(nil, err)
				return
			}
			if !yield(&p, nil) {
				return
			}
		}
	}
}

// lines cuts what it reads into lines. Their memory is not used again, so that texts may be views of it.
type lines struct {
	from io.Reader
	// buf has what was read, of which begin has been given out, and no line ends before seen.
	buf         []byte
	begin, seen int
	err         error
}

const (
	readSize = 64 << 10
	// maxLine bounds a line, in bytes.
	maxLine = 64 << 20
)

// next returns a line without its end, and whether it had one.
func (l *lines) next() (line []byte, whole bool, err error) {
	for {
		if at := bytes.IndexByte(l.buf[l.seen:], '\n'); at >= 0 {
			end := l.seen + at
			line = l.buf[l.begin:end:end]
			l.begin, l.seen = end+1, end+1
			return line, true, nil
		}
		l.seen = len(l.buf)
		if l.seen-l.begin > maxLine {
			return nil, false, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if l.err != nil {
			if l.err == io.EOF && l.begin < len(l.buf) {
				line = l.buf[l.begin:len(l.buf):len(l.buf)]
				l.begin = len(l.buf)
				return line, false, nil
			}
			return nil, false, l.err
		}
		l.fill()
	}
}

// fill reads more, into new memory when the old is full.
func (l *lines) fill() {
	if len(l.buf) == cap(l.buf) {
		rest := l.buf[l.begin:]
		next := make([]byte, len(rest), max(readSize, 2*len(rest)))
		copy(next, rest)
		l.buf, l.begin, l.seen = next, 0, len(next)
	}
	for range 100 {
		n, err := l.from.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf = l.buf[:len(l.buf)+n]
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
