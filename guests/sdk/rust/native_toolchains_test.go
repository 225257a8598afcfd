//go:build toolchains

package rustsdk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	rustsdk "github.com/pintle-wasm/pintle/guests/sdk/rust"
)

// compilers are the one that the PATH shows, and that of the system.
func compilers(t *testing.T) []string {
	var found []string
	for _, name := range []string{"rustc", "/usr/bin/rustc"} {
		if path, err := exec.LookPath(name); err == nil && (len(found) == 0 || found[0] != path) {
			found = append(found, path)
		}
	}
	require.NotEmpty(t, found, "no rustc")
	return found
}

func run(t *testing.T, dir, tool string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %q\n%s", tool, args, said)
	return string(said)
}

// The crate's own tests, and the examples in its documentation, on the developer's machine.
func TestCrateOnThisMachine(t *testing.T) {
	for _, rustc := range compilers(t) {
		t.Run(rustc, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, rustsdk.Files))
			tests := filepath.Join(dir, "tests")
			run(t, dir, rustc, "--edition", "2021", "--crate-name", "pintle", "-D", "warnings", "--test", "-o", tests, "src/lib.rs")
			assert.Contains(t, run(t, dir, tests), "test result: ok. 26 passed")

			library := filepath.Join(dir, "libpintle.rlib")
			run(t, dir, rustc, "--edition", "2021", "--crate-name", "pintle", "--crate-type", "rlib", "-D", "warnings", "-o", library, "src/lib.rs")
			rustdoc := filepath.Join(filepath.Dir(rustc), "rustdoc")
			said := run(t, dir, rustdoc, "--edition", "2021", "--crate-name", "pintle", "--test", "--extern", "pintle="+library, "src/lib.rs")
			assert.Contains(t, said, "test result: ok. 12 passed")
		})
	}
}
