package newfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Exchange lets the file from take the name of another one, to, with its permissions and its owner, while
// that gets the name backup. was is what to was when from was made of it: if it is another file now, or
// has been written to, it is not exchanged. There is a file of the name to at every instant, where there
// are hard links. Exchange fails with an error that is fs.ErrExist if the name backup is taken; unless
// the error says that to is kept as backup, to is as it was.
func Exchange(from, to, backup string, was fs.FileInfo) error {
	if err := likeness(from, was); err != nil {
		return fmt.Errorf("%s: a copy cannot have its permissions and its owner: %w", to, bare(err))
	}
	now, err := os.Lstat(to)
	if err != nil {
		return err
	}
	if !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()) {
		return fmt.Errorf("%s: another program has changed it meanwhile: stop that program first", to)
	}
	err = os.Link(to, backup)
	switch {
	case errors.Is(err, fs.ErrExist):
		return taken(backup)
	case err != nil: // no hard links: there is an instant without the file then
		if err := Rename(to, backup); err != nil {
			return err
		}
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("%s is kept as %s: %w", to, backup, bare(err))
	}
	return nil
}

// likeness gives a file the permissions and the owner of another one.
func likeness(path string, of fs.FileInfo) error {
	if err := ownedAs(path, of); err != nil {
		return err
	}
	return os.Chmod(path, of.Mode().Perm())
}

// bare is an error without the name of a temporary file.
func bare(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
