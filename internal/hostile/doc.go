// Package hostile runs guests that mean harm and tells whether the sandbox holds.
//
// The guests are in testdata/guests/hostile: sources in WebAssembly text, what was assembled from them, and
// a table that says what each of them does and what must happen. What no assembler writes is generated
// here, and attacks that need a host doing things at the same time are scenarios in Go.
//
// Whatever a guest does: the host's memory stays bounded, the call ends in at most twice its budget, the
// error names the guest and the cause, and the next turn works.
package hostile
