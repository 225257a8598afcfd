//go:build toolchains

package csdk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The SDK's own tests, in C, under the sanitizers. cc has to be a compiler that has them: gcc, or clang with its
// runtime (libclang-rt-dev).
func TestNative(t *testing.T) {
	out := filepath.Join(t.TempDir(), "native")
	args := []string{"-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes",
		"-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-o", out}
	for _, pattern := range []string{"test/*.c", "pintle/*.c"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		args = append(args, files...)
	}
	compile := exec.CommandContext(t.Context(), "cc", append(args, "-lm")...)
	said, err := compile.CombinedOutput()
	require.NoError(t, err, "%s", said)

	run := exec.CommandContext(t.Context(), out)
	run.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0") // what a call allocates ends with the next one
	said, err = run.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// No warning for Wasm and natively, also with what authors may switch on, and by the newest C as well.
func TestNoWarnings(t *testing.T) {
	files, err := filepath.Glob("pintle/*.c")
	require.NoError(t, err)
	strict := []string{"-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes",
		"-Wpedantic", "-Werror", "-fsyntax-only"}
	for _, flags := range [][]string{
		{"--target=wasm32", "-ffreestanding", "-nostdlibinc", "-std=c11"},
		{"--target=wasm32-wasi", "-std=c2x"},
		{"-std=c11"},
	} {
		check := exec.CommandContext(t.Context(), "clang", slices.Concat(strict, flags, files)...)
		said, err := check.CombinedOutput()
		require.NoError(t, err, "%v\n%s", flags, said)
	}
}
