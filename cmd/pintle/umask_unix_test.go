//go:build unix

package main

import "syscall"

// Folders of tests are the user's own: in a container whose umask is 0 others could write into them, and the command
// would keep no compiled code there.
func init() { syscall.Umask(0o022) }
