//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

// howTo is the heading of README.md under which it says what to do for Pi.
const howTo = "### In Pi"

// What the README says for Pi is run as it stands, in the checkout, by a user whose Pi has a model. The guest of
// the how-to takes part in the request.
func TestReadmeForPi(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	script := commands(t, string(readme), howTo)

	p := newPlace(t, "1.6.0", func(mock.Request) mock.Answer { return mock.Answer{Text: "1. Ask the harbour."} })
	settings := `{"defaultProvider": "mock-resp", "defaultModel": "m-resp"}`
	require.NoError(t, os.WriteFile(filepath.Join(p.AgentDir, "settings.json"), []byte(settings), 0o600))
	path := strings.Join([]string{
		filepath.Join(p.Home, "go", "bin"), filepath.Join(p.pi.Package, "..", "..", ".bin"), filepath.Dir(p.pi.Node), os.Getenv("PATH"),
	}, string(os.PathListSeparator))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script)
	cmd.Dir = root
	cmd.Env = p.Env("PATH="+path, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"),
		"PINTLE_REPORT="+p.report(), "PINTLE_START_WAIT=300000", "PINTLE_CALL_LIMIT=60000")
	cmd.WaitDelay = time.Minute
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)

	assert.Contains(t, string(out), "1. Ask the harbour.")
	requests := p.server.Requests()
	require.Len(t, requests, 1)
	assert.Contains(t, string(requests[0].Body), `<pi_developer_prompt_message id=\"mode\">\nPlanning mode.`)
	assert.Contains(t, string(requests[0].Body), `<pi_developer_prompt_message id=\"tool-care\">`)
}

// commands are the lines of the shell blocks below a heading, up to the next one.
func commands(t *testing.T, text, heading string) string {
	t.Helper()
	_, section, found := strings.Cut(text, "\n"+heading+"\n")
	require.True(t, found, "README.md has no heading %q", heading)
	section, _, _ = strings.Cut(section, "\n#")
	var script strings.Builder
	for i, block := range strings.Split(section, "```") {
		if lines, ok := strings.CutPrefix(block, "sh\n"); ok && i%2 == 1 {
			script.WriteString(lines)
		}
	}
	require.NotEmpty(t, script.String())
	return script.String()
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
