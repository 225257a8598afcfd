package runtime

import "time"

// What the limits in the sources leave to a guest is enough for one, but not for a test that was put aside by a
// busy machine in the midst of it, and wants the guest's fuel to be what ends.
func init() { startTime, rehearsalTime = 10*time.Minute, 10*time.Minute }

// SetSpareTime changes how long a program in JavaScript may go on for its last words, until undo is called.
func SetSpareTime(d time.Duration) (undo func()) {
	before := spareTime
	spareTime = d
	return func() { spareTime = before }
}
