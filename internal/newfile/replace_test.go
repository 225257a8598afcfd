package newfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cases.json")
	holds := func(want string, mode fs.FileMode) {
		t.Helper()
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm())
	}
	require.NoError(t, Replace(path, []byte("one")))
	holds("one", 0o644)
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, Replace(path, []byte("two")))
	holds("two", 0o600)

	// What a link leads to is replaced, and the link stays.
	link := filepath.Join(dir, "link.json")
	require.NoError(t, os.Symlink("cases.json", link))
	require.NoError(t, Replace(link, []byte("three")))
	holds("three", 0o600)
	assert.Equal(t, []string{"cases.json", "link.json"}, names(t, dir))
	to, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "cases.json", to)
}

// Nothing is left behind, and the errors name the file that was asked for.
func TestReplaceThatFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(path, 0o700))
	missing := filepath.Join(dir, "missing", "a")
	for _, at := range []string{path, missing} {
		err := Replace(at, []byte("x"))
		var named *fs.PathError
		require.ErrorAs(t, err, &named, at)
		assert.Equal(t, at, named.Path)
		assert.NotContains(t, err.Error(), ".pintle-")
	}
	require.ErrorIs(t, Replace(missing, nil), fs.ErrNotExist)
	assert.Equal(t, []string{"folder"}, names(t, dir))
}
