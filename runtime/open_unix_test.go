//go:build unix

package runtime

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that becomes a pipe at the last moment does not keep the host waiting.
func TestPipesAreOpenedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.wasm")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := ReadFile(path)
	require.ErrorContains(t, err, "not a regular file")

	opened := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_RDONLY|openNow, 0)
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		assert.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write")
	}
}
