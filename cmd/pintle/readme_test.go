package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadmeShowsTheDoctor(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"doctor", "examples/response/stuck.jsonl"}, strings.NewReader(""), &out, &errs)
	assert.Equal(t, exitFailed, status)
	assert.Empty(t, errs.String())
	assert.Contains(t, string(readme), "$ pintle doctor examples/response/stuck.jsonl\n"+out.String()+"```\n")
}

func TestReadmeShowsTheBridge(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, command := range []string{
		"models examples/bridge/models.json",
		"translate --host omp --tools examples/bridge/tools.json examples/bridge/answer.ndjson",
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), strings.Fields(command), strings.NewReader(""), &out, &errs)
		assert.Equal(t, exitOK, status, command)
		assert.Empty(t, errs.String(), command)
		shown := out.String()
		if before, _, ok := strings.Cut(shown, `"message":{`); ok {
			shown = before + "\"message\":{…}}\n"
		}
		assert.Contains(t, string(readme), "$ pintle "+command+"\n"+shown+"```\n")
	}
}

// Whoever puts the README's guest in Go into the one that `pintle new` has written gets a guest.
func TestReadmeShowsAGuestInGo(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "```go\npackage main\n")
	require.True(t, ok)
	source, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	_, rest, ok = strings.Cut(string(readme), "```toml\nid = ")
	require.True(t, ok)
	manifest, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)

	t.Chdir(t.TempDir())
	command := func(args ...string) {
		var out, errs bytes.Buffer
		status := run(context.Background(), args, strings.NewReader(""), &out, &errs)
		require.Equal(t, exitOK, status, "%s\n%s%s", args, out.String(), errs.String())
	}
	command("new", "hello", "--lang", "go")
	require.NoError(t, os.WriteFile("hello/main.go", []byte("package main\n"+source), 0o600))
	require.NoError(t, os.WriteFile("hello/pintle.toml", []byte("id = "+manifest), 0o600))
	command("build", "hello")
}
