package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The guide for authors shows commands, which run one after the other from an empty folder.
func TestGuestsReadmeCommandsRun(t *testing.T) {
	guide, err := os.ReadFile("../../guests/README.md")
	require.NoError(t, err)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", "") // TypeScript needs nothing but this command
	t.Chdir(t.TempDir())
	ran := 0
	for line := range strings.Lines(string(guide)) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		words := strings.Fields(command)
		if words[0] == "cd" {
			t.Chdir(words[1])
			continue
		}
		require.Equal(t, "pintle", words[0], line)
		if strings.Contains(line, "released/") { // what the author published before
			file, err := os.ReadFile("hello.wasm")
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll("released", 0o755))
			require.NoError(t, os.WriteFile(filepath.Join("released", "hello.wasm"), file, 0o644))
		}
		var out, errs bytes.Buffer
		status := run(context.Background(), words[1:], strings.NewReader(""), &out, &errs)
		assert.Equal(t, exitOK, status, "%s%s%s", line, out.String(), errs.String())
		ran++
	}
	assert.GreaterOrEqual(t, ran, 10)
}

// The table of languages names every language that there is a template for, and links to SDKs that exist.
func TestGuestsReadmeLinks(t *testing.T) {
	guide, err := os.ReadFile("../../guests/README.md")
	require.NoError(t, err)
	for _, after := range strings.Split(string(guide), "](")[1:] {
		target, _, _ := strings.Cut(after, ")")
		_, err := os.Stat(filepath.Join("../../guests", filepath.FromSlash(target)))
		assert.NoError(t, err, target)
	}
}
