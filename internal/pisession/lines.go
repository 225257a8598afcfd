package pisession

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the greatest length of a line that is read, in bytes without its line feed. A longer one is
// passed over without being held in memory.
const MaxLine = 64 << 20

// A textLine is one line. Its text lasts until the next one is read, and is nil if it is too long.
type textLine struct {
	text           []byte // without the line feed
	number, offset int64  // the number counts from 1
	length         int64  // in bytes, without the line feed
	whole          bool   // a line feed ends it
}

func (t *textLine) long() bool { return t.length > MaxLine }

// lines takes a text apart at its line feeds. It ends early if each returns an error.
func lines(r io.Reader, each func(t *textLine) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var joined []byte
	t := textLine{}
	for {
		t.number++
		t.text, t.length, t.whole = nil, 0, false
		joined = joined[:0]
		if cap(joined) > 1<<20 {
			joined = nil
		}
		var err error
		for {
			var part []byte
			part, err = in.ReadSlice('\n')
			t.whole = err == nil
			part = bytes.TrimSuffix(part, []byte{'\n'})
			t.length += int64(len(part))
			switch {
			case t.long():
				joined = nil
			case !errors.Is(err, bufio.ErrBufferFull) && len(joined) == 0:
				t.text = part // all of it is in the buffer
			default:
				joined = append(joined, part...)
				t.text = joined
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if t.long() {
			t.text = nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !t.whole && t.length == 0 {
			return nil
		}
		if failed := each(&t); failed != nil || err != nil {
			return failed
		}
		t.offset += t.length + 1
	}
}
