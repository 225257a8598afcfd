//go:build unix

package wazero

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkOwner refuses a directory in which anybody else could put native code: it has to belong to the
// user and be writable by the user alone, and no directory above it may be one in which everybody can
// replace it. That a group may write to those above is common, where each user has a group of their own.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by others (mode %04o)", dir, info.Mode().Perm())
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("%s above it can be written by everybody (mode %04o)", parent, info.Mode().Perm())
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}
