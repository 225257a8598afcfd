package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// OpenFile opens a log file for writing, of this system or of the reference, wherever it lies, under the
// terms of [Store].Open. A file named .zstd or .zst has to be Zstandard, one named .jsonl must not be;
// for any other name the content decides. It refuses what is not a regular file of its own name (a
// symbolic link, a folder, a pipe) and a file that is marked read-only.
func OpenFile(ctx context.Context, path string) (Log, error) {
	l, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// ViewFile opens a log file for reading, under the terms of OpenFile and [Store].View. It takes no lock:
// the view is of the file as it was, also while a writer goes on.
func ViewFile(ctx context.Context, path string) (View, error) {
	v, err := viewFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// A file is what a log needs of an [os.File].
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
}

// A view is the part of a file up to the last event that was stored when it was opened.
type view struct {
	path   string
	packed bool // Zstandard
	header Header
	f      file // nil as long as there is none
	// end is where stored events end and the next one is written; size is where the file does.
	end, size int64
	next      int64
	// A torn frame behind end may hold events as well, from seq kept on; kept is next if it does not. They
	// count as stored, and limit is how much of the file is read for them.
	kept, limit int64
	// text is the length of the text up to end, decompressed, and keptText that of what counts behind it.
	text, keptText int64
	closed         bool
}

var _ View = (*view)(nil)

func (v *view) Header() Header { return v.header }
func (v *view) Next() int64    { return v.next }
func (v *view) Tail() int64    { return v.size - v.end }

func (v *view) Close() error {
	if v.closed || v.f == nil {
		v.closed = true
		return nil
	}
	v.closed = true
	return v.f.Close()
}

func (v *view) Events(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		switch {
		case v.closed:
			yield(Event{}, fmt.Errorf("%s: %w", v.path, ErrClosed))
			return
		case ctx.Err() != nil:
			yield(Event{}, context.Cause(ctx))
			return
		case from < 0:
			yield(Event{}, fmt.Errorf("%s: events from seq %d: the first one is 0", v.path, from))
			return
		case from >= v.next:
			return
		}
		end := v.next
		s := v.scanner(v.limit)
		s.from = from
		for e, err := range s.Events() {
			var damage *Error
			switch {
			case errors.As(err, &damage):
				err = fmt.Errorf("%w since it was opened: %w", errMoved, err) // it was a sound log then
			case err == nil && ctx.Err() != nil:
				err = context.Cause(ctx)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if s.Next() != end {
			yield(Event{}, fmt.Errorf("%s: %w since it was opened: it ends at seq %d now, not at %d", v.path, errMoved, s.Next(), end))
		}
	}
}

// errMoved says that a file changed while it was read, other than by growing.
var errMoved = errors.New("another program has changed the log")

// attempts is how often a file is read that changes meanwhile.
const attempts = 5

func openFile(ctx context.Context, path string) (*logFile, error) {
	for n := 1; ; n++ {
		l, err := openOnce(ctx, path)
		switch {
		case !errors.Is(err, errMoved):
			return l, err
		case n == attempts:
			return nil, fmt.Errorf("%s: %w each time that it was read: stop that program first", path, errMoved)
		}
	}
}

func openOnce(ctx context.Context, path string) (_ *logFile, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f, err := openRegular(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	switch err := lock(f); {
	case errors.Is(err, ErrLocked):
		return nil, fmt.Errorf("%s: %w: close it there first, or only view it here", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	l := &logFile{view: view{path: path, f: f, size: before.Size()}}
	scanErr := l.scan(ctx)
	// Whoever does not know the lock may have written meanwhile, or put another file in place.
	after, err := os.Lstat(path)
	if err != nil || !unchanged(before, after) {
		return nil, errMoved
	}
	return l, scanErr
}

func viewFile(ctx context.Context, path string) (*view, error) {
	for n := 1; ; n++ {
		v, err := viewOnce(ctx, path, n < attempts)
		if !errors.Is(err, errMoved) || n == attempts {
			return v, err
		}
	}
}

// viewOnce returns errMoved, if it may, when it may have read what a writer has taken back meanwhile.
func viewOnce(ctx context.Context, path string, again bool) (_ *view, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	v := &view{path: path, f: f, size: before.Size()}
	scanErr := v.scan(ctx)
	after, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case after.Size() < v.end, scanErr != nil && again && !unchanged(before, after):
		return nil, fmt.Errorf("%s: %w", path, errMoved)
	}
	return v, scanErr
}

// unchanged says whether a file is still the same, by device, inode, size and time.
func unchanged(before, after fs.FileInfo) bool {
	return os.SameFile(before, after) && before.Size() == after.Size() && before.ModTime().Equal(after.ModTime())
}

// openRegular opens a file for what it is, and no other by its name.
func openRegular(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		if to, err := filepath.EvalSymlinks(path); err == nil {
			return nil, fmt.Errorf("%s: a symbolic link is not a log; name the file itself: %s", path, to)
		}
		return nil, fmt.Errorf("%s: a symbolic link is not a log, and this one leads nowhere", path)
	case mode.IsDir():
		return nil, fmt.Errorf("%s: a folder is not a log; name the file in it", path)
	case !mode.IsRegular():
		return nil, fmt.Errorf("%s: not a regular file (%s), so not a log", path, mode.Type())
	case flag != os.O_RDONLY && mode.Perm()&0o200 == 0:
		return nil, fmt.Errorf("%s: the file is marked read-only (%s); view it, or make it writable", path, mode)
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s: %w", path, errMoved)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
