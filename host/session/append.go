package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// A logFile is a log in a file that is locked for it.
type logFile struct {
	view
	// create makes the file with its first text; it is used as long as there is no file.
	create func(first []byte) (*os.File, error)
	buf    []byte
	// synced is what has reached the disk for certain. doubtful says that a sync has failed since: the
	// system may have given up what it had not written, without saying so again.
	synced   int64
	doubtful bool
}

var _ Log = (*logFile)(nil)

// usable says why the log takes nothing.
func (l *logFile) usable(ctx context.Context) error {
	if l.closed {
		return fmt.Errorf("%s: %w", l.path, ErrClosed)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Append implements [Log]. A batch is one write; in a Zstandard file it is one frame.
func (l *logFile) Append(ctx context.Context, events ...Event) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	if l.f == nil {
		l.buf = append(l.header.AppendJSON(l.buf), '\n')
	}
	var err error
	if l.buf, err = appendLines(l.buf, events, l.next); err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if l.f == nil {
		err = l.begin()
	} else if err = l.Cut(ctx); err == nil {
		err = l.write(l.buf)
	}
	if err != nil {
		return err
	}
	l.next += int64(len(events))
	l.kept = l.next
	return nil
}

// appendLines appends events as lines, and refuses what would not be read back.
func appendLines(dst []byte, events []Event, next int64) ([]byte, error) {
	for i := range events {
		e := &events[i]
		if want := next + int64(i); e.Seq != want {
			return dst, fmt.Errorf("cannot append %s: the next seq is %d", e.describe(), want)
		}
		if rowKind(e.Type) != nil {
			return dst, fmt.Errorf("cannot append %s: this kind is that of packed rows", e.describe())
		}
		if e.raw == nil {
			if bad := checkEnvelope(e); bad != nil {
				return dst, bad
			}
		}
		start := len(dst)
		dst = e.AppendJSON(dst)
		if n := len(dst) - start; n > MaxLine {
			return dst, fmt.Errorf("cannot append %s: it has %d bytes, the limit is %d", e.describe(), n, MaxLine)
		}
		dst = append(dst, '\n')
	}
	return dst, nil
}

func (l *logFile) begin() error {
	f, err := l.create(l.buf)
	if err != nil {
		return err
	}
	l.f = f
	l.end = int64(len(l.buf))
	l.text, l.size, l.limit, l.synced = l.end, l.end, l.end, l.end
	return nil
}

// write appends lines and moves the end, or leaves the file as it was.
func (l *logFile) write(lines []byte) error {
	if err := l.unmoved(); err != nil {
		return err
	}
	text := l.text + int64(len(lines))
	switch {
	case !l.packed:
	case expands(text, l.end): // a reader would refuse it if it were compressed
		lines = appendStored(nil, lines)
	default:
		lines = AppendFrame(nil, lines)
	}
	if _, err := l.f.WriteAt(lines, l.end); err != nil {
		return l.takeBack(err)
	}
	l.end += int64(len(lines))
	l.text, l.size, l.limit = text, l.end, l.end
	return nil
}

// unmoved refuses to touch what a program has added that does not know the lock, and to write to a file
// that is no longer there.
func (l *logFile) unmoved() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Lstat(l.path); err != nil || !os.SameFile(info, named) {
		return fmt.Errorf("%s: %w: this is no longer the file that was opened; open it again", l.path, errMoved)
	}
	if size := info.Size(); size != l.size {
		return fmt.Errorf("%s: %w: it has %d bytes, not %d; close it here and open it again", l.path, errMoved, size, l.size)
	}
	return nil
}

// takeBack undoes a write that failed.
func (l *logFile) takeBack(cause error) error {
	err := l.cut()
	if err == nil {
		return fmt.Errorf("nothing was stored: %w", cause)
	}
	// What is behind the end is cut before anything else is written; until then a reader may see it.
	if info, err := l.f.Stat(); err == nil {
		l.size = info.Size()
	}
	return fmt.Errorf("%w; and cutting the file back to %d bytes failed as well: %w", cause, l.end, err)
}

// Sync implements [Log].
func (l *logFile) Sync(ctx context.Context) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.f == nil || l.synced == l.end {
		return nil
	}
	if l.doubtful {
		if err := l.rewrite(ctx); err != nil {
			return err
		}
	}
	return l.sync()
}

func (l *logFile) sync() error {
	if err := l.f.Sync(); err != nil {
		l.doubtful = true
		return err
	}
	if !l.doubtful {
		l.synced = l.end
	}
	return nil
}

// rewrite stores again what may not have reached the disk, after it has checked that the system still
// has it.
func (l *logFile) rewrite(ctx context.Context) error {
	for _, err := range l.Events(ctx, 0) {
		if err != nil {
			return fmt.Errorf("what was appended since the last sync is lost: %w", err)
		}
	}
	chunk := make([]byte, 1<<20)
	for at := l.synced; at < l.end; {
		n, err := l.f.ReadAt(chunk[:min(int64(len(chunk)), l.end-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%s: %w", l.path, io.ErrUnexpectedEOF)
		}
		if _, err := l.f.WriteAt(chunk[:n], at); err != nil {
			return err
		}
		at += int64(n)
	}
	l.doubtful = false
	return nil
}
