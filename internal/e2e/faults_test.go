//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/e2e/pi"
)

// known makes the sidecars of a place write down their process ids.
func (p *place) known(t *testing.T) string {
	t.Helper()
	command, err := json.Marshal([]string{"/bin/sh", "-c", `echo $$ >> "$E2E_PIDS"; exec "$0" "$@"`, command})
	require.NoError(t, err)
	return "PINTLE_COMMAND=" + string(command)
}

func (p *place) pids() string { return filepath.Join(p.Home, "pids") }

// sidecars are the process ids of the sidecars that were started.
func (p *place) sidecars(t *testing.T) []int {
	t.Helper()
	data, err := os.ReadFile(p.pids())
	require.NoError(t, err)
	var all []int
	for _, field := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		all = append(all, pid)
	}
	return all
}

// happened is the report of the extension.
func (p *place) happened(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := pi.Lines(p.report())
	require.NoError(t, err)
	return p.objects(t, lines)
}

// with returns the entries of a report for one event.
func with(report []map[string]any, event string) []map[string]any {
	var all []map[string]any
	for _, e := range report {
		if e["event"] == event {
			all = append(all, e)
		}
	}
	return all
}

// The sidecar is killed, or stops without a word, at one place of the first turn. Pi goes on: all turns are
// answered, no request holds anything of another turn, and in the end all is as before.
func TestSidecarLost(t *testing.T) {
	for _, at := range []string{"render", "before_agent_start", "context", "before_provider_request", "provider"} {
		for signal, versions := range map[string][]string{"SIGKILL": {"0.74.2", "1.6.0"}, "SIGSTOP": {"1.6.0"}} {
			for _, version := range versions {
				t.Run(fmt.Sprintf("%s %s %s", version, at, signal), func(t *testing.T) {
					t.Parallel()
					lose(t, version, at, signal)
				})
			}
		}
	}
}

func lose(t *testing.T, version, at, signal string) {
	asked := []string{"Which quay?", "And tomorrow?", "And then?"}
	var p *place
	p = newPlace(t, version, func(r mock.Request) mock.Answer {
		if at == "provider" && r.Number == 1 {
			pids := p.sidecars(t)
			pid := pids[len(pids)-1]
			assert.NoError(t, syscall.Kill(pid, signals[signal]))
			assert.Eventually(t, func() bool { return stands(pid) }, patience, time.Millisecond)
		}
		return mock.Answer{Text: fmt.Sprintf("answer %d", r.Number)}
	})
	env := []string{p.known(t), "E2E_PIDS=" + p.pids(), fmt.Sprintf("E2E_FAULT=%s %s", at, signal), "E2E_CONTRIBUTION=demo/mode"}
	if signal == "SIGSTOP" {
		env = append(env, "PINTLE_CALL_LIMIT=15000") // which is waited for
	}
	out := p.run(t, mock.Responses, env, append([]string{"-p", "--no-tools", "--system-prompt", "You are Harbour."}, asked...)...)
	assert.Equal(t, "answer 3\n", out.Stdout)

	requests := p.server.Requests()
	require.Len(t, requests, len(asked))
	plain := 0
	for i, r := range requests {
		switch n := strings.Count(string(r.Body), "<pi_developer_prompt_message id="); n {
		case 0:
			plain++
			assert.NotContains(t, string(r.Body), "Mode for:")
		default:
			assert.Equal(t, 2, n, "developer messages in request %d", i+1)
			assert.Contains(t, string(r.Body), "Mode for: "+asked[i])
		}
	}
	assert.Contains(t, string(requests[2].Body), "Mode for: And then?")
	if at == "render" {
		assert.NotContains(t, string(requests[0].Body), "Mode for:")
	}

	report := p.happened(t)
	assert.Len(t, with(report, "started"), 1)
	assert.NotEmpty(t, with(report, "died"))
	assert.NotEmpty(t, with(report, "restarted"))
	assert.Len(t, with(report, "unchanged"), plain)
	told := strings.Count(out.Stderr, "requests go out as Pi built them")
	assert.Equal(t, min(plain, 1), told, "the user is told once: %s", out.Stderr)
	assert.Len(t, with(report, "away"), told)
	assert.Len(t, with(report, "back"), told)
	for _, pid := range p.sidecars(t) {
		gone := func() bool { return syscall.Kill(pid, 0) != nil }
		assert.Eventually(t, gone, patience, 50*time.Millisecond, "sidecar %d was left behind", pid)
	}
}

// stands tells whether a process is stopped, dead or gone, or nobody can say.
func stands(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(text), ") ")
	return err != nil || !found || strings.Contains("TZX", state[:1])
}

var signals = map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGSTOP": syscall.SIGSTOP}

// There is no sidecar at all: Pi answers, and says so once.
func TestNoSidecar(t *testing.T) {
	for _, version := range []string{"0.74.2", "1.6.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			args := []string{"-p", "--no-tools", "--system-prompt", "You are Harbour.", "Which quay?", "And tomorrow?"}
			answer := func(mock.Request) mock.Answer { return mock.Answer{Text: "Quay B."} }
			p := newPlace(t, version, answer)
			out := p.run(t, mock.Responses, []string{"PINTLE_COMMAND=" + filepath.Join(p.Home, "none"), "E2E_CONTRIBUTION=demo/mode"}, args...)
			assert.Equal(t, "Quay B.\n", out.Stdout)
			assert.Equal(t, 1, strings.Count(out.Stderr, "requests go out as Pi built them"), out.Stderr)
			for _, r := range p.server.Requests() {
				assert.NotContains(t, string(r.Body), "pi_developer_prompt_message")
				assert.Contains(t, string(r.Body), p.CWD+"/AGENTS.md") // of Pi's own prompt
			}
			assert.Len(t, with(p.happened(t), "away"), 1)
			assert.Len(t, with(p.happened(t), "unchanged"), 2)
		})
	}
}
