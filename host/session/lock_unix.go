//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package session

import (
	"os"
	"syscall"
)

// lock takes the file for one writer, until it is closed or the process dies. It fails with ErrLocked if
// another has it, even in this process. Readers do not notice.
func lock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}
