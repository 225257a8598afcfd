package host_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that wants nothing but the way back links no Wasm engine.
func TestResponseSideLinksNoEngine(t *testing.T) {
	for _, name := range []string{
		"assembler", "auth", "bridge", "doctor", "history", "message", "model", "parts", "payload", "profile",
		"replay", "session", "stream", "turn",
	} {
		deps, err := exec.Command("go", "list", "-deps", "./"+name).Output()
		require.NoError(t, err)
		for _, engine := range []string{"wazero", "pintle/runtime/wazero", "pintle/cmd", "pintle/guests"} {
			assert.NotContains(t, strings.ReplaceAll(string(deps), "\n", " "), engine, name)
		}
	}
}

// A program that embeds all of it links little besides: the engine, the codec of the wire,
// the compression of logs, and what sorts text.
func TestEmbeddingLinksLittle(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	require.NoError(t, err)
	modules := strings.Fields(string(deps))
	slices.Sort(modules)
	assert.Equal(t, []string{
		"github.com/fxamacker/cbor/v2", "github.com/klauspost/compress", "github.com/pintle-wasm/pintle",
		"github.com/tetratelabs/wazero", "github.com/x448/float16", "golang.org/x/sys", "golang.org/x/text",
	}, slices.Compact(modules))
}
