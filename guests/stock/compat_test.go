package stock_test

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func openHost(t *testing.T) *host.Host {
	h := host.Open(host.Options{Engine: enginetest.New(), Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, h.Close(context.Background())) })
	return h
}

func readFrozen(t *testing.T) []byte {
	file, err := os.Open("../../testdata/guests/adapters-v1/adapters.wasm.gz")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	module, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	sum := sha256.Sum256(module)
	require.Equal(t, "90d59c5597df0e323f394afc81574092ecd51373a0dde2c12cba3e1c45fe4222", hex.EncodeToString(sum[:]), "the file is never rebuilt")
	return module
}

// The adapters of version 1, as they were built before there was a version 2, still pass the kit.
func TestAdaptersOfVersion1(t *testing.T) {
	module := readFrozen(t)
	hosts := map[[2]string]*host.Host{}
	find := func(api, compat, developerRole string) (registry.Adapter, error) {
		key := [2]string{compat, developerRole}
		if hosts[key] == nil {
			h := openHost(t)
			config := map[string]string{"compat": compat, "developerRole": developerRole}
			guest, err := h.Load(t.Context(), stock.AdaptersName, module, runtime.GuestOptions{Config: config})
			if err != nil {
				return registry.Adapter{}, err
			}
			for _, a := range guest.Runtime().Artifact().Manifest.Adapters {
				assert.Equal(t, abi.ProviderPayloadAdaptersV1, a.Interface)
			}
			hosts[key] = h
		}
		a, _, ok := hosts[key].Registry.FindAdapter("any", api, "")
		if !ok {
			return a, errors.New("no adapter for " + api)
		}
		return a, nil
	}
	const kit = vectors + "developer-messages/"
	var text strings.Builder
	passed, err := conformance.Run(t.Context(), []string{
		kit + "sound-adapters.json", kit + "codex-adapter.json", kit + "openai-adapters-v039.json", kit + "payload-hook.json",
	}, find, func(r conformance.FileResult) {
		require.NoError(t, r.WriteText(&text))
		assert.Empty(t, r.Failures, "%s\n%s", r.Path, text.String())
	})
	require.NoError(t, err)
	assert.Greater(t, passed.Passed, 100)
	assert.Len(t, hosts, 4, "automatic, yes and no, and the reference")
}
