//go:build unix

package runtime

import "syscall"

// openNow opens a pipe without waiting for somebody to write to it.
const openNow = syscall.O_NONBLOCK
