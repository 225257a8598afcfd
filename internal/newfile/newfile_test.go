package newfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	require.NoError(t, Exchange(path("copy"), path("log"), path("log.bak"), stat(t, path("log"))))
	assert.Equal(t, "new", read("log"))
	assert.Equal(t, "old", read("log.bak"))
	assert.Equal(t, []string{"log", "log.bak"}, names(t, dir))

	require.NoError(t, os.WriteFile(path("copy"), []byte("newer"), 0o600))
	require.ErrorIs(t, Exchange(path("copy"), path("log"), path("log.bak"), stat(t, path("log"))), fs.ErrExist)
	assert.Equal(t, "new", read("log"))
	assert.Equal(t, "old", read("log.bak"))
	assert.Equal(t, "newer", read("copy"))
}

func stat(t *testing.T, path string) fs.FileInfo {
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info
}

// A file that is not what it was is not exchanged.
func TestExchangeRefusesAChangedFile(t *testing.T) {
	for name, change := range map[string]func(log string) error{
		"grown": func(log string) error { return os.WriteFile(log, []byte("older"), 0o600) },
		"replaced": func(log string) error {
			return errors.Join(os.Rename(log, log+"2"), os.WriteFile(log, []byte("old"), 0o600))
		},
		"written": func(log string) error { return os.Chtimes(log, time.Time{}, time.Unix(1, 0)) },
		"gone":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log, from := filepath.Join(dir, "log"), filepath.Join(dir, "copy")
			require.NoError(t, os.WriteFile(log, []byte("old"), 0o600))
			require.NoError(t, os.WriteFile(from, []byte("new"), 0o600))
			was := stat(t, log)
			require.NoError(t, change(log))
			require.Error(t, Exchange(from, log, log+".bak", was))
			assert.NoFileExists(t, log+".bak")
			assert.FileExists(t, from)
		})
	}
}

func TestExchangeKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	log, from := filepath.Join(dir, "log"), filepath.Join(dir, "copy")
	require.NoError(t, os.WriteFile(log, []byte("old"), 0o600))
	require.NoError(t, os.Chmod(log, 0o664))
	require.NoError(t, os.WriteFile(from, []byte("new"), 0o600))
	require.NoError(t, Exchange(from, log, log+".bak", stat(t, log)))
	assert.Equal(t, fs.FileMode(0o664), stat(t, log).Mode())
}

// A name may be as long as the file system takes it, and errors do not show another one.
func TestTemporaryNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("n", 250))
	require.NoError(t, Write(path, 0o600, text("x")))
	assert.FileExists(t, path)
	missing := filepath.Join(dir, "missing", "a.jsonl")
	err := Write(missing, 0o600, text("x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.Contains(t, err.Error(), missing+":")
	assert.NotContains(t, err.Error(), ".pintle-")
	f, err := Create(filepath.Join(dir, "b"), 0o600)
	require.NoError(t, err)
	f.Discard()
	_, err = f.Write([]byte("x"))
	require.ErrorIs(t, err, fs.ErrClosed)
	assert.NotContains(t, err.Error(), ".pintle-")
}
