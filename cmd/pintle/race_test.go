//go:build race

package main

// raceFactor is by how much the race detector may slow a command down.
const raceFactor = 10
