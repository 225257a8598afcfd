package sdk_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	claude "github.com/anthropics/anthropic-sdk-go"
	claudeoption "github.com/anthropics/anthropic-sdk-go/option"
	gpt "github.com/openai/openai-go/v3"
	gptoption "github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/examples/sdk/anthropic"
	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func recorded(t *testing.T, name string) loopback.Reply {
	body, err := os.ReadFile(name)
	require.NoError(t, err)
	return loopback.Reply{Body: string(body)}
}

// A conversation goes from one provider to another and back: each gets the whole of it, and what one has
// signed goes to nobody else.
func TestFromOneProviderToAnotherAndBack(t *testing.T) {
	h := host.Open(host.Options{})
	defer h.Close(context.Background())
	adapters, err := stock.Adapters()
	require.NoError(t, err)
	_, err = h.Load(t.Context(), stock.AdaptersName, adapters, runtime.GuestOptions{})
	require.NoError(t, err)
	for _, name := range []string{"openai", "anthropic"} {
		_, err = h.Registry.Register(registry.Contribution{ID: "for-" + name, Providers: []string{name}, Render: registry.Text("Hello, " + name + ".")})
		require.NoError(t, err)
	}
	one := loopback.Serve(t, recorded(t, "openai/testdata/responses-call.sse"), recorded(t, "openai/testdata/responses-done.sse"))
	other := loopback.Serve(t, recorded(t, "anthropic/testdata/call.sse"), recorded(t, "anthropic/testdata/done.sse"))
	router := &turn.Router{}
	require.NoError(t, router.Register(openai.Responses(gpt.NewClient(gptoption.WithAPIKey("k"), gptoption.WithBaseURL(one.URL),
		gptoption.WithHTTPClient(&http.Client{Transport: h.Transport("openai", openai.ResponsesAPI, nil)})), openai.Options{}), "openai"))
	require.NoError(t, router.Register(anthropic.Messages(claude.NewClient(claudeoption.WithAPIKey("k"), claudeoption.WithBaseURL(other.URL),
		claudeoption.WithHTTPClient(&http.Client{Transport: h.Transport("anthropic", anthropic.API, nil)})), anthropic.Options{}), "anthropic"))
	kept, err := session.Create(t.Context(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	defer kept.Close()
	lost := map[replay.Code]int{}
	loop := &turn.Loop{Session: kept, Router: router, System: "You are a pilot.", OnReport: func(r replay.Report) { lost[r.Code]++ }}
	ask := func(provider, prompt string) {
		loop.Route = message.Route{Provider: provider, Model: "m-1"}
		done, err := h.Session("s").Turn(t.Context(), loop, envelope.Request{Prompt: &prompt})
		require.NoError(t, err)
		require.Equal(t, turn.Completed, done.Kind, "%v", done.Failure)
		assert.Empty(t, done.Diagnostics)
	}
	ask("openai", "When is high water?") // its call names a tool that is not there
	ask("anthropic", "And tomorrow?")
	ask("openai", "And on Friday?")

	all := other.Requests()
	require.Len(t, all, 2)
	for _, r := range all {
		assert.Contains(t, r.Body, "Hello, anthropic.")
		assert.NotContains(t, r.Body, "Hello, openai.")
		assert.Contains(t, r.Body, "Let me look at the tide.")
		assert.NotContains(t, r.Body, "gAAA-sealed")
	}
	assert.Contains(t, all[1].Body, "EqQB-sig")
	back := one.Requests()[2].Body
	assert.Contains(t, back, "Hello, openai.")
	assert.NotContains(t, back, "Hello, anthropic.")
	assert.NotContains(t, back, "EqQB-sig")
	for _, want := range []string{"gAAA-sealed", `"id":"msg_1"`, `"call_id":"toolu_1"`, "And tomorrow?", "And on Friday?"} {
		assert.Contains(t, back, want)
	}
	assert.NotZero(t, lost[replay.StateNotOwned], "what is not sent is told")
}
