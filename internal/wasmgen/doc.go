// Package wasmgen makes valid WebAssembly modules (core 2.0) out of arbitrary bytes, for tests that
// compare a module with what was made of it.
//
// Every byte string is a program: the bytes are the choices that the generator takes, and when they run
// out it takes the first choice each time, which closes what is open. So a fuzzer that changes, cuts or
// joins bytes changes, cuts or joins programs.
//
// The modules end by themselves. A countdown is taken down at every function entry and loop head; once
// it is used up, functions and loops return at once. They may trap. Results are the same on every
// engine and however often code is moved about: bits of a NaN that WebAssembly leaves open are
// replaced.
//
// Imports are functions of the module "host" and have the signatures of [Hosts]. Every defined function
// is exported as f0, f1, …; the memory as memory; some globals and tables under names of their own.
package wasmgen
