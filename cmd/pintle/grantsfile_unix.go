//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openNow opens a pipe without waiting for somebody to write to it.
const openNow = syscall.O_NONBLOCK

// onlyOurs refuses grants that somebody else could have written: the file and its folder have to belong
// to the user and be writable by the user alone.
func onlyOurs(dir string, file fs.FileInfo) error {
	if !file.Mode().IsRegular() {
		return fmt.Errorf("it is not a regular file")
	}
	folder, err := os.Stat(dir)
	if err != nil {
		return err
	}
	for what, info := range map[string]fs.FileInfo{"it": file, "its folder": folder} {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
			return fmt.Errorf("%s belongs to another user", what)
		}
		if mode := info.Mode().Perm(); mode&0o022 != 0 {
			return fmt.Errorf("%s can be written by others (mode %04o)", what, mode)
		}
	}
	return nil
}
