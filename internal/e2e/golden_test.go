//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

var update = flag.Bool("update", false, "write the golden files")

// golden is what a run sent and kept, and what the envelope service said. Keys of requests stay in the order
// that they were sent in.
type golden struct {
	Requests  []json.RawMessage `json:"requests"`
	Session   []any             `json:"session"`
	Envelopes []any             `json:"envelopes"`
}

// Two turns, the first with a tool call, with the adapters that Pintle has by itself, contributions in guests
// and in the agent's process.
func TestGolden(t *testing.T) {
	for _, version := range []string{"0.74.2", "1.6.0"} {
		for _, api := range mock.APIs {
			t.Run(version+" "+api, func(t *testing.T) {
				p := newPlace(t, version, conversation)
				p.guest(t, "testdata/guests/example/rust/example.wasm", "guests/example.wasm")
				p.guest(t, "testdata/guests/faults/c/faults.wasm", "pintle/faults.wasm") // found without a setting
				p.pintle(t, "grant", "--yes", filepath.Join(p.AgentDir, "guests", "example.wasm"))
				p.sidecar(t, `guests = [{file = "guests/example.wasm", config = {template = "{provider} asks {tools}: {prompt}"}}]`)
				out := p.run(t, api, append(p.checked(t), "E2E_SCENARIO=1"), "-p", "--no-builtin-tools", "--system-prompt", "You are Harbour.",
					"--append-system-prompt", "Answer in one line.", "Which quay?", "And tomorrow?")
				assert.Equal(t, "Tomorrow as well.\n", out.Stdout)

				requests := p.server.Requests()
				require.Len(t, requests, 3)
				var got golden
				for _, r := range requests {
					got.Requests = append(got.Requests, json.RawMessage(cacheKey.ReplaceAllString(p.original(string(r.Body)), `$1"…"`)))
				}
				got.Session = written(p.entries(t))
				for _, e := range with(p.events(t), "envelope") {
					got.Envelopes = append(got.Envelopes, e["envelope"])
				}
				compareGolden(t, fmt.Sprintf("testdata/golden/pi-%s.%s.json", version, api), got)
			})
		}
	}
}

var cacheKey = regexp.MustCompile(`("prompt_cache_key":)"[^"]*"`)

// pintle runs the command as the sandbox's user.
func (p *place) pintle(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Env, cmd.Dir = p.Env(), p.CWD
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// conversation calls the tool, then answers twice.
func conversation(r mock.Request) mock.Answer {
	switch r.Number {
	case 1:
		return mock.Answer{Text: "I look it up.", Calls: []mock.Call{{ID: "call_1", Name: "timetable", Arguments: `{"quay":"B"}`}}}
	case 2:
		return mock.Answer{Text: "Quay B."}
	default:
		return mock.Answer{Text: "Tomorrow as well."}
	}
}

func compareGolden(t *testing.T, path string, got golden) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	require.NoError(t, e.Encode(got))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}
