package runtime_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// The guest in freestanding C, built from testdata/guests/c as guest.c says. It knows nothing of Go and
// its SDK.
const cGuest = "../testdata/guests/c"

func loadC(t *testing.T, opts runtime.Options) *runtime.Guest {
	t.Helper()
	file, err := os.ReadFile(cGuest + "/c.wasm")
	require.NoError(t, err)
	return load(t, newRuntime(t, opts), file)
}

func renderC(g *runtime.Guest, prompt *string) (string, error) {
	options := map[string]any{"cwd": "/work/app", "skills": []any{map[string]any{"name": "a", "deep": []any{[]any{1, -2, 3.5, nil, true}}}}}
	request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: prompt, SystemPromptOptions: options})
	if err != nil {
		return "", err
	}
	value, err := g.Call(context.Background(), runtime.Call{Op: abi.RenderV1, Request: request})
	if err != nil {
		return "", err
	}
	return abi.Text(value)
}

func TestCGuestIsBuiltFromItsManifest(t *testing.T) {
	want, err := guestbuild.ReadManifest(cGuest)
	require.NoError(t, err)
	g := loadC(t, runtime.Options{})
	section, err := abi.EncodeManifest(want)
	require.NoError(t, err)
	want, err = abi.DecodeManifest(section)
	require.NoError(t, err)
	assert.Equal(t, want, g.Artifact().Manifest)
	assert.Equal(t, uint64(1<<20), g.Limits().MemoryBytes)
	for _, im := range g.Artifact().Module().Imports {
		assert.Equal(t, abi.HostModule, im.Module, "it needs no WASI")
	}
}

func TestCGuestEchoes(t *testing.T) {
	var logged strings.Builder
	g := loadC(t, runtime.Options{Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, prompt := range []string{"", "hello", "grüße, 世界 🌍", strings.Repeat("long ", 10_000)} {
		text, err := renderC(g, &prompt)
		require.NoError(t, err)
		assert.Equal(t, "C heard: "+prompt, text)
	}
	assert.Contains(t, logged.String(), "level=DEBUG msg=echoing guest=testdata/c@1.0.0")
}

func TestCGuestAnswersAnErrorOfItsOwn(t *testing.T) {
	_, err := renderC(loadC(t, runtime.Options{}), nil)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindFailed, e.Kind)
	var failure *abi.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, abi.Failure{Code: "no-prompt", Message: "nothing to echo"}, *failure)
}

func TestCGuestPanics(t *testing.T) {
	request, err := abi.Encode(map[string]any{"id": "echo/c", "prompt": 7})
	require.NoError(t, err)
	_, err = loadC(t, runtime.Options{}).Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindTrap, e.Kind)
	assert.Equal(t, "panic: prompt is not a text", e.Reason)
	require.NotEmpty(t, e.Trace)
	assert.Contains(t, strings.Join(e.Trace, "\n"), "render")
}

func TestCGuestHasNoMemoryForALargeRequest(t *testing.T) {
	prompt := strings.Repeat("x", 64<<10)
	_, err := renderC(loadC(t, runtime.Options{}), &prompt)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindMemory, e.Kind)
	assert.Contains(t, e.Reason, "no memory for a request of 65")
}
