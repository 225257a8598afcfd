package guestbuild_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A jsHost builds guests in JavaScript and runs them. Tests of one host share the compiled engine.
type jsHost struct {
	runtime *runtime.Runtime
	cache   string
	logs    *collector
}

func newJSHost(t *testing.T) *jsHost {
	t.Helper()
	h := &jsHost{cache: enginetest.CodeDir(), logs: &collector{}}
	h.runtime = runtime.New(enginetest.New(), runtime.Options{Logger: slog.New(h.logs), Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, h.runtime.Close(context.Background())) })
	return h
}

// build builds a folder. It returns the guest's file and what the build warned of.
func (h *jsHost) build(t *testing.T, dir string) (file []byte, warnings []string, err error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Out: out, CacheDir: h.cache,
		Warn: func(w string) { warnings = append(warnings, w) }})
	if err != nil {
		return nil, warnings, err
	}
	file, err = os.ReadFile(out)
	require.NoError(t, err)
	return file, warnings, nil
}

// A jsGuest is asked one case at a time. One that failed is loaded anew for the next case.
type jsGuest struct {
	manifest *abi.Manifest
	runner   *guesttest.Runner
}

// guest builds a guest of which the test gives some files. pintle.toml may be among them.
func (h *jsHost) guest(t *testing.T, files map[string]string, opts runtime.GuestOptions) *jsGuest {
	t.Helper()
	if _, has := files["pintle.toml"]; !has {
		files["pintle.toml"] = "id = \"t\"\nversion = \"1\"\n"
	}
	file, warnings, err := h.build(t, jsFolder(t, files))
	require.NoError(t, err)
	require.Empty(t, warnings)
	a, err := runtime.Examine("t", file)
	require.NoError(t, err)
	g := &jsGuest{manifest: a.Manifest, runner: &guesttest.Runner{
		Load: func(ctx context.Context, _ map[string]string) (*runtime.Guest, error) {
			return h.runtime.Load(ctx, "t", file, opts)
		}}}
	t.Cleanup(func() { assert.NoError(t, g.runner.Close(context.Background())) })
	return g
}

// ask puts a case to the guest: a map in the form of cases.json.
func (g *jsGuest) ask(t *testing.T, c map[string]any) guesttest.Answer {
	t.Helper()
	c["name"] = "it"
	text, err := json.Marshal([]any{c})
	require.NoError(t, err)
	suite, err := guesttest.Parse("cases.json", text)
	require.NoError(t, err)
	return g.runner.Ask(t.Context(), suite.Cases[0])
}

// jsFolder writes files, by path, into a folder of its own.
func jsFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// runCases runs the cases that stand beside a guest's sources.
func (h *jsHost) runCases(t *testing.T, cases string, file []byte) {
	t.Helper()
	text, err := os.ReadFile(cases)
	require.NoError(t, err)
	suite, err := guesttest.Parse(cases, text)
	require.NoError(t, err)
	require.NotEmpty(t, suite.Cases)
	r := &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
		return h.runtime.Load(ctx, "t", file, runtime.GuestOptions{Config: config})
	}}
	defer func() { assert.NoError(t, r.Close(context.Background())) }()
	for _, c := range suite.Cases {
		result := r.Run(t.Context(), c)
		assert.True(t, result.Passed, "%s: %s %v", c.Name, result.Fault, result.Diff)
	}
}

// A collector keeps what guests log.
type collector struct {
	mu    sync.Mutex
	lines []string
}

func (c *collector) Enabled(context.Context, slog.Level) bool { return true }
func (c *collector) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c *collector) WithGroup(string) slog.Handler            { return c }

func (c *collector) Handle(_ context.Context, r slog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, r.Level.String()+" "+r.Message)
	return nil
}

// take returns what was logged since it was asked last.
func (c *collector) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	return lines
}

func TestMain(m *testing.M) { enginetest.Main(m) }
