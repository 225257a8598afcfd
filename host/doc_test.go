package host_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files that the package's documentation sends a reader to are there.
func TestDocNamesFiles(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	names := regexp.MustCompile(`\b[a-z]+(/[a-z]+)+\.go\b`).FindAllString(string(doc), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		assert.FileExists(t, filepath.Join("..", name))
	}
}
