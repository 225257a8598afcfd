package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// THIRD_PARTY.md has the licences of all that the command is linked with, as the modules have them.
func TestThirdParty(t *testing.T) {
	file, err := os.ReadFile("../../THIRD_PARTY.md")
	require.NoError(t, err)
	list := exec.CommandContext(t.Context(), "go", "list", "-tags", "wasmtime", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1") // without it there is no wasmtime; nothing is compiled
	out, err := list.Output()
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(out)) {
		path, dir, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		seen++
		assert.Contains(t, string(file), path)
		texts := 0
		for _, pattern := range []string{"LICENSE*", "COPYING*", "NOTICE*", "PATENTS*"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			require.NoError(t, err)
			for _, path := range paths {
				texts++
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				text = []byte(strings.Trim(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"))
				assert.True(t, strings.Contains(string(file), "\n"+string(text)+"\n"), "copy it into THIRD_PARTY.md: %s", path)
			}
		}
		assert.NotZero(t, texts, dir)
	}
	assert.NotZero(t, seen)
}
