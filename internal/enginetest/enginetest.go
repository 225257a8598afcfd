// Package enginetest gives tests the engine that they run on, so that one suite serves every engine.
package enginetest

import (
	"testing"

	"github.com/pintle-wasm/pintle/runtime"
)

// New returns the engine under test: wazero, or wasmtime in builds with the tag wasmtime. A test of
// guests uses nothing else, and runs on both engines because the whole suite is run with and without the
// tag.
func New() runtime.Engine { return Cached("") }

// Cached is New with compiled code kept in a folder, by the engine that can.
func Cached(dir string) runtime.Engine {
	all := engines(dir)
	return all[len(all)-1]
}

// All returns one engine of every kind in the build.
func All() []runtime.Engine { return engines("") }

// ForEach runs a test once for every engine of the build. It is for tests that compare engines, or that
// are about engines themselves.
func ForEach(t *testing.T, test func(t *testing.T, engine runtime.Engine)) {
	for _, engine := range engines("") {
		t.Run(engine.Name(), func(t *testing.T) { test(t, engine) })
	}
}
