//go:build wasmtime && cgo

package wasmtime

import "syscall"

const (
	// frameBytes is what the frames of a guest may take on the machine's stack. Guests count their frames
	// themselves and stop at half of it (wasmbin.StackBytes), and count more than this compiler takes.
	// Should a guest still get there, wasmtime stops it.
	frameBytes = 8 << 20
	// threadBytes is the stack of a thread where the process has no limit (glibc on amd64).
	threadBytes = 2 << 20
)

// stackBytes returns the limit for the frames of guests. They run on stacks of C threads, whose size is
// the process's limit: a quarter of that is left for the frames of the host functions.
func stackBytes() int {
	limit := syscall.Rlimit{}
	thread := uint64(threadBytes)
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &limit); err == nil && limit.Cur < 1<<40 {
		thread = limit.Cur
	}
	return int(min(frameBytes, thread/4*3))
}
