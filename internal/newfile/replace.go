package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts another text into a file in one step, so that a reader never sees half of one. The file keeps its
// permissions, and stays where a symbolic link leads to; one that is not there is made, for everybody to read.
func Replace(path string, text []byte) error {
	at, mode := path, fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		at = target
	}
	if info, err := os.Stat(at); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(at), ".pintle-*")
	if err != nil {
		return named(err, path)
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), at)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return named(err, path)
	}
	return nil
}
