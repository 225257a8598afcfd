//go:build wasmtime && cgo

package hostile

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesAreBuiltFromTheirSources(t *testing.T) {
	c := open(t)
	for _, e := range c.Assembled() {
		want, err := c.Assemble(&e)
		require.NoError(t, err)
		got, err := os.ReadFile(c.Path(&e, ".wasm"))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%s: make hostile-build writes it anew", e.Name)
	}
}
