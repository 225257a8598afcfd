//go:build e2e

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

// A guest whose contributions loop, recurse, allocate without end and panic: each of them costs its own place
// in the prompt, and the report names them.
func TestHangingGuest(t *testing.T) {
	for _, version := range []string{"0.74.2", "1.6.0"} {
		t.Run(version, func(t *testing.T) {
			p, out := hang(t, version, "")
			assert.Equal(t, "answer\n", out)
			requests := p.server.Requests()
			require.Len(t, requests, 2)
			for _, r := range requests {
				body := string(r.Body)
				for _, id := range []string{"calm", "demo/mode", "environment"} {
					assert.Contains(t, body, `<pi_developer_prompt_message id=\"`+id)
				}
				for _, id := range []string{"spin", "dive", "hoard", "sink"} {
					assert.NotContains(t, body, `<pi_developer_prompt_message id=\"`+id)
				}
			}
			turns := with(p.happened(t), "turn")
			require.Len(t, turns, 2)
			for _, turn := range turns {
				text, err := json.Marshal(turn)
				require.NoError(t, err)
				for _, id := range []string{"spin", "dive", "hoard", "sink"} {
					assert.Contains(t, string(text), id)
				}
			}
		})
	}
}

// Where the user wants all or nothing, the turn goes out with Pi's own prompt, and Pi says why.
func TestHangingGuestUnderFailPolicy(t *testing.T) {
	p, out := hang(t, "1.6.0", "policy = \"fail\"\n")
	assert.Equal(t, "answer\n", out)
	for _, r := range p.server.Requests() {
		assert.NotContains(t, string(r.Body), "pi_developer_prompt_message")
		assert.Contains(t, string(r.Body), p.CWD+"/AGENTS.md") // of Pi's own prompt
	}
	turns := with(p.happened(t), "turn")
	require.Len(t, turns, 2)
	assert.NotEmpty(t, turns[0]["error"])
}

func hang(t *testing.T, version, toml string) (*place, string) {
	t.Helper()
	p := newPlace(t, version, func(mock.Request) mock.Answer { return mock.Answer{Text: "answer"} })
	p.guest(t, "testdata/guests/faults/c/faults.wasm", "pintle/faults.wasm")
	p.sidecar(t, toml)
	out := p.run(t, mock.Responses, []string{"E2E_CONTRIBUTION=demo/mode"}, "-p", "--no-tools", "--system-prompt", "You are Harbour.", "Which quay?", "And tomorrow?")
	return p, out.Stdout
}
