//go:build unix && !illumos && !solaris

package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenRefusesWhatIsNoLog(t *testing.T) {
	dir := t.TempDir()
	path := newFile(t, plainName, 1)
	link := filepath.Join(dir, "link.jsonl")
	require.NoError(t, os.Symlink(path, link))
	nowhere := filepath.Join(dir, "nowhere.jsonl")
	require.NoError(t, os.Symlink(filepath.Join(dir, "x"), nowhere))
	pipe := filepath.Join(dir, "pipe.jsonl")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	locked := filepath.Join(dir, "readonly.jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(locked, text, 0o400))

	for name, want := range map[string]string{
		link: path, nowhere: "nowhere", dir: "folder", pipe: "not a regular file", locked: "read-only",
		filepath.Join(dir, "gone.jsonl"): "no such",
	} {
		_, err := OpenFile(t.Context(), name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, name)
		_, err = ViewFile(t.Context(), name)
		if name == locked {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, name)
	}
	_, err = OpenFile(t.Context(), filepath.Join(dir, "gone.jsonl"))
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
