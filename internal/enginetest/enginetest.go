// Package enginetest gives tests the engine that they run on, so that one suite serves every engine.
package enginetest

import (
	"os"
	"testing"

	"github.com/pintle-wasm/pintle/runtime"
)

// New returns the engine under test: wazero, or wasmtime in builds with the tag wasmtime. A test of
// guests uses nothing else, and runs on both engines because the whole suite is run with and without the
// tag. It compiles every guest anew, unless the package's tests run in Main.
func New() runtime.Engine { return Cached(codeDir) }

// codeDir is where New keeps compiled code. Main sets it before any test runs.
var codeDir string

// CodeDir is where New keeps compiled code, "" outside of Main.
func CodeDir() string { return codeDir }

// Main is for TestMain of packages whose tests load large guests, or the same ones by several engines: it
// runs them with compiled code kept in a folder, as the command does, so that each guest is compiled once.
// The folder is a temporary one or, if the environment has PINTLE_TEST_CODE, that one, which packages and runs
// then share: with the race detector compiling is what takes most time. Main does not return.
func Main(m *testing.M) {
	if codeDir = os.Getenv("PINTLE_TEST_CODE"); codeDir != "" {
		os.Exit(m.Run())
	}
	code := func() int {
		var err error
		if codeDir, err = os.MkdirTemp("", "pintle-test-*"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(codeDir)
		return m.Run()
	}()
	os.Exit(code)
}

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
