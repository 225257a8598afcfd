//go:build unix

package guestbuild_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// A pintle.toml for which one would wait for ever, or that has no end, is refused.
func TestBuildReadsARegularFile(t *testing.T) {
	pipe, endless, long := t.TempDir(), t.TempDir(), t.TempDir()
	at := func(dir string) string { return filepath.Join(dir, guestbuild.ManifestFile) }
	require.NoError(t, syscall.Mkfifo(at(pipe), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", at(endless)))
	require.NoError(t, os.WriteFile(at(long), nil, 0o600))
	require.NoError(t, os.Truncate(at(long), 1<<40))
	for dir, want := range map[string]string{
		pipe: " is not a regular file", endless: " is not a regular file", long: " bytes, at most 1048576 are allowed",
	} {
		_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
		input := (*guestbuild.InputError)(nil)
		require.ErrorAs(t, err, &input)
		assert.ErrorContains(t, err, want)
	}
}
