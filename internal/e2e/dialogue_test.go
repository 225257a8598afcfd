//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/e2e/pi"
)

// dialogue is a Pi in RPC mode: it lives over several prompts, and has a user interface.
type dialogue struct {
	*place
	process *pi.Process
	notices []string // what the user was told by Pintle
}

func talk(t *testing.T, p *place, env ...string) *dialogue {
	t.Helper()
	args := append(p.args(t, mock.Responses), "--mode", "rpc", "--no-tools", "--system-prompt", "You are Harbour.")
	process, err := p.pi.Start(p.Sandbox, p.env(append(env, "E2E_CONTRIBUTION=demo/mode")...), p.pi.CLI(), args...)
	require.NoError(t, err)
	over := time.AfterFunc(patience, func() { _ = process.Close() }) // a line that never comes
	d := &dialogue{place: p, process: process}
	t.Cleanup(func() {
		over.Stop()
		require.NoError(t, process.Close())
	})
	return d
}

// do sends a command and reads on until it is done: a prompt when Pi will not go on by itself, another
// command when it is answered.
func (d *dialogue) do(t *testing.T, command object) {
	t.Helper()
	line, err := json.Marshal(command)
	require.NoError(t, err)
	require.NoError(t, d.process.Send(string(line)))
	for {
		line, err := d.process.Next()
		require.NoError(t, err)
		var e struct {
			Type, Command, Method string
			Message               json.RawMessage // of an event, too
			Success               bool
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		switch {
		case e.Type == "extension_ui_request" && e.Method == "notify":
			d.notices = append(d.notices, string(e.Message))
		case e.Type == "extension_error":
			t.Errorf("an extension failed: %s", line)
		case e.Type == "response" && e.Command == command["type"]:
			require.True(t, e.Success, line)
			if e.Command != "prompt" {
				return
			}
		case command["type"] == "prompt" && e.Type == "agent_settled":
			return
		}
	}
}

func (d *dialogue) prompt(t *testing.T, text string) {
	t.Helper()
	d.do(t, object{"type": "prompt", "message": text})
}

// last is the newest request.
func (d *dialogue) last() string {
	requests := d.server.Requests()
	return string(requests[len(requests)-1].Body)
}

func numberedAnswer(r mock.Request) mock.Answer {
	return mock.Answer{Text: fmt.Sprintf("answer %d", r.Number)}
}

// With a user interface the user hears once that the sidecar is away, and once that it is back.
func TestUserIsTold(t *testing.T) {
	p := newPlace(t, "1.6.0", numberedAnswer)
	d := talk(t, p, p.known(t), "E2E_PIDS="+p.pids(), "E2E_FAULT=render SIGKILL")
	d.prompt(t, "Which quay?")
	assert.NotContains(t, d.last(), "Mode for:")
	if assert.NotEmpty(t, d.notices) { // the other one comes when the new sidecar has started, which may be soon
		assert.Contains(t, d.notices[0], "requests go out as Pi built them")
	}
	d.prompt(t, "And tomorrow?")
	assert.Contains(t, d.last(), "Mode for: And tomorrow?")
	if assert.Len(t, d.notices, 2) {
		assert.Contains(t, d.notices[1], "back")
	}
}

// Pi's request for a summary has nothing of the envelope; the turn after it has all.
func TestCompaction(t *testing.T) {
	p := newPlace(t, "1.6.0", numberedAnswer)
	require.NoError(t, keepNothing(p))
	d := talk(t, p)
	d.prompt(t, "Which quay? "+strings.Repeat("Tell me all. ", 50))
	d.prompt(t, "And tomorrow?")
	d.do(t, object{"type": "compact"})
	summary := d.last()
	for _, part := range []string{"Mode for:", "environment_context", "# AGENTS.md instructions for"} {
		assert.NotContains(t, summary, part)
	}
	d.prompt(t, "And then?")
	after := d.last()
	assert.Equal(t, 2, strings.Count(after, "<pi_developer_prompt_message id="))
	assert.Contains(t, after, "Mode for: And then?")
	context, conversation := strings.Index(after, "# AGENTS.md instructions for"), strings.Index(after, "answer 3")
	assert.Less(t, 0, context)
	assert.Less(t, context, conversation, "the context files are in front of the summary")
	assert.Empty(t, d.notices)
}

// A new session in the same process has an envelope and records of its own, from the same sidecar.
func TestNewSession(t *testing.T) {
	p := newPlace(t, "1.6.0", numberedAnswer)
	d := talk(t, p)
	d.prompt(t, "Which quay?")
	d.do(t, object{"type": "new_session"})
	d.prompt(t, "Which ferry?")
	assert.Contains(t, d.last(), "Mode for: Which ferry?")
	assert.NotContains(t, d.last(), "quay")
	assert.Empty(t, d.notices)
	for _, event := range []string{"unchanged", "died", "closed", "restarted"} {
		assert.Empty(t, with(p.happened(t), event))
	}
}

// Pi goes on with a session in another process: what was recorded and is the same is not recorded again.
func TestResumedSession(t *testing.T) {
	for _, version := range []string{"0.74.2", "1.6.0"} {
		t.Run(version, func(t *testing.T) {
			p := newPlace(t, version, numberedAnswer)
			for _, prompt := range []string{"Which quay?", "And tomorrow?"} {
				p.run(t, mock.Responses, []string{"E2E_CONTRIBUTION=demo/mode"}, "--continue", "-p", "--no-tools", "--system-prompt", "You are Harbour.", prompt)
			}
			var recorded [][]string
			for _, e := range p.entries(t) {
				if e["customType"] != "pi-developer-messages/group" {
					continue
				}
				var ids []string
				for _, record := range e["data"].(object)["entries"].([]any) {
					ids = append(ids, record.(object)["id"].(string))
				}
				recorded = append(recorded, ids)
			}
			assert.Equal(t, [][]string{{"demo/mode", "environment", "agents-md"}, {"demo/mode"}}, recorded)
			requests := p.server.Requests()
			require.Len(t, requests, 2)
			assert.Contains(t, string(requests[1].Body), "answer 1")
		})
	}
}

// keepNothing makes Pi summarize a short conversation.
func keepNothing(p *place) error {
	settings := `{"transport": "sse", "compaction": {"keepRecentTokens": 1}}`
	return os.WriteFile(filepath.Join(p.AgentDir, "settings.json"), []byte(settings), 0o600)
}
