package guestbuild

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizesAndTimesAtTheirEdges(t *testing.T) {
	for text, want := range map[string]uint64{"1024GiB": 1 << 40, "0": 0, "1099511627776": 1 << 40} {
		var s size
		require.NoError(t, s.UnmarshalText([]byte(text)))
		assert.Equal(t, want, s.bytes)
	}
	for _, text := range []string{"1025GiB", "1048577MiB", "1099511627777", "-1", "GiB"} {
		assert.ErrorContains(t, new(size).UnmarshalText([]byte(text)), "is not a size", text)
	}
	for _, text := range []string{"-1s", "1500us", "1", ""} {
		assert.ErrorContains(t, new(length).UnmarshalText([]byte(text)), "is not a duration in whole milliseconds", text)
	}
}

func TestFolderInsideOfAGuest(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestFile), nil, 0o600))
	src := filepath.Join(dir, "src")
	require.NoError(t, os.Mkdir(src, 0o700))
	_, err := ReadManifest(src)
	assert.EqualError(t, err, src+" has no pintle.toml, and the folder above it has one: build "+dir)
}

// What lies in a folder that a build happens to be called in is not run.
func TestFindRustcSkipsRelativeFolders(t *testing.T) {
	f := newFake(t)
	f.rustc("first/rustc", "1.70.0", "core", "std")
	t.Chdir(f.home)
	t.Setenv("PATH", "first")
	_, err := findRustc(t.Context(), nil)
	assert.ErrorContains(t, err, "no rustc was found ($RUSTC, the PATH, ~/.rustup)")
}

func TestFindRustcWantsAllLibraries(t *testing.T) {
	f := newFake(t)
	f.rustc("first/rustc", "1.70.0", "std")
	f.path("first")
	_, err := findRustc(t.Context(), nil)
	assert.ErrorContains(t, err, "rustc 1.70.0 has no library core for the target in ")
}

// A build that was ended says so, and not that compilers are missing.
func TestProbingEnds(t *testing.T) {
	f := newFake(t)
	f.rustc("first/rustc", "1.70.0", "core", "std")
	f.program("first/clang", "exit 0")
	f.path("first")
	t.Setenv("CC", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := findRustc(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = findClang(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLibraryHeaders(t *testing.T) {
	for name, want := range map[string]bool{"stdio.h": true, "sys/stat.h": true, "stdint.h": false, "mine.h": false, "my/sys/stat.h": false} {
		assert.Equal(t, want, isLibraryHeader(name), name)
	}
}

func TestConfigMayBeAskedForTwice(t *testing.T) {
	f, err := parseFile([]byte(smallestTOML + "[[capabilities]]\nname = \"config\"\nkeys = [\"a\"]\n[[capabilities]]\nname = \"config\"\nkeys = [\"b\"]\n"))
	require.NoError(t, err)
	assert.Empty(t, f.doubts())
}

func TestFilesThatAreNotCompiled(t *testing.T) {
	for name, want := range map[string]bool{"a.go": true, "go.mod": true, ".a.go": false, "a_test.go": false, "a.c": false} {
		assert.Equal(t, want, golang.compiles(name), name)
	}
}
