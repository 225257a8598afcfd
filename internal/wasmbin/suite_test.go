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

// suite returns the folder of the WebAssembly core test suite that comes with the engine.
func suite(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "internal/integration_test/spectest")
}

// What the test suite of core 2.0 calls valid is accepted, and the engine accepts the result; what it
// calls invalid or malformed is refused.
func TestCoreSuite(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	lists, err := filepath.Glob(filepath.Join(suite(t), "v[12]/testdata/*.json"))
	require.NoError(t, err)
	valid, refused := 0, 0
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
			var out *wasmbin.Instrumented
			m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
			if err == nil {
				out, err = m.Instrument()
			}
			at := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(list)))) + "/" + c.Filename
			switch c.Type {
			case "assert_invalid", "assert_malformed":
				if assert.Error(t, err, "%s line %d: %s", at, c.Line, c.Text) {
					refused++
				}
			default:
				if !assert.NoError(t, err, "%s line %d %s", at, c.Line, c.Type) {
					continue
				}
				code, err := r.CompileModule(ctx, out.Bytes)
				if assert.NoError(t, err, at) {
					valid++
					require.NoError(t, code.Close(ctx))
				}
			}
		}
	}
	t.Log(valid, refused)
}
