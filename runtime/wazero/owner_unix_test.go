//go:build unix

package wazero_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// Cached code is run as it is, so a directory in which others can put files is not used.
func TestSharedDirectoryIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		mode os.FileMode
		said string
	}{
		"group":             {0o770, "can be written by others (mode 0770)"},
		"everybody":         {0o707, "can be written by others (mode 0707)"},
		"sticky, everybody": {0o777 | os.ModeSticky, "can be written by others (mode 0777)"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, log := newDir(t), &journal{}
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chmod(dir, test.mode))
			assert.Equal(t, "hello", say(t, wazero.Config{CacheDir: dir, Logger: log.logger()}, wasmtest.Says("hello")))
			require.Len(t, log.warnings(), 1)
			assert.Contains(t, log.warnings()[0], test.said)
			assert.Empty(t, snapshot(t, dir))
		})
	}
}

func TestParentThatOthersCanReplaceIsRefused(t *testing.T) {
	parent, log := t.TempDir(), &journal{}
	require.NoError(t, os.Chmod(parent, 0o777))
	dir := filepath.Join(parent, "cache")
	assert.Equal(t, "hello", say(t, wazero.Config{CacheDir: dir, Logger: log.logger()}, wasmtest.Says("hello")))
	require.Len(t, log.warnings(), 1)
	assert.Contains(t, log.warnings()[0], "above it can be written by everybody")
	assert.Empty(t, snapshot(t, parent))

	// With the sticky bit, as in /tmp, others cannot.
	require.NoError(t, os.Chmod(parent, 0o777|os.ModeSticky))
	say(t, wazero.Config{CacheDir: dir, Logger: log.logger()}, wasmtest.Says("hello"))
	assert.Len(t, log.warnings(), 1)
	assert.NotEmpty(t, snapshot(t, dir))
}

// A link does not hide who can replace the directory that it leads to.
func TestParentBehindALinkIsChecked(t *testing.T) {
	shared, log := t.TempDir(), &journal{}
	private := filepath.Join(shared, "private")
	require.NoError(t, os.Mkdir(private, 0o700))
	require.NoError(t, os.Chmod(shared, 0o777))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(private, link))
	assert.Equal(t, "hello", say(t, wazero.Config{CacheDir: filepath.Join(link, "cache"), Logger: log.logger()}, wasmtest.Says("hello")))
	require.Len(t, log.warnings(), 1)
	assert.Contains(t, log.warnings()[0], "above it can be written by everybody")
}

func TestSharedEntryIsRefused(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	say(t, config, file)
	require.NoError(t, os.Chmod(filepath.Dir(sealFile(t, dir)), 0o777))
	before := snapshot(t, dir)
	assert.Equal(t, "hello", say(t, config, file))
	require.Len(t, log.warnings(), 1)
	assert.Contains(t, log.warnings()[0], "can be written by others")
	assert.Equal(t, before, snapshot(t, dir), "neither read nor written")
}

func TestLinkInPlaceOfAnEntryIsRefused(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	say(t, config, file)
	entry := filepath.Dir(sealFile(t, dir))
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.Rename(entry, elsewhere))
	require.NoError(t, os.Symlink(elsewhere, entry))
	assert.Equal(t, "hello", say(t, config, file))
	require.Len(t, log.warnings(), 1)
	assert.Contains(t, log.warnings()[0], "not a directory")
}
