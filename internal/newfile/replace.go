package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts another text into a file in one step, so that a reader never sees half of one. The file keeps its
// permissions, and stays where a symbolic link leads to; one that is not there is made, for everybody to read. A
// device or a pipe gets the text written to it: /dev/null is not for a file to take its place.
func Replace(path string, text []byte) error {
	at, mode := path, fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		at = target
	}
	// By path: what /dev/stdout leads to may have no name of its own.
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return write(path, text)
		}
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

// write puts a text into what is there and is no file.
func write(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
