//go:build unix

package hostile

import (
	"syscall"
	"time"
)

// cpuTime is what the process has computed so far, on all cores. On a machine that others use as well it
// says what a call costs; the time that passes does not.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
