// Package newfile makes files, whole or not at all. They never take the place of another one, but by Exchange
// and Replace.
package newfile

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is one that is being made: it has a temporary name until it is committed. The errors of its
// methods name it by the name that it is to have.
type File struct {
	file *os.File
	path string
	done bool
}

// Create begins a file. It fails with an error that is fs.ErrExist if the name is taken.
func Create(path string, mode fs.FileMode) (*File, error) {
	if err := Free(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(Temporary(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, named(err, path)
	}
	return &File{file: f, path: path}, nil
}

// Temporary returns a name beside a file that no other one has, hidden, and short whatever the file's is.
// A process that is killed may leave a file of such a name behind.
func Temporary(path string) string {
	return filepath.Join(filepath.Dir(path), ".pintle-"+rand.Text())
}

// Name is the temporary name.
func (f *File) Name() string { return f.file.Name() }

func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, named(err, f.path)
}

// named puts a file's name in the place of its temporary one.
func named(err error, path string) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}

// Commit syncs the file and gives it its name. If the name has been taken meanwhile it fails with an error
// that is fs.ErrExist, and the file is gone.
func (f *File) Commit() error {
	defer f.Discard()
	if err := f.file.Sync(); err != nil {
		return named(err, f.path)
	}
	if err := f.file.Close(); err != nil {
		return named(err, f.path)
	}
	if err := Rename(f.Name(), f.path); err != nil {
		return named(err, f.path)
	}
	f.done = true
	return nil
}

// Discard removes a file that has not been committed. It can be called at any time, and again.
func (f *File) Discard() {
	if !f.done {
		f.done = true
		f.file.Close()
		os.Remove(f.Name())
	}
}

// Write makes a file with what write gives it. The file is there whole or not at all. If the name is
// taken, at the beginning or at the end, Write fails with an error that is fs.ErrExist and changes
// nothing.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Rename gives a file another name in the same folder, if that is free. It fails with an error that is
// fs.ErrExist if it is not.
func Rename(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return taken(to)
	}
	// A file system without hard links: take the name first, then move over what took it.
	place, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return taken(to)
	}
	if err != nil {
		return err
	}
	if err := place.Close(); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// Free fails with an error that is fs.ErrExist if a name is taken.
func Free(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return taken(path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// taken is the path of a file that is in the way.
type taken string

func (t taken) Error() string { return string(t) + " is there already and is not overwritten" }

func (taken) Is(target error) bool { return target == fs.ErrExist }
