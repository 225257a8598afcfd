package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// binary is the agent, built for these tests.
var binary string

func TestMain(m *testing.M) {
	code := func() int {
		dir, err := os.MkdirTemp("", "acp-agent-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "acp-agent")
		build := exec.Command("go", "build", "-o", binary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
		if err := ownUser(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}()
	os.Exit(code)
}

// ownUser gives the agent of these tests a user of its own, and leaves Go its caches.
func ownUser(dir string) error {
	vars := map[string]string{"HOME": filepath.Join(dir, "home"), "XDG_CACHE_HOME": filepath.Join(dir, "cache"), "XDG_CONFIG_HOME": filepath.Join(dir, "config")}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOENV"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		vars[name] = strings.TrimSpace(string(out))
	}
	for name, value := range vars {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Standard output belongs to the protocol, also when the command line is wrong.
func TestCommandLine(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	assert.NoError(t, os.WriteFile(bad, []byte(`{"script":5}`), 0o600))
	for _, c := range []struct {
		args string
		exit int
		want string
	}{
		{"", 2, "give a --provider and a --model, or a --script"},
		{"--provider openai", 2, "--model"},
		{"--provider acme --model x", 1, `unknown provider "acme"`},
		{"--colour", 2, "-colour"},
		{"--help", 0, "-sessions"},
		{"--model x --provider openai more", 2, `unknown argument "more"`},
		{"--script nowhere.json", 2, "nowhere.json"},
		{"--script " + bad, 2, "bad.json"},
		{"--provider anthropic --model x --guests nowhere", 1, "nowhere"},
		{"--provider openai --model x", 2, "set OPENAI_API_KEY"},
	} {
		var stdout, stderr strings.Builder
		cmd := exec.Command(binary, strings.Fields(c.args)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		assert.Equal(t, c.exit, cmd.ProcessState.ExitCode(), c.args)
		assert.Empty(t, stdout.String(), c.args)
		assert.Contains(t, stderr.String(), c.want, c.args)
		assert.LessOrEqual(t, strings.Count(stderr.String(), "acp-agent: "), 1, c.args)
	}
}
