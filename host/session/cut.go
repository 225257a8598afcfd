package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// keptFrame is how much text a frame gets, about, in which lines of a torn frame are stored again.
const keptFrame = 4 << 20

// Cut implements [Log]. The whole lines of a torn frame are stored again, as they are, in frames of their
// own; if that fails, those that are not stored yet are lost with the rest of it, and Next is before them.
func (l *logFile) Cut(ctx context.Context) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.size == l.end {
		return nil
	}
	if err := l.unmoved(); err != nil {
		return err
	}
	kept, err := l.keptLines()
	if err != nil {
		return err
	}
	next := l.next
	if err := l.cut(); err != nil {
		return fmt.Errorf("%s: cutting the torn end: %w", l.path, err)
	}
	if kept == nil {
		return nil
	}
	if err := l.restore(kept); err != nil {
		return err
	}
	if l.next != next {
		return fmt.Errorf("%s: %w since it was opened: it ends at seq %d now, not at %d", l.path, errMoved, l.next, next)
	}
	return l.Sync(ctx)
}

// keptLines returns a reader of the lines behind the end that count, nil if there are none. It keeps the
// torn frame in memory as it is, as that will be cut.
func (l *logFile) keptLines() (io.Reader, error) {
	if l.kept == l.next {
		return nil, nil
	}
	torn := make([]byte, l.size-l.end)
	if _, err := l.f.ReadAt(torn, l.end); err != nil {
		return nil, fmt.Errorf("%s: reading the torn frame: %w", l.path, err)
	}
	text, err := newFrameText()
	if err != nil {
		return nil, err
	}
	if !text.begin(bufio.NewReaderSize(bytes.NewReader(torn), readBuffer), l.end) {
		return nil, fmt.Errorf("%s: %w", l.path, errMoved)
	}
	return io.LimitReader(text, l.keptText), nil
}

// restore stores lines again.
func (l *logFile) restore(kept io.Reader) error {
	var p parsed
	var batch []byte
	next := l.next
	for lines := newLineReader(kept); ; {
		t, err := lines.next()
		if t.whole {
			r, fault := readLine(&p, &t)
			switch {
			case fault != "":
				return fmt.Errorf("%s: %w: %s", l.path, errMoved, fault)
			case r.left > 0:
				next = r.seq + int64(r.left)
			default:
				next = p.Seq + 1
			}
			batch = append(append(batch, t.text...), '\n')
		}
		if len(batch) >= keptFrame || err != nil && len(batch) > 0 {
			if err := l.write(batch); err != nil {
				return err
			}
			l.next, l.kept = next, next
			batch = batch[:0]
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", l.path, err)
		}
	}
}

func (l *logFile) cut() error {
	if err := l.f.Truncate(l.end); err != nil {
		return err
	}
	l.size, l.limit, l.next = l.end, l.end, l.kept
	return l.sync()
}
