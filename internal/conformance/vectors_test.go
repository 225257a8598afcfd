package conformance

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

const vectors = "../../testdata/vectors/developer-messages"

var errNoGuest = errors.New("no guest in this test")

// The adapter cases run through the Wasm guest, where that is at hand. Here every other case has to
// pass.
func TestVectorsWithoutAdapters(t *testing.T) {
	asked := func(string, string, string) (registry.Adapter, error) { return registry.Adapter{}, errNoGuest }
	var leftOut, text strings.Builder
	passed := map[string]int{}
	sum, err := Run(context.Background(), []string{vectors}, asked, func(r FileResult) {
		passed[r.Operation] = r.Passed
		if r.LeftOut != "" {
			leftOut.WriteString(r.Operation)
		}
		var failures []Failure
		for _, f := range r.Failures {
			if !strings.Contains(f.Error, errNoGuest.Error()) {
				failures = append(failures, f)
			}
		}
		r.Failures = failures
		require.NoError(t, r.WriteText(&text))
		assert.Empty(t, failures, "%s\n%s", r.Path, text.String())
	})
	require.NoError(t, err)
	assert.Equal(t, "js-slots", leftOut.String())
	// Not run without a guest: the three adapter files and three payload hooks.
	assert.Equal(t, 298, sum.Passed)
	for operation, n := range map[string]int{"codex-adapter": 0, "sound-adapters": 0, "payload-hook": 35, "registry-render": 36, "audit": 34} {
		assert.Equal(t, n, passed[operation], operation)
	}
}

func TestReplayVectors(t *testing.T) {
	var leftOut []string
	var text strings.Builder
	sum, err := Run(context.Background(), []string{"../../testdata/vectors/replay"}, nil, func(r FileResult) {
		if r.LeftOut != "" {
			leftOut = append(leftOut, filepath.Base(r.Path))
		}
		require.NoError(t, r.WriteText(&text))
		assert.Empty(t, r.Failures, "%s\n%s", r.Path, text.String())
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"acp.json", "file-names.json", "reference-only", "sqlite.json"}, leftOut)
	assert.Equal(t, 640, sum.Passed)
}

func TestBridgeVectors(t *testing.T) {
	var text strings.Builder
	sum, err := Run(context.Background(), []string{"../../testdata/vectors/provider-bridge"}, nil, func(r FileResult) {
		assert.Empty(t, r.LeftOut, r.Path)
		require.NoError(t, r.WriteText(&text))
		assert.Empty(t, r.Failures, "%s\n%s", r.Path, text.String())
	})
	require.NoError(t, err)
	assert.Len(t, sum.Files, 23)
	assert.Equal(t, 1127, sum.Passed)
}
