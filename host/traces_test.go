package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

type trace struct {
	Provider, API     string
	AdapterRegistered bool
	Hooks             []struct {
		At, Event, Prompt, CWD string
		SystemPrompt           *string
		SystemPromptOptions    registry.PromptOptions
		ActiveTools            []string
		Messages               []json.RawMessage
		Payload                json.RawMessage
	}
	SessionEntries []struct {
		Type, CustomType string
		Data             json.RawMessage
	}
}

// journal is a session log that only remembers.
type journal struct{ entries []envelope.Entry }

func (j *journal) Branch(context.Context) ([]envelope.Entry, error) { return j.entries, nil }

func (j *journal) Append(_ context.Context, customType string, data json.RawMessage) error {
	j.entries = append(j.entries, envelope.Entry{Type: "custom", CustomType: customType, Data: data})
	return nil
}

// Each trace is one run of a real Pi with the reference extension: what its hooks were given and what
// they answered. The same hooks, with the same registration, answer the same here.
func TestTracesOfRealHosts(t *testing.T) {
	paths, err := filepath.Glob("../testdata/vectors/payloads/traces/*.json")
	require.NoError(t, err)
	require.Len(t, paths, 15)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var tr trace
			require.NoError(t, json.Unmarshal(data, &tr))
			replay(t, &tr)
		})
	}
}

func replay(t *testing.T, tr *trace) {
	h := newHost(t, host.Options{Environment: envelope.Environment{
		Now:  func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		Zone: "Europe/Lisbon",
		Getenv: func(key string) string {
			return map[string]string{"SHELL": "/usr/bin/zsh"}[key]
		},
		AgentDir: "/home/u/.pi/agent", OS: "linux",
	}})
	_, err := h.Registry.Register(registry.Contribution{ID: "demo/mode", Priority: 5,
		Render: func(_ context.Context, rc *registry.RenderContext) (string, error) {
			return "Mode for: " + *rc.Prompt, nil
		}})
	require.NoError(t, err)
	if tr.AdapterRegistered {
		registerCodex(t, h, tr.Provider)
	}
	const session = "s"
	log := &journal{}
	h.Envelope.SessionStart(session, log)
	var prompt *string
	var messages []json.RawMessage
	var body json.RawMessage
	checked := map[string]int{}
	for _, hook := range tr.Hooks {
		before := hook.At == "before-extension"
		switch {
		case hook.Event == "before_agent_start" && before:
			got := h.Envelope.BeforeTurn(t.Context(), envelope.Turn{
				Request: envelope.Request{SessionID: session, Provider: tr.Provider, API: tr.API, ActiveTools: hook.ActiveTools,
					Prompt: &hook.Prompt, CWD: hook.CWD, SystemPrompt: hook.SystemPrompt, Options: hook.SystemPromptOptions},
				Log: log,
			})
			require.NoError(t, got.Err)
			prompt = got.SystemPrompt
		case hook.Event == "before_agent_start":
			assert.Equal(t, hook.SystemPrompt, prompt)
			checked[hook.Event]++
		case hook.Event == "context" && before:
			messages, _ = h.Envelope.Context(session, hook.Messages)
		case hook.Event == "context":
			assert.JSONEq(t, asJSON(t, hook.Messages), asJSON(t, messages))
			checked[hook.Event]++
		case hook.Event == "before_provider_request" && before:
			r, err := payload.Apply(t.Context(), h.Envelope, registry.PayloadRequest{
				SessionID: session, Provider: tr.Provider, API: tr.API, Payload: hook.Payload}, payload.Options{})
			require.NoError(t, err)
			assert.Equal(t, tr.AdapterRegistered, r.Answered)
			body = r.Body.Bytes()
		case hook.Event == "before_provider_request":
			assert.JSONEq(t, string(hook.Payload), string(body))
			checked[hook.Event]++
		}
	}
	assert.Equal(t, map[string]int{"before_agent_start": 1, "context": 1, "before_provider_request": 1}, checked)
	var recorded []envelope.Entry
	for _, e := range tr.SessionEntries {
		if e.Type == "custom" {
			recorded = append(recorded, envelope.Entry{Type: e.Type, CustomType: e.CustomType, Data: e.Data})
		}
	}
	require.Len(t, log.entries, len(recorded))
	for i, e := range recorded {
		assert.Equal(t, e.CustomType, log.entries[i].CustomType)
		assert.JSONEq(t, string(e.Data), string(log.entries[i].Data))
	}
}

// registerCodex registers the reference's Codex adapter, the guest's, under another provider's id, as
// the runs did: their line selects by provider alone, whatever the API.
func registerCodex(t *testing.T, h *host.Host, provider string) {
	other := newHost(t, host.Options{})
	file, err := stock.Adapters()
	require.NoError(t, err)
	_, err = other.Load(t.Context(), stock.AdaptersName, file, runtime.GuestOptions{Config: map[string]string{"compat": "reference"}})
	require.NoError(t, err)
	a, _, ok := other.Registry.FindAdapter("any", "openai-codex-responses", "")
	require.True(t, ok)
	a.Provider, a.APIs = provider, nil
	_, err = h.Registry.RegisterAdapter(a)
	require.NoError(t, err)
}

func asJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
