package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Files in which a log is made have its name with tempInfix and a random end.
const (
	tempInfix  = ".new-"
	tempPrefix = plainName + tempInfix
)

// publish is publishAs for the log in a session's folder.
func publish(folder string, first []byte) (*os.File, error) {
	return publishAs(folder, plainName, first)
}

// publishAs makes a log with its first text and returns it locked. It is there whole or not at all: the
// text is written to a temporary file, synced, and given its name by a hard link, which never overwrites.
// The lock is taken before there is a name to open the file by.
func publishAs(folder, name string, first []byte) (_ *os.File, err error) {
	path := filepath.Join(folder, name)
	if err := makeFolders(folder); err != nil {
		return nil, err
	}
	// Windows lets go of the temporary name of an open file if it was opened through a Root.
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	temp := name + tempInfix + rand.Text()
	f, err := dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: making the log: %w", path, err)
	}
	published := false
	defer func() {
		if err == nil {
			return
		}
		f.Close()
		if published {
			err = errors.Join(err, dir.Remove(name))
		}
		dir.Remove(temp)
		if !errors.Is(err, ErrExists) {
			err = fmt.Errorf("making the log: %w", err)
		}
		err = fmt.Errorf("%s: %w", path, err)
	}()
	if err = lock(f); err != nil {
		return nil, err
	}
	if _, err = f.WriteAt(first, 0); err != nil {
		return nil, err
	}
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if err = link(dir, temp, name); err != nil {
		return nil, err
	}
	published = true
	dir.Remove(temp)
	if err = syncFolder(folder); err != nil {
		return nil, err
	}
	return f, nil
}

// link gives the temporary file the name of the log, and fails with ErrExists if there is one.
func link(dir *os.Root, temp, name string) error {
	linkErr := dir.Link(temp, name)
	if linkErr == nil {
		return nil
	}
	// Either the name is taken, or the file system has no hard links, for which there are many errors.
	err := reserve(dir, temp, name)
	if err != nil && !errors.Is(err, ErrExists) {
		return errors.Join(linkErr, err)
	}
	return err
}

// reserve does it without hard links: the one that holds the lock of an empty log may put another file
// in its place. A process that dies in between leaves the empty log for the next one.
func reserve(dir *os.Root, temp, name string) error {
	place, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer place.Close()
	if err := lock(place); errors.Is(err, ErrLocked) {
		return ErrExists
	} else if err != nil {
		return err
	}
	info, err := place.Stat()
	if err != nil {
		return err
	}
	now, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if info.Size() > 0 || !os.SameFile(info, now) {
		return ErrExists
	}
	return dir.Rename(temp, name)
}

// vacant says whether a log is what reserve leaves behind.
func vacant(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Size() == 0 }

// sweep removes the temporary files of processes that died while they made the log. It is called when
// there is a log, so that no other will ever get its name.
func sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), tempPrefix) {
			os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// makeFolders makes a folder and the ones above it, each for its owner alone and there after a failure
// of the machine.
func makeFolders(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		if err := makeFolders(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o700)
	}
	switch {
	case err == nil:
		return syncFolder(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist): // if it is no folder, the first use says so
		// Whoever made it may have died before syncing; a folder that cannot be read is left to its owner.
		if err := syncFolder(filepath.Dir(path)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		return nil
	}
	return err
}

// syncFolder makes the names in a folder survive a failure of the machine.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
