package hashline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// MaxFile is how large a file may be that is edited, in bytes.
const MaxFile = 50 << 20

// Why a file is not edited.
var (
	ErrNoWorkspace = errors.New("the path is relative and there is no workspace: give an absolute path")
	ErrNotRegular  = errors.New("not a regular file")
	ErrTooLarge    = fmt.Errorf("the file has more than %d bytes: edit it in another way", MaxFile)
	ErrNotText     = errors.New("the file is not text in UTF-8: edit it in another way")
	ErrChanged     = errors.New("the file has changed meanwhile: read it again")
)

// An Editor edits files one at a time. It is safe for concurrent use.
type Editor struct {
	workspace string
	commit    func(ctx context.Context, path, content string) error
	turn      chan struct{}
}

// NewEditor makes an editor. Relative paths are in workspace, an absolute path or "" for none. commit
// writes the new content of a file, in UTF-8, by way of the host's own tool, and returns when that is done;
// its error is returned as it is. It is given absolute paths, and is called by one goroutine at a time.
func NewEditor(workspace string, commit func(ctx context.Context, path, content string) error) *Editor {
	return &Editor{workspace: workspace, commit: commit, turn: make(chan struct{}, 1)}
}

// Edit makes one edit and returns how many times the old text was replaced. The file must be a regular one
// of at most [MaxFile] bytes, before the edit and after it; text in UTF-8 without NUL characters; and the
// same when the edit has been made as when it was read. A byte order mark stays, and line ends are
// characters as all others. Errors that are not of the file system, of ctx or of commit wrap one of the
// errors of this package.
func (e *Editor) Edit(ctx context.Context, edit Edit) (replaced int, err error) {
	path := filepath.Clean(edit.Path)
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(e.workspace) {
			return 0, fmt.Errorf("%s: %w", edit.Path, ErrNoWorkspace)
		}
		path = filepath.Join(e.workspace, path)
	}
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	source, before, err := read(path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", edit.Path, err)
	}
	edit.New = wtf8.ToUTF8(edit.New)
	text, replaced, err := edit.Replace(source)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", edit.Path, err)
	}
	if err := unchanged(path, before); err != nil {
		return 0, fmt.Errorf("%s: %w", edit.Path, err)
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := e.commit(ctx, path, text); err != nil {
		return 0, err
	}
	return replaced, nil
}

// read reads a file, and says what it was when it was read.
func read(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path) // opening what is no file may wait forever
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, ErrNotRegular
	}
	file, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	opened, err := file.Stat()
	switch {
	case err != nil:
		return "", nil, err
	case !same(info, opened):
		return "", nil, ErrChanged
	case info.Size() > MaxFile:
		return "", nil, ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(file, info.Size()+1))
	switch {
	case err != nil:
		return "", nil, err
	case int64(len(data)) != info.Size():
		return "", nil, ErrChanged
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return "", nil, ErrNotText
	}
	return string(data), info, nil
}

// unchanged looks at a file again.
func unchanged(path string, before fs.FileInfo) error {
	if after, err := os.Stat(path); err != nil || !same(before, after) {
		return ErrChanged
	}
	return nil
}

// same says that nothing has happened to a file: it is the same one on the same device, as long and as old.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
