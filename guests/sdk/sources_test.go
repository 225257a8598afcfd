//go:build !wasip1

package sdk_test

import (
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/sdk"
)

// A copy of the SDK is complete: it imports the standard library and itself, and has no tests.
func TestGo(t *testing.T) {
	files, err := sdk.Go("example/hello/pintle")
	require.NoError(t, err)
	folders := map[string]bool{}
	for name := range files {
		folders[path.Join("example/hello/pintle", path.Dir(name))] = true
	}
	for _, name := range []string{"doc.go", "host_wasip1.go", "message/message.go", "payload/edit/edit.go", "payload/developer/developer.go",
		"internal/call/call_wasip1.go", "internal/cbor/reader.go", "internal/ecma/quote.go"} {
		assert.Contains(t, files, name)
	}
	for name, text := range files {
		assert.False(t, strings.HasSuffix(name, "_test.go"), name)
		assert.False(t, path.IsAbs(name) || path.Clean(name) != name, name)
		formatted, err := format.Source([]byte(text))
		require.NoError(t, err, name)
		assert.Equal(t, string(formatted), text, name)
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		require.NoError(t, err, name)
		for _, im := range parsed.Imports {
			imported, err := strconv.Unquote(im.Path.Value)
			require.NoError(t, err)
			if strings.HasPrefix(imported, "example/") {
				assert.True(t, folders[imported], "%s imports %s", name, imported)
			} else {
				assert.NotContains(t, imported, ".", "%s imports something of another module", name)
			}
		}
	}
}
