package host

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A file is taken when it was the same in two looks, and the build before is closed as soon as nobody holds it.
func TestFollowTakesWhatStays(t *testing.T) {
	h := Open(Options{Engine: enginetest.New()})
	defer func() { require.NoError(t, h.Close(context.Background())) }()
	path := filepath.Join(t.TempDir(), "g.wasm")
	write := func(text string) {
		next := path + ".next"
		require.NoError(t, os.WriteFile(next, wasmtest.Says(text), 0o600))
		require.NoError(t, os.Rename(next, path))
	}
	write("one")
	changes := 0
	f, err := h.Follow(t.Context(), path, FollowOptions{Every: time.Hour, // the test looks itself
		Changed: func(_ *registry.Guest, err error) { assert.NoError(t, err); changes++ }})
	require.NoError(t, err)
	for _, text := range []string{"two", "three", "four", "five"} {
		write(text)
		f.look(t.Context())
		assert.Zero(t, changes, "somebody may be writing it")
	}
	old := f.Guest().Runtime()
	f.look(t.Context())
	assert.Equal(t, 1, changes)
	assert.NotSame(t, old, f.Guest().Runtime())
	open := old.Hold()
	assert.False(t, open, "it is closed")
	if open {
		old.Release()
	}
}

// A path means the folder in which the following began, and every build is checked against the configuration.
func TestFollowKeepsItsFolder(t *testing.T) {
	var log strings.Builder
	h := Open(Options{Engine: enginetest.New(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer func() { require.NoError(t, h.Close(context.Background())) }()
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("g.wasm", wasmtest.Says("one"), 0o600))
	var told []error
	f, err := h.Follow(t.Context(), "g.wasm", FollowOptions{Every: time.Hour, Guest: runtime.GuestOptions{Config: map[string]string{"tone": "dry"}},
		Changed: func(_ *registry.Guest, err error) { told = append(told, err) }})
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "g.wasm"), wasmtest.Says("another"), 0o600))
	f.look(t.Context())
	f.look(t.Context())
	assert.Equal(t, []error{nil}, told)
	assert.Equal(t, 2, strings.Count(log.String(), "key=tone"), log.String())
}

// Two writes within one tick of the file system's clock: the size tells in one case, and where nothing does
// the contents of a young file are read again.
func TestFollowWithinOneModificationTime(t *testing.T) {
	h := Open(Options{Engine: enginetest.New()})
	defer func() { require.NoError(t, h.Close(context.Background())) }()
	path := filepath.Join(t.TempDir(), "g.wasm")
	write := func(text string, at time.Time) { // into the same file
		require.NoError(t, os.WriteFile(path, wasmtest.Says(text), 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	old := time.Now().Add(-time.Hour)
	write("one", old)
	changes := 0
	f, err := h.Follow(t.Context(), path, FollowOptions{Every: time.Hour, // the test looks itself
		Changed: func(_ *registry.Guest, err error) { assert.NoError(t, err); changes++ }})
	require.NoError(t, err)
	f.youth = 10 * time.Minute // however busy the machine is
	look := func() {
		f.look(t.Context())
		f.look(t.Context())
	}

	write("a longer text", old)
	look()
	assert.Equal(t, 1, changes, "another size")
	look()
	assert.Equal(t, 1, changes)

	young := time.Now()
	write("six", young)
	look()
	assert.Equal(t, 2, changes)
	write("two", young)
	look()
	assert.Equal(t, 3, changes, "the same size and time, but young")
}
