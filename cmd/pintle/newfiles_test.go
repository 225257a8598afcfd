package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One file is enough for a folder not to be empty.
func TestNewWritesIntoEmptyFolders(t *testing.T) {
	dir := t.TempDir()
	p := &newProject{dir: dir, files: []newFile{{"a/b.txt", []byte("text")}}}
	require.NoError(t, p.write())
	text, err := os.ReadFile(filepath.Join(dir, "a", "b.txt"))
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	var usage *usageError
	require.ErrorAs(t, p.write(), &usage)
	assert.ErrorContains(t, usage, dir+" is not empty: it has a")
}
