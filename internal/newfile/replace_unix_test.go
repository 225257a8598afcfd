//go:build unix

package newfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe, and a link to one, stay what they are and get the text, as /dev/null and /dev/stdout do.
func TestReplaceWritesToWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("pipe", link))
	for _, path := range []string{pipe, link} {
		// Open for both, so that neither side waits for the other.
		reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, Replace(path, []byte("text")))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.ModeNamedPipe, info.Mode().Type(), path)
		got := make([]byte, 4)
		_, err = reader.Read(got)
		require.NoError(t, err)
		assert.Equal(t, "text", string(got))
		require.NoError(t, reader.Close())
	}
	assert.Equal(t, []string{"link", "pipe"}, names(t, dir))
}
