//go:build !linux

package main

// tty is not there; scripts use it on Linux only.
func tty() { panic("there is no terminal for tests on this system") }
