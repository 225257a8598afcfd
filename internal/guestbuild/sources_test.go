package guestbuild_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

func TestNewerSource(t *testing.T) {
	dir, built := t.TempDir(), time.Now().Add(-time.Hour)
	put := func(name string, at time.Time) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	newer := func() string {
		path, ok := guestbuild.NewerSource(dir, built)
		assert.Equal(t, path != "", ok)
		if !ok {
			return ""
		}
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		return filepath.ToSlash(name)
	}
	put("pintle.toml", built.Add(-time.Minute))
	put("src/index.ts", built)
	for _, name := range []string{"hello.wasm", "cases.json", "README.md", ".hidden.ts", "node_modules/a/a.js", ".git/a.c", "target/a.rs"} {
		put(name, built.Add(time.Minute))
	}
	assert.Empty(t, newer())
	put("src/index.ts", built.Add(time.Second))
	assert.Equal(t, "src/index.ts", newer())
	put("pintle.toml", built.Add(2*time.Second))
	assert.Equal(t, "pintle.toml", newer())
	_, ok := guestbuild.NewerSource(filepath.Join(dir, "nowhere"), built)
	assert.False(t, ok)
}
