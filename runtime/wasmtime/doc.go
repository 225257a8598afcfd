// Package wasmtime runs guests on wasmtime, the second engine. It needs cgo and is only built with the
// tag wasmtime; without the tag this package is empty.
//
// The engine is there to check the first one, package runtime/wazero, and what is injected into modules:
// the tests of guests pass on both. It is not the engine to run a host on. The bindings are those of
// wasmtime 25, which no longer gets fixes and whose C interface costs about two microseconds for each call
// of a function. What may reach it is therefore kept small: modules are validated before, which also
// keeps out tail calls, since the bindings cannot switch those off; threads and other proposals are off;
// and every module has a wasmtime engine of its own, so that no two share a registry of types.
package wasmtime
