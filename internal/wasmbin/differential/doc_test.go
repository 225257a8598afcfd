// Package differential_test runs modules twice, as they are and rewritten, and compares everything that
// can be seen from outside after every call: results, traps, memory, globals, calls of host functions.
package differential_test
