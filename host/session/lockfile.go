package session

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// LockFile takes a log file as its one writer without reading it: for tools that put another file in the
// place of a log, damaged or not. The lock ends with Close, or with the process. It fails with ErrLocked
// if a writer has the file, and like OpenFile for what is not a regular file.
func LockFile(path string) (io.Closer, error) {
	f, err := openRegular(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("%s: %w: close it there first", path, err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
