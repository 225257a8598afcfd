//go:build !unix

package main

import "io/fs"

// openNow is nothing: no pipes stand among files.
const openNow = 0

// onlyOurs relies on the user's configuration directory being private, as it is on Windows.
func onlyOurs(string, fs.FileInfo) error { return nil }
