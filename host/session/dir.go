package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// The names of a log in its session's folder.
const (
	plainName  = "session.jsonl"
	packedName = "session.jsonl.zstd"
)

// A Dir is a [Store] in a folder: each session is a JSON Lines file <root>/<id>/session.jsonl, the id
// with every UTF-16 unit outside A-Z a-z 0-9 . _ - written as ~ and four hexadecimal digits (the
// replay-state protocol, section "JSONL storage", "Names"). A session.jsonl.zstd in its place is read and
// written as well. Folders are for their owner alone (0700), and so are files (0600).
//
// Nothing is on disk before a session's first Append, which makes the whole file at once: a session is
// there with its first events, or not at all. From then on its one writer holds an exclusive advisory
// lock on the file, which ends with the process; readers are never blocked. Where files cannot be locked,
// sessions can only be read. For what survives a crash, see [Log].
//
// An empty session.jsonl is no session but what a process can leave that died while it made one, where
// there are no hard links. Create makes the session in its place.
//
// All methods may be called at the same time.
type Dir struct{ root string }

var _ Store = (*Dir)(nil)

// NewDir returns the store in a folder, which need not exist.
func NewDir(root string) *Dir { return &Dir{root: root} }

// Create implements [Store]. It fails for an id that is empty or not text.
func (d *Dir) Create(ctx context.Context, h Header) (Log, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	segment, err := segment(h.ID)
	if err != nil {
		return nil, err
	}
	// A header that could not be read back must not get into a file.
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("session %q: %w", h.ID, err)
	}
	folder := filepath.Join(d.root, segment)
	switch path, err := find(folder); {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return nil, err
	default:
		return nil, fmt.Errorf("%s: %w", path, ErrExists)
	}
	return &logFile{
		view:   view{path: filepath.Join(folder, plainName), header: h},
		create: func(first []byte) (*os.File, error) { return publish(folder, first) },
	}, nil
}

// Open implements [Store]. It refuses a log whose header has another id (IdentityMismatch).
func (d *Dir) Open(ctx context.Context, id string) (Log, error) {
	path, err := d.find(id)
	if err != nil {
		return nil, err
	}
	l, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := l.belongs(id); err != nil {
		l.Close()
		return nil, err
	}
	sweep(filepath.Dir(path))
	return l, nil
}

// View implements [Store]. It refuses a log whose header has another id (IdentityMismatch).
func (d *Dir) View(ctx context.Context, id string) (View, error) {
	path, err := d.find(id)
	if err != nil {
		return nil, err
	}
	v, err := viewFile(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := v.belongs(id); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// List implements [Store]. It reads the headers only, so it does not see damage behind them. Folders
// without a log are left out.
func (d *Dir) List(ctx context.Context) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		entries, err := os.ReadDir(d.root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(Header{}, err)
			return
		}
		for _, entry := range entries {
			if ctx.Err() != nil {
				yield(Header{}, context.Cause(ctx))
				return
			}
			if !entry.IsDir() {
				continue
			}
			h, err := d.headerIn(entry.Name())
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

func (d *Dir) headerIn(folder string) (Header, error) {
	path, err := find(filepath.Join(d.root, folder))
	if err != nil {
		return Header{}, err
	}
	h, err := readHeader(path)
	if err != nil {
		return Header{}, err
	}
	if name, err := segment(h.ID); err != nil || name != folder {
		return Header{}, identityMismatch(path, h.ID, folder)
	}
	return h, nil
}

func (d *Dir) find(id string) (string, error) {
	segment, err := segment(id)
	if err != nil {
		return "", err
	}
	path, err := find(filepath.Join(d.root, segment))
	if errors.Is(err, ErrNotFound) {
		return "", fmt.Errorf("session %q: %w in %s", id, ErrNotFound, d.root)
	}
	return path, err
}

// find returns the log in a session's folder.
func find(folder string) (string, error) {
	var found []string
	for _, name := range [...]string{plainName, packedName} {
		path := filepath.Join(folder, name)
		switch info, err := os.Lstat(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case vacant(info): // whoever creates the session takes its place
		default:
			found = append(found, path)
		}
	}
	switch len(found) {
	case 0:
		return "", ErrNotFound
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: there is %s beside it: which one is the session? move the other one away", found[1], plainName)
}

func (v *view) belongs(id string) error {
	if v.header.ID == id {
		return nil
	}
	return identityMismatch(v.path, v.header.ID, id)
}

func identityMismatch(path, has, wanted string) error {
	return &Error{
		Code: IdentityMismatch, Path: path, Line: 1,
		Detail: fmt.Sprintf("this is the log of session %q, not of %q", has, wanted),
	}
}
