//go:build toolchains

package assemblyscriptsdk_test

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

var update = flag.Bool("update", false, "check in the guest of these tests as it is built now")

var rebuilt sync.Map // guests by their paths

// guestFile compiles a guest's sources, so that the same tests run with what the compiler makes of them now.
func guestFile(t testing.TB, path string) []byte {
	t.Helper()
	build, _ := rebuilt.LoadOrStore(path, sync.OnceValues(func() ([]byte, error) {
		out := filepath.Join(t.TempDir(), "guest.wasm")
		if *update && path == probe {
			out = path
		}
		if _, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: filepath.Dir(path), Out: out}); err != nil {
			return nil, err
		}
		return os.ReadFile(out)
	}))
	file, err := build.(func() ([]byte, error))()
	require.NoError(t, err)
	return file
}
