//go:build unix

package sidecar

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file of settings that never ends, or that nobody writes to, does not keep the sidecar from serving.
func TestSettingsThatAreNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"device": {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"folder": {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"long": {func(path string) error {
			return os.WriteFile(path, []byte("# "+strings.Repeat("x", maxSettings)), 0o600)
		}, "more than 262144 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := agentDir(t, map[string][]byte{"more.txt": nil})
			require.NoError(t, c.make(filepath.Join(dir, settingsFile)))
			client := newTestClient(t, Options{}, nil)
			got := result[initializeResult](t, client.initialize(bare(t, object{"agentDir": dir})))
			require.Len(t, got.Problems, 1)
			assert.Contains(t, got.Problems[0].Message, c.want)
		})
	}
}
