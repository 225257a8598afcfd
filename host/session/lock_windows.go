package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for one writer, until it is closed or the process dies. It fails with ErrLocked if
// another has it, even in this process. Locks are mandatory here, so it lies where no data will ever be:
// readers do not notice.
func lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return os.NewSyscallError("LockFileEx", err)
}
