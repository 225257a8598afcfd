package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every recorded stream is taken for what it is.
func TestStreamsAreParts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "vectors", "streams", "*.parts.ndjson"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		parts, err := isParts(text)
		require.NoError(t, err, path)
		assert.True(t, parts, path)
	}
}
