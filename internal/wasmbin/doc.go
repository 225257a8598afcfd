// Package wasmbin reads and rewrites the outer structure of WebAssembly binaries (core 2.0).
//
// It is the first thing that sees the bytes of a guest. [Parse] checks the section structure and the
// [Limits] that sections and code bodies show without decoding a single instruction, so that a module
// made to exhaust a compiler is refused before the compiler runs. Instructions are not looked at here:
// the engine validates them, and the rewriter that will meter them belongs in this package.
//
// Nothing in this package panics on any input, and the work is linear in the size of the input.
package wasmbin
