package stock_test

import (
	"bytes"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// What is embedded is what the source builds to. The same toolchain gives the same bytes; another one
// gives other bytes, but the manifest and the contract still have to agree.
func TestEmbeddedGuestIsCurrent(t *testing.T) {
	embedded, err := stock.Adapters()
	require.NoError(t, err)
	built := filepath.Join(t.TempDir(), "adapters.wasm")
	_, fresh, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: "../adapters", Out: built})
	require.NoError(t, err)
	a, err := runtime.Examine(stock.AdaptersName, embedded)
	require.NoError(t, err)
	assert.Empty(t, a.Problems)
	assert.Equal(t, fresh.Manifest, a.Manifest, "run `make stock`")
	var newest, oldest []string
	for _, adapter := range a.Manifest.Adapters {
		switch adapter.Interface {
		case abi.ProviderPayloadAdaptersV2:
			newest = append(newest, adapter.APIs...)
		case abi.ProviderPayloadAdaptersV1:
			oldest = append(oldest, adapter.APIs...)
		}
	}
	assert.Equal(t, stock.APIs(), newest)
	assert.Equal(t, stock.APIs(), oldest, "each adapter has one of version 1 behind it")
	toolchain, err := os.ReadFile("go.version")
	require.NoError(t, err)
	if strings.TrimSpace(string(toolchain)) == goruntime.Version() {
		file, err := os.ReadFile(built)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(file, embedded), "the embedded guest is older than its source: run `make stock`")
	}
}
