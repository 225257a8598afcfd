package host

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
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
	assert.False(t, old.Hold(), "it is closed")
}
