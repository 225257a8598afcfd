package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
)

// The program runs as it is written, twice: the second process goes on where the first one was.
func TestHowto(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "howto")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	guest, err := os.ReadFile("../../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "guest.wasm"), guest, 0o600))
	answer, err := os.ReadFile("../openai/testdata/responses-done.sse")
	require.NoError(t, err)
	server := loopback.Serve(t, loopback.Reply{Body: string(answer)})
	for at, prompt := range []string{"When is high water?", "And tomorrow?"} {
		c := exec.CommandContext(t.Context(), command, prompt)
		c.Dir = dir
		c.Env = append(os.Environ(), "OPENAI_API_KEY=secret", "OPENAI_BASE_URL="+server.URL+"/v1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), []string{"turn 1: completed", "turn 2: completed"}[at])
		assert.Contains(t, string(out), "High water is at 14:10.")
	}
	requests := server.Requests()
	require.Len(t, requests, 2)
	for _, r := range requests {
		assert.Equal(t, "/v1/responses", r.Path)
		assert.Contains(t, r.Body, `"instructions":"You are a coding agent."`)
		assert.Equal(t, 1, strings.Count(r.Body, `<pi_developer_prompt_message id=\"environment\"`))
	}
	assert.Contains(t, requests[1].Body, `"id":"msg_2"`, "the answer goes back as OpenAI gave it")
	assert.Contains(t, requests[1].Body, "When is high water?")
}

// The main README shows the function run to the letter.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "func run(")
	require.True(t, ok)
	body, _, ok = strings.Cut(body, "\n}\n")
	require.True(t, ok)
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "```go\nfunc run("+body+"\n}\n```\n")
}
