package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An interrupt ends a command that waits for its standard input, as a person expects who has forgotten to give one.
func TestInterruptedWhileStandardInputIsSilent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"turn", "-"}, {"apply", "--envelope", "-", "--api", "openai-responses"}, {"models", "-"},
		{"run", filepath.Join("..", "..", "testdata", "guests", "example", "c"), "--adapter", "codex", "--payload", "-"},
	} {
		silent, writer := io.Pipe()
		var stderr bytes.Buffer
		assert.Equal(t, exitFailed, run(ctx, append(args, "--cache-dir", "off"), silent, io.Discard, &stderr), args)
		assert.Equal(t, "pintle: error: interrupted\n", stderr.String(), args)
		require.NoError(t, writer.Close())
	}
}

// What has no end is not read for ever.
func TestReadUpTo(t *testing.T) {
	for text, want := range map[string]string{"1234": "", "12345": "longer than 4 bytes"} {
		got, err := readUpTo(strings.NewReader(text), 4)
		if want == "" {
			require.NoError(t, err)
			assert.Equal(t, text, string(got))
		} else {
			assert.EqualError(t, err, want)
		}
	}
}

// Errors name the file, once.
func TestReadFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing")} {
		_, err := readFile(t.Context(), path)
		require.Error(t, err)
		assert.Equal(t, 1, strings.Count(err.Error(), path), err)
	}
	path := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	got, err := readFile(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
}
