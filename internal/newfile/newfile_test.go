package newfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	require.NoError(t, Write(path, 0o600, text("one\n")))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(got))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())

	err = Write(path, 0o600, text("two\n"))
	require.ErrorIs(t, err, fs.ErrExist)
	assert.EqualError(t, err, path+" is there already and is not overwritten")
	got, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(got))
	assert.Equal(t, []string{"a.jsonl"}, names(t, dir))
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	err := Write(filepath.Join(dir, "a"), 0o600, func(w io.Writer) error {
		require.NoError(t, text("half")(w))
		return broken
	})
	require.ErrorIs(t, err, broken)
	assert.Empty(t, names(t, dir))
}

// The name may be taken while the file is being made.
func TestWriteDoesNotOverwriteALateComer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	err := Write(path, 0o600, func(w io.Writer) error {
		return os.WriteFile(path, []byte("other"), 0o600)
	})
	require.ErrorIs(t, err, fs.ErrExist)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "other", string(got))
	assert.Equal(t, []string{"a"}, names(t, dir))
}

func TestRenameKeepsADanglingLink(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	require.NoError(t, os.WriteFile(from, nil, 0o600))
	require.NoError(t, os.Symlink("nowhere", to))
	require.ErrorIs(t, Rename(from, to), fs.ErrExist)
	require.ErrorIs(t, Write(to, 0o600, text("x")), fs.ErrExist)
	assert.Equal(t, []string{"from", "to"}, names(t, dir))
}

func TestExchange(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		data, err := os.ReadFile(path(name))
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, os.WriteFile(path("log"), []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(path("copy"), []byte("new"), 0o600))
	require.NoError(t, Exchange(path("copy"), path("log"), path("log.bak")))
	assert.Equal(t, "new", read("log"))
	assert.Equal(t, "old", read("log.bak"))
	assert.Equal(t, []string{"log", "log.bak"}, names(t, dir))

	require.NoError(t, os.WriteFile(path("copy"), []byte("newer"), 0o600))
	require.ErrorIs(t, Exchange(path("copy"), path("log"), path("log.bak")), fs.ErrExist)
	assert.Equal(t, "new", read("log"))
	assert.Equal(t, "old", read("log.bak"))
	assert.Equal(t, "newer", read("copy"))
}
