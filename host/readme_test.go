package host_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// embed is the program of the README, to the letter.
func embed(ctx context.Context, prompt string) (*http.Client, error) {
	h := host.Open(host.Options{}) // close it when the program ends
	adapters, err := stock.Adapters()
	if err != nil {
		return nil, err
	}
	if _, err := h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
		return nil, err
	}
	style := runtime.GuestOptions{Config: map[string]string{"rules": "Use British spelling."}}
	if _, err := h.LoadFile(ctx, "style.wasm", style); err != nil {
		return nil, err
	}
	s, base := h.Session("s1"), "You are a coding agent."
	turn := envelope.Request{Provider: "openai", Prompt: &prompt, CWD: "/srv/ferry", SystemPrompt: &base,
		Options: registry.PromptOptions{CustomPrompt: "You are Harbour."}}
	if _, err := s.Capture(ctx, turn); err != nil {
		return nil, err
	}
	return &http.Client{Transport: s.Transport("openai", "openai-responses", nil)}, nil
}

// Example_embedding shows the whole of it; a program hands the client to its provider's SDK.
func Example_embedding() {
	client, err := embed(context.Background(), "Move the 07:40.")
	_, _ = client, err
}

func TestReadmeShowsThisProgram(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "(*http.Client, error) {\n")
	require.True(t, ok)
	body, _, ok = strings.Cut(body, "\n}\n")
	require.True(t, ok)
	var lines []string
	for line := range strings.Lines(body + "\n") {
		lines = append(lines, strings.TrimPrefix(line, "\t"))
	}
	require.Less(t, len(lines), 20)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), strings.Join(lines, ""))
}
