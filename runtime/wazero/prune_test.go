package wazero

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An entry of a cache, with so many bytes, that was used so long before now.
func addEntry(t *testing.T, dir string, name string, bytes int, used time.Time) {
	t.Helper()
	at := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Join(at, "wazero"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(at, "wazero", "code"), make([]byte, bytes), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(at, sealFile), nil, 0o600))
	require.NoError(t, os.Chtimes(at, used, used))
}

func TestPrune(t *testing.T) {
	name := func(c string) string { return strings.Repeat(c, 64) }
	now := time.Now()
	for _, c := range []struct {
		most int64
		left string
	}{
		{1000, "abcd"}, {400, "abcd"}, {399, "acd"}, {300, "acd"}, {299, "cd"},
		{200, "cd"}, {100, "c"}, {0, "c"}, // c was used lately
	} {
		cache, err := openCache(filepath.Join(t.TempDir(), "code"))
		require.NoError(t, err)
		addEntry(t, cache.dir, name("a"), 100, now.Add(-5*time.Hour))
		addEntry(t, cache.dir, name("b"), 100, now.Add(-9*time.Hour))
		addEntry(t, cache.dir, name("c"), 100, now.Add(-10*time.Minute))
		addEntry(t, cache.dir, name("d"), 100, now.Add(-2*time.Hour))
		// Not of the cache.
		addEntry(t, cache.dir, "photographs", 100, now.Add(-9000*time.Hour))
		addEntry(t, cache.dir, name("e"), 100, now.Add(-9000*time.Hour))
		require.NoError(t, os.Remove(filepath.Join(cache.dir, name("e"), sealFile)))
		cache.prune(c.most, now)
		want := []string{name("e"), "photographs"}
		for i := len(c.left) - 1; i >= 0; i-- {
			want = append([]string{name(c.left[i : i+1])}, want...)
		}
		assert.Equal(t, want, list(t, cache.dir), c.most)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Being read counts as use, and being written calls for room.
func TestUseKeepsAnEntry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	module := []byte("\x00asm\x01\x00\x00\x00")
	compile := func() {
		code, err := New(Config{CacheDir: dir}).Compile(t.Context(), module, nil)
		require.NoError(t, err)
		require.NoError(t, code.Close(t.Context()))
	}
	compile()
	entry := filepath.Join(dir, list(t, dir)[0])
	long := time.Now().Add(-100 * time.Hour)
	require.NoError(t, os.Chtimes(entry, long, long))
	compile()
	info, err := os.Stat(entry)
	require.NoError(t, err)
	assert.Greater(t, info.ModTime(), long.Add(time.Hour))

	// A large one that nobody used gives way to a new one, and not to one that is there.
	large := strings.Repeat("f", 64)
	addEntry(t, dir, large, 0, long)
	require.NoError(t, os.Truncate(filepath.Join(dir, large, "wazero", "code"), 2*maxCacheBytes)) // a hole
	require.NoError(t, os.Chtimes(filepath.Join(dir, large), long, long))
	compile()
	assert.Contains(t, list(t, dir), large)
	module = append(module, 1, 1, 0) // no types
	compile()
	assert.NotContains(t, list(t, dir), large)
	assert.Len(t, list(t, dir), 2)
}
