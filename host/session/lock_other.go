//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package session

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// lock refuses: two writers would destroy a log, and nothing here keeps them apart.
func lock(*os.File) error {
	return fmt.Errorf("this build cannot lock files on %s, so logs can only be read: %w", runtime.GOOS, errors.ErrUnsupported)
}
