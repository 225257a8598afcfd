package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

func TestModuleIsTheOneOfThePackage(t *testing.T) {
	sum := sha256.Sum256(engine.Module())
	assert.Equal(t, engine.SHA256, hex.EncodeToString(sum[:]))
}

func TestLicenses(t *testing.T) {
	text := engine.Licenses()
	for _, holder := range []string{"Vercel", "Fabrice Bellard", "Unicode", "Rich Felker", "Sun Microsystems", "Moshier", "Arm Limited", "Nuxi"} {
		assert.Contains(t, text, holder)
	}
	assert.Contains(t, text, engine.NPMVersion)
	assert.True(t, utf8.ValidString(text))
	assert.NotContains(t, text, "\r")
}

func TestModuleIsACopy(t *testing.T) {
	engine.Module()[0] = 1
	assert.Zero(t, engine.Module()[0])
}

// What the host drives the engine by.
func TestModuleHasItsInterface(t *testing.T) {
	m, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, name := range []string{"memory", "_initialize", "qjs_init", "qjs_eval", "qjs_call", "qjs_set_interrupt_handler"} {
		_, ok := m.Export(name)
		assert.True(t, ok, name)
	}
}

func TestOriginHasTheSameFigures(t *testing.T) {
	text, err := os.ReadFile("ORIGIN.md")
	require.NoError(t, err)
	size := strconv.Itoa(len(engine.Module()))
	for _, figure := range []string{
		engine.SHA256, engine.NPMIntegrity, "`" + engine.NPMName + "` " + engine.NPMVersion,
		size[:len(size)-3] + "," + size[len(size)-3:] + " bytes",
	} {
		assert.Contains(t, string(text), figure)
	}
}
