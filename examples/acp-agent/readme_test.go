package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mainReadme = "../../README.md"

// howTo is the heading in the main README below which it says what to do.
const howTo = "### In an ACP editor\n"

// block is the first block of a language in a text.
func block(t *testing.T, text, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text)
	require.NotNil(t, found, "no block in %s", language)
	return found[1]
}

// agentServers is the part of Zed's settings that is about agents.
type agentServers struct {
	Servers map[string]struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	} `json:"agent_servers"`
}

// What the main README says about editors is done as it stands, by a user with a home of their own, and the
// guest of the how-to takes part in the request.
func TestReadme(t *testing.T) {
	_, section, found := strings.Cut(readTestFile(t, mainReadme), howTo)
	require.True(t, found, "%s has no section %q", mainReadme, howTo)
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	env := []string{"HOME=" + home, "GOBIN=" + bin, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	build := exec.CommandContext(t.Context(), "sh", "-ec", block(t, section, "sh"))
	build.Dir = filepath.Dir(mainReadme)
	build.Env = append(os.Environ(), env...)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	var settings agentServers
	require.NoError(t, json.Unmarshal([]byte(block(t, section, "json")), &settings))
	require.Len(t, settings.Servers, 1)
	for _, s := range settings.Servers {
		assert.Equal(t, "custom", s.Type)
		assert.NotContains(t, s.Command, "/", "it is on the PATH")
		server, url := startProvider(t, anthropicSays("1. Ask the harbour."))
		for name, value := range s.Env {
			env = append(env, name+"="+value)
		}
		cmd := exec.Command(filepath.Join(bin, s.Command), s.Args...)
		cmd.Env = append(append(os.Environ(), env...), "ANTHROPIC_BASE_URL="+url)
		e := startCommand(t, cmd)
		id := e.newSession(project(t))
		assert.Equal(t, "end_turn", e.prompt(id, "/plan Move the 07:40 to quay B.").stop())
		assert.Equal(t, "1. Ask the harbour.", strings.Join(e.texts("agent_message_chunk"), ""))
		assert.Zero(t, e.close())
		requests := server.take()
		require.Len(t, requests, 1)
		assert.Contains(t, requests[0], "Planning mode.")
		assert.FileExists(t, filepath.Join(home, ".pintle", "acp", "sessions", id, "session.jsonl"))
	}

	// The example's own README has the same for Zed.
	assert.Equal(t, block(t, section, "json"), block(t, readTestFile(t, "README.md"), "json"))
}

// The README's script is one that the agent takes.
func TestReadmeScript(t *testing.T) {
	_, section, found := strings.Cut(readTestFile(t, "README.md"), "Without a key")
	require.True(t, found)
	e := startEditor(t, t.TempDir(), block(t, section, "json"))
	id := e.newSession(project(t))
	assert.Equal(t, "end_turn", e.prompt(id, "Which quay?").stop())
	assert.Equal(t, "Quay A is free.", strings.Join(e.texts("agent_message_chunk"), ""))
	assert.Zero(t, e.close())
}
