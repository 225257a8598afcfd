package wasmbin_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// coreSuite returns the folder of the WebAssembly core test suite 2.0 that comes with the engine.
func coreSuite(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "internal/integration_test/spectest/v2/testdata")
}

// Valid modules of the suite that are refused on purpose.
var refusedOfSuite = map[string]string{
	"br_table.0.wasm":              "labels of br_table in function 15: 16149",
	"skip-stack-guard-page.0.wasm": "locals of function 1: 1056",
	"binary-leb128.81.wasm":        "not in its shortest encoding",
}

// What the test suite calls valid is accepted, and the engine accepts the result; what it calls invalid
// or malformed is refused.
func TestCoreSuite(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	lists, err := filepath.Glob(filepath.Join(coreSuite(t), "*.json"))
	require.NoError(t, err)
	valid, refused, onPurpose := 0, 0, 0
	for _, list := range lists {
		var script struct {
			Commands []struct {
				Type, Filename, Text string
				Line                 int
			}
		}
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &script))
		for _, c := range script.Commands {
			if !strings.HasSuffix(c.Filename, ".wasm") {
				continue
			}
			file, err := os.ReadFile(filepath.Join(filepath.Dir(list), c.Filename))
			require.NoError(t, err)
			out, err := instrument(file)
			if err != nil {
				typed(t, err)
			}
			if c.Type == "assert_invalid" || c.Type == "assert_malformed" {
				if assert.Error(t, err, "%s line %d: %s", c.Filename, c.Line, c.Text) {
					refused++
				}
				continue
			}
			if want, ok := refusedOfSuite[c.Filename]; ok {
				require.ErrorContains(t, err, want)
				onPurpose++
				continue
			}
			if !assert.NoError(t, err, "%s line %d", c.Filename, c.Line) {
				continue
			}
			code, err := r.CompileModule(ctx, out.Bytes)
			if assert.NoError(t, err, c.Filename) {
				valid++
				require.NoError(t, code.Close(ctx))
			}
		}
	}
	assert.Equal(t, len(refusedOfSuite), onPurpose)
	// Fewer would mean that the suite was not found where it was.
	assert.GreaterOrEqual(t, valid, 1_000)
	assert.GreaterOrEqual(t, refused, 2_000)
	t.Log(valid, "valid,", refused, "refused")
}

// instrument reads and rewrites a module under the default limits.
func instrument(file []byte) (*wasmbin.Instrumented, error) {
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return m.Instrument()
}
