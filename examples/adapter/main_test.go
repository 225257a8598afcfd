package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A handler is a function like any other and can be tested without a host. The view is that of
//
//	{"prompt":{"text":"Be kind."},"turns":[{"from":"notice","text":"[agent/style] No lists."},…]}
func TestAdapt(t *testing.T) {
	prompt, turns := edit.Top("prompt").Member("text"), edit.Top("turns")
	a, err := adapt(&edit.Request{
		SystemPrompt: "Be brief.",
		Messages:     []edit.Message{{ID: "style", Content: `No "lists".`}, {ID: "env", Content: "cwd: /srv"}},
		View: []edit.Entry{
			{At: prompt, Value: edit.Value{Kind: edit.String, Clipped: true, Bytes: 8}},
			{At: turns.Element(0), Value: edit.Value{Kind: edit.Object}},
			{At: turns, Value: edit.Value{Kind: edit.List, Len: 5}},
		},
	})
	require.NoError(t, err)
	assert.Equal(t, edit.Answer{
		PromptAt: prompt,
		Prompt:   []edit.Edit{edit.Set(prompt, []byte(`"Be brief."`))},
		Messages: []edit.Edit{
			edit.Remove(turns.Element(0)),
			edit.Insert(turns.Element(0), []byte(`{"from":"notice","text":"[agent/style] No \"lists\"."}`)),
			edit.Insert(turns.Element(0), []byte(`{"from":"notice","text":"[agent/env] cwd: /srv"}`)),
		},
	}, a)
}

// Without a list of turns there is no place for messages, and without a prompt nothing to replace.
func TestAdaptOtherPayloads(t *testing.T) {
	a, err := adapt(&edit.Request{SystemPrompt: "N", Messages: []edit.Message{{ID: "a", Content: "b"}}, View: []edit.Entry{
		{At: edit.Top("turns"), Value: edit.Value{Kind: edit.String, Text: ""}},
		{At: edit.Top("prompt").Member("text"), Value: edit.Value{Kind: edit.Null}},
	}})
	require.NoError(t, err)
	assert.Equal(t, edit.Answer{}, a)
}

// In the sandbox: built, loaded, and asked by a host about a request.
func TestOnAHost(t *testing.T) {
	out, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: ".", Out: filepath.Join(t.TempDir(), "adapter.wasm")})
	require.NoError(t, err)
	h := host.Open(host.Options{Engine: enginetest.New(), Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, h.Close(context.Background())) })
	_, err = h.LoadFile(t.Context(), out, runtime.GuestOptions{})
	require.NoError(t, err)

	base, prompt := "Be kind.", "Be brief."
	state := envelope.State{Base: &base, Prompt: &prompt, Provider: "acme",
		Messages: []registry.Message{{ID: "style", Content: `No "lists".`}, {ID: "env", Content: "cwd: /srv"}}}
	result, err := payload.ApplyState(t.Context(), h.Registry, state, registry.PayloadRequest{Provider: "acme", API: "acme-chat", Payload: []byte(
		`{"model":"acme-1", "prompt":{"text":"Be kind.","cache":1.0}, "turns":[{"from":"notice","text":"[agent/style] Old."}, {"from":"user","text":"[agent/x] hi"}, {"from":"notice","text":"Mind the gap."}]}`,
	)}, payload.Options{})
	require.NoError(t, err)
	assert.True(t, result.Prompt.Done)
	assert.True(t, result.Developer.Done)
	assert.Equal(t, `{"model":"acme-1", "prompt":{"text":"Be brief.","cache":1.0}, "turns":[`+
		`{"from":"notice","text":"[agent/style] No \"lists\"."},{"from":"notice","text":"[agent/env] cwd: /srv"}, `+
		`{"from":"user","text":"[agent/x] hi"}, {"from":"notice","text":"Mind the gap."}]}`, string(result.Body.Bytes()))
}

// The SDK's README shows this guest.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../guests/sdk/go/README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	from := bytes.Index(source, []byte("func adapt("))
	to := bytes.Index(source, []byte("\nfunc notice("))
	require.True(t, 0 < from && from < to)
	assert.Contains(t, string(readme), string(source[from:to]))

	manifest, err := os.ReadFile("pintle.toml")
	require.NoError(t, err)
	adapter := manifest[bytes.Index(manifest, []byte("[[adapters]]")):]
	assert.Contains(t, string(readme), string(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAll(adapter, nil)))
}
