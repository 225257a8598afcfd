//go:build wasmtime && cgo

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func pintle(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	status = run(t.Context(), append(args, "--cache-dir", t.TempDir()), strings.NewReader(""), &out, &said)
	return status, out.String(), said.String()
}

func TestEveryEngineRunsTheKit(t *testing.T) {
	file := filepath.Join("..", "..", "testdata", "vectors", "developer-messages", "codex-adapter.json")
	var outputs []string
	for _, engine := range []string{"wazero", "wasmtime"} {
		status, stdout, stderr := pintle(t, "conformance", "--engine", engine, file)
		require.Zero(t, status, stderr)
		outputs = append(outputs, stdout)
	}
	assert.Contains(t, outputs[0], " 0 failed")
	assert.Equal(t, outputs[0], outputs[1])
}

func TestEnginesAreNamed(t *testing.T) {
	status, stdout, _ := pintle(t, "version")
	assert.Zero(t, status)
	assert.Regexp(t, `(?m)^  engine wazero .*\n  engine wasmtime .*$`, stdout)
}

func TestUnknownEngine(t *testing.T) {
	status, _, stderr := pintle(t, "version", "--engine", "v8")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, `there is no engine "v8"; there are wazero and wasmtime`)
}
