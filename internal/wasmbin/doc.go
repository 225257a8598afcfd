// Package wasmbin reads, validates and rewrites WebAssembly binaries of core 2.0.
//
// It is the first thing that sees the bytes of a guest. [Parse] reads the sections and checks them
// against [Limits], so that a module made to exhaust a compiler is refused before a compiler runs.
// [Module.Instrument] validates every instruction by the rules of the specification and writes the
// module anew from what was decoded, with three things added:
//
//   - Fuel. A counter in a global that the guest cannot name is decreased by the weight of the
//     instructions before they run, and looked at where a function or a loop begins and now and then in
//     between: below 0 the host is called. A unit is about a nanosecond of plain code. Instructions
//     whose work is as long as an operand says are done in pieces, and memory.grow asks the host first.
//   - Depth. A second global counts the bytes of the frames of functions that call others.
//   - Exports for the host: the counters, every mutable global, and the start function, which does not
//     start by itself any more.
//
// Indices in a module mean the original: nothing in a guest's code can mean what is added. Code that
// can never run is left out. Everything else means what it meant, traps and their order too; only
// memory.grow and table.grow may answer -1 where they did not.
//
// The package internal/wasmbin/proof shows of the result, without sharing code with this one, that it
// is metered.
//
// Nothing in this package panics on any input or calls itself without a bound, and the work is linear
// in the size of the input.
package wasmbin
