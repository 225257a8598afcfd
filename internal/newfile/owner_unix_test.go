//go:build unix

package newfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only root can give files away; another user's own file has the right owner anyway.
func TestExchangeKeepsTheOwner(t *testing.T) {
	dir := t.TempDir()
	log, from := filepath.Join(dir, "log"), filepath.Join(dir, "copy")
	require.NoError(t, os.WriteFile(log, []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(from, []byte("new"), 0o600))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(log, 1, 2))
	}
	was := stat(t, log)
	require.NoError(t, Exchange(from, log, log+".bak", was))
	has, want := stat(t, log).Sys().(*syscall.Stat_t), was.Sys().(*syscall.Stat_t)
	assert.Equal(t, [2]uint32{want.Uid, want.Gid}, [2]uint32{has.Uid, has.Gid})
}
