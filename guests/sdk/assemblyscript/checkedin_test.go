//go:build !toolchains

package assemblyscriptsdk_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// guestFile returns a guest as it is checked in, so that these tests need no compiler.
func guestFile(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return file
}
