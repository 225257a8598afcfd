//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/e2e/pi"
)

// script runs a module of the folder sdk in the sandbox, with the extension.
func (p *place) script(t *testing.T, api, module string, env ...string) pi.Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	file, err := filepath.Abs(filepath.Join("sdk", module))
	require.NoError(t, err)
	provider := pi.Providers[api]
	extension, err := filepath.Abs(filepath.Join(root, "clients/pi/src/index.ts"))
	require.NoError(t, err)
	env = append(env, "E2E_SDK="+p.pi.SDK(), "E2E_PROVIDER="+provider, "E2E_MODEL="+pi.Model(provider), "E2E_EXTENSION="+extension)
	out, err := p.pi.Script(ctx, p.Sandbox, p.env(env...), file)
	require.NoError(t, err)
	assert.Empty(t, p.server.Faults())
	return out
}

const sessions, turns = 50, 3

// Fifty conversations of one process at the same time: each request holds the messages of its own session
// and turn.
func TestManySessions(t *testing.T) {
	p := newPlace(t, "1.6.0", repeatPrompt)
	p.guest(t, "testdata/guests/example/c/example.wasm", "pintle/example.wasm")
	p.many(t)
	for _, r := range p.server.Requests() {
		assert.Equal(t, []string{newest(r.Body)}, said(r.Body))
		assert.Contains(t, string(r.Body), "Greet the user before you answer.") // of the guest
	}
	report := p.happened(t)
	assert.Len(t, with(report, "started"), 1, "one sidecar serves the process")
	assert.Len(t, with(report, "turn"), sessions*turns)
	for _, event := range []string{"unchanged", "away", "died"} {
		assert.Empty(t, with(report, event))
	}
}

// The sidecar dies while they all wait: all are answered, and no request has the messages of another turn.
func TestManySessionsLoseTheSidecar(t *testing.T) {
	var p *place
	p = newPlace(t, "1.6.0", func(r mock.Request) mock.Answer {
		if r.Number == sessions+1 {
			pids := p.sidecars(t)
			assert.NoError(t, syscall.Kill(pids[len(pids)-1], syscall.SIGKILL))
		}
		return repeatPrompt(r)
	})
	p.many(t, p.known(t), "E2E_PIDS="+p.pids())
	plain := 0
	for _, r := range p.server.Requests() {
		if own := said(r.Body); len(own) > 0 {
			assert.Equal(t, []string{newest(r.Body)}, own)
		} else {
			plain++
		}
	}
	report := p.happened(t)
	assert.Len(t, with(report, "died"), 1)
	assert.Len(t, with(report, "restarted"), 1)
	assert.Len(t, with(report, "unchanged"), plain)
	assert.Less(t, plain, sessions*turns/2, "the new sidecar serves the rest")
	assert.Len(t, with(report, "away"), min(plain, 1), "the user is told once")
}

// many runs all the conversations and looks at the answers.
func (p *place) many(t *testing.T, env ...string) {
	t.Helper()
	env = append(env, fmt.Sprint("E2E_SESSIONS=", sessions), fmt.Sprint("E2E_TURNS=", turns))
	out := p.script(t, mock.Responses, "many.mjs", env...)
	answered := 0
	for line := range strings.Lines(out.Stdout) {
		var a struct {
			Session, Turn int
			Text          string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		assert.Equal(t, fmt.Sprintf("answer to session %d turn %d", a.Session, a.Turn), a.Text)
		answered++
	}
	assert.Equal(t, sessions*turns, answered)
	assert.Len(t, p.server.Requests(), sessions*turns)
}

var (
	prompts = regexp.MustCompile(`"text":"(session \d+ turn \d+)\."`)
	modes   = regexp.MustCompile(`Mode for: (session \d+ turn \d+)\.`)
)

func repeatPrompt(r mock.Request) mock.Answer {
	return mock.Answer{Text: "answer to " + newest(r.Body)}
}

// newest is the prompt that a request ends with.
func newest(body []byte) string {
	all := prompts.FindAllSubmatch(body, -1)
	return string(all[len(all)-1][1])
}

// said are the turns for which a request has a developer message.
func said(body []byte) []string {
	var all []string
	for _, m := range modes.FindAllSubmatch(body, -1) {
		all = append(all, string(m[1]))
	}
	return all
}
