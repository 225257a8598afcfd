//go:build e2e

// Package e2e tests Pintle inside real agents: Pi from npm with the extension of clients/pi, which starts the
// sidecar, against mocks of the providers. It needs what make e2e installs.
package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/e2e/pi"
)

const root = "../.."

// command is the pintle that the sidecars of all tests are; they share their compiled guests. relay stands in
// front of it where what passes is checked against the protocol's schema.
var command, relay, cache string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "pintle-e2e-")
	if err != nil {
		panic(err)
	}
	command, relay, cache = filepath.Join(folder, "pintle"), filepath.Join(folder, "relay"), filepath.Join(folder, "cache")
	build := exec.Command("go", "build", "-o", folder, "./cmd/pintle", "./internal/sidecar/wiretest/relay")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build of the commands:", err)
		os.Exit(1)
	}
	if err := warmUp(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// patience is how long a test waits for what must come.
const patience = 10 * time.Minute

// warmUp compiles the stock adapters: the sidecars of tests that run side by side would all do it, and a start that
// takes half a minute is given up.
func warmUp() error {
	compile := exec.Command(command, "conformance", "testdata/vectors/developer-messages/codex-adapter.json")
	compile.Dir, compile.Env = root, append(os.Environ(), "XDG_CACHE_HOME="+cache)
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the adapters: %w\n%s", err, out)
	}
	return nil
}

// place is one sandbox with its mock and one Pi.
type place struct {
	*pi.Sandbox
	pi     *pi.Install
	server *mock.Server
	day    string
	plain  bool // without the extension
}

func newPlace(t *testing.T, version string, script mock.Script) *place {
	t.Helper()
	server := mock.Start(script)
	t.Cleanup(server.Close)
	install, err := pi.Find(root, version)
	require.NoError(t, err)
	s, err := pi.NewSandbox(t.TempDir(), server)
	require.NoError(t, err)
	return &place{Sandbox: s, pi: install, server: server, day: today()}
}

func (p *place) record() string { return filepath.Join(p.Home, "record.jsonl") }
func (p *place) report() string { return filepath.Join(p.Home, "report.jsonl") }

// env is what the tests' extensions and the client read.
func (p *place) env(more ...string) []string {
	return append([]string{
		"PINTLE_COMMAND=" + command, "PINTLE_REPORT=" + p.report(), "E2E_RECORD=" + p.record(),
		"XDG_CACHE_HOME=" + cache,
		// A turn that is faster than the sidecar's start goes out without it, and a call that takes long too.
		"PINTLE_START_WAIT=300000", "PINTLE_CALL_LIMIT=60000",
	}, more...)
}

// checked is the environment of a sidecar behind the relay. In the end nothing must have been wrong.
func (p *place) checked(t *testing.T) []string {
	t.Helper()
	faults := filepath.Join(p.Home, "faults")
	t.Cleanup(func() {
		text, err := os.ReadFile(faults)
		assert.ErrorIs(t, err, fs.ErrNotExist, "not as in the schema: %s", text)
	})
	return []string{"PINTLE_COMMAND=" + relay, "PINTLE_RELAYED=" + command, "PINTLE_FAULTS=" + faults}
}

// sidecar writes the sidecar's configuration.
func (p *place) sidecar(t *testing.T, toml string) {
	t.Helper()
	folder := filepath.Join(p.AgentDir, "pintle")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "sidecar.toml"), []byte(toml), 0o600))
}

// guest puts a guest into a folder of the agent directory. In "pintle" the sidecar finds it by itself.
func (p *place) guest(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, from))
	require.NoError(t, err)
	to = filepath.Join(p.AgentDir, to)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, data, 0o600))
}

// run runs Pi once, with the extension between the two that record.
func (p *place) run(t *testing.T, api string, env []string, args ...string) pi.Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := p.pi.Run(ctx, p.Sandbox, p.env(env...), append(p.args(t, api), args...)...)
	require.NoError(t, err)
	assert.Empty(t, p.server.Faults())
	return out
}

// args are what all runs of Pi have on their command line.
func (p *place) args(t *testing.T, api string) []string {
	t.Helper()
	provider := pi.Providers[api]
	all := []string{"--session-dir", p.Sessions, "--provider", provider, "--model", pi.Model(provider)}
	for _, e := range []string{"internal/e2e/extensions/before.mjs", "clients/pi/src/index.ts", "internal/e2e/extensions/after.mjs"} {
		if p.plain && strings.HasPrefix(e, "clients/") {
			continue
		}
		path, err := filepath.Abs(filepath.Join(root, e))
		require.NoError(t, err)
		all = append(all, "-e", path)
	}
	return all
}

// original puts the paths and the date of the recorded runs where this run has its own.
func (p *place) original(text string) string {
	pairs := []string{p.AgentDir, "/home/u/.pi/agent", p.CWD, "/srv/ferry"}
	for _, day := range []string{p.day, today()} { // two, at midnight
		for _, before := range []string{"<current_date>", "Current date: "} {
			pairs = append(pairs, before+day, before+"2026-11-30")
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// today is the date where the sandboxes are.
func today() string {
	zone, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		panic(err)
	}
	return time.Now().In(zone).Format(time.DateOnly)
}

// events are what the tests' extensions wrote down.
func (p *place) events(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := pi.Lines(p.record())
	require.NoError(t, err)
	return p.objects(t, lines)
}

// entries are the session's.
func (p *place) entries(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := p.Session()
	require.NoError(t, err)
	return p.objects(t, lines)
}

func (p *place) objects(t *testing.T, lines []json.RawMessage) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, line := range lines {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(p.original(string(line))), &o))
		all = append(all, o)
	}
	return all
}
