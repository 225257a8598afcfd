package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// steps answers a text after as many turns of a loop as its request has bytes.
func steps(id, text string, needs ...abi.ContextField) []byte {
	m := wasmtest.Manifest()
	m.ID = id
	m.Contributions = []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: id, Needs: needs}}
	answer := wasmtest.Text(text)
	const counter = 8
	load := wasmtest.Code(wasmtest.I32Const(counter), []byte{0x28, 2, 0})
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.Loop(wasmtest.I32Const(counter), load, wasmtest.I32Const(1), wasmtest.I32Add, []byte{0x36, 2, 0},
			load, wasmtest.LocalGet(1), 0x49, []byte{0x0d, 0}), // i32.lt_u, br_if
		wasmtest.Answer(16, uint32(len(answer)))))
}

func outcomes(t testing.TB, h *host.Host, session, prompt string) map[string]envelope.Outcome {
	t.Helper()
	e, err := h.Session(session).Capture(t.Context(), envelope.Request{Provider: "p", Prompt: &prompt, CWD: "/srv"})
	require.NoError(t, err)
	byID := map[string]envelope.Outcome{}
	for _, o := range e.Report.Contributions {
		byID[o.ID] = o
	}
	for _, m := range e.DeveloperMessages[:len(e.DeveloperMessages)-1] {
		require.Equal(t, "text of "+m.ID, m.Content)
	}
	return byID
}

// What a guest does not need does not make it run again; what it needs does. The same work uses the
// same fuel.
func TestTurnsRemember(t *testing.T) {
	h := newHost(t, host.Options{})
	entries := map[string]*registry.Guest{}
	for id, needs := range map[string][]abi.ContextField{"fixed": nil, "prompted": {abi.FieldPrompt}} {
		entry, err := h.Load(t.Context(), id+".wasm", steps(id, "text of "+id, needs...), runtime.GuestOptions{})
		require.NoError(t, err)
		entries[id] = entry
	}
	_, err := h.Registry.Register(registry.Contribution{ID: "native", Render: registry.Text("text of native")})
	require.NoError(t, err)

	first := outcomes(t, h, "s", "one")
	for _, id := range []string{"fixed", "prompted"} {
		assert.False(t, first[id].Remembered)
		assert.NotZero(t, first[id].Fuel)
		assert.NotZero(t, first[id].Duration)
	}
	assert.Greater(t, first["prompted"].Fuel, first["fixed"].Fuel, "its request is longer")

	second := outcomes(t, h, "s", "two")
	assert.True(t, second["fixed"].Remembered)
	assert.Zero(t, second["fixed"].Fuel)
	assert.False(t, second["prompted"].Remembered)
	assert.Equal(t, first["prompted"].Fuel, second["prompted"].Fuel)
	third := outcomes(t, h, "s", "one")
	assert.True(t, third["fixed"].Remembered && third["prompted"].Remembered)
	assert.False(t, third["native"].Remembered)
	assert.Zero(t, third["native"].Fuel)

	other := outcomes(t, h, "t", "one")
	for _, id := range []string{"fixed", "prompted"} {
		assert.False(t, other[id].Remembered, "another session")
		assert.Equal(t, first[id].Fuel, other[id].Fuel)
	}
	h.Session("t").End(t.Context())
	assert.False(t, outcomes(t, h, "t", "one")["fixed"].Remembered, "a new session of the same name")
	assert.True(t, outcomes(t, h, "s", "one")["fixed"].Remembered)

	require.NoError(t, h.Reload(t.Context(), entries["fixed"], "fixed.wasm", steps("fixed", "text of fixed"), runtime.GuestOptions{}))
	again := outcomes(t, h, "s", "one")
	assert.False(t, again["fixed"].Remembered, "a build that was loaded again, even if it is the same")
	assert.True(t, again["prompted"].Remembered)

	silent := outcomes(t, h, "", "one")
	assert.False(t, silent["fixed"].Remembered)
	assert.False(t, outcomes(t, h, "", "one")["fixed"].Remembered, "without a session")
}

func TestHostsThatRememberNothing(t *testing.T) {
	h := newHost(t, host.Options{Remember: runtime.Remember{SessionBytes: -1}})
	_, err := h.Load(t.Context(), "a.wasm", steps("a", "text of a"), runtime.GuestOptions{})
	require.NoError(t, err)
	for range 2 {
		assert.False(t, outcomes(t, h, "s", "one")["a"].Remembered)
	}
}

// Fuel of a call that fails is told as well.
func TestFailuresTellTheirFuel(t *testing.T) {
	h := newHost(t, host.Options{Limits: runtime.Limits{Fuel: 100_000}, Logger: slog.New(slog.DiscardHandler)})
	_, err := h.Load(t.Context(), "a.wasm", guest("a", "", wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable)), runtime.GuestOptions{})
	require.NoError(t, err)
	for range 2 {
		e, err := h.Session("s").Capture(context.Background(), envelope.Request{})
		require.NoError(t, err)
		o := e.Report.Contributions[0]
		var failed *runtime.Error
		require.ErrorAs(t, o.Err, &failed, fmt.Sprint(o))
		assert.Equal(t, runtime.KindFuel, failed.Kind)
		assert.GreaterOrEqual(t, o.Fuel, uint64(100_000))
		assert.Equal(t, failed.Fuel, o.Fuel)
		assert.False(t, o.Remembered)
	}
}

// An adapter of version 2 that sees nothing of the conversation gives the next request of a turn, which has
// a longer history, the same answer.
func TestAdaptersRemember(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	_, err := h.Registry.Register(registry.Contribution{ID: "m", Render: registry.Text("Placed.")})
	require.NoError(t, err)
	base := "Base."
	s := h.Session("s")
	adapt := func(body string) payload.Result {
		r, err := s.Adapt(t.Context(), "p", "anthropic-messages", "", []byte(body))
		require.NoError(t, err)
		require.True(t, r.Developer.Done)
		assert.Contains(t, string(r.Body.Bytes()), "Placed.")
		return r
	}
	capture := func(custom string) {
		_, err := s.Capture(t.Context(), envelope.Request{Provider: "p", SystemPrompt: &base, CWD: "/srv",
			Options: registry.PromptOptions{CustomPrompt: custom}})
		require.NoError(t, err)
	}
	capture("One.")
	const first = `{"system":[{"type":"text","text":"Base."}],"messages":[{"role":"user","content":"a"}]}`
	r := adapt(first)
	assert.False(t, r.Developer.Remembered)
	assert.NotZero(t, r.Developer.Fuel)
	again := adapt(first)
	assert.True(t, again.Developer.Remembered)
	assert.Zero(t, again.Developer.Fuel)
	assert.Equal(t, r.Body.Bytes(), again.Body.Bytes())

	longer := adapt(`{"system":[{"type":"text","text":"Base."}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`)
	assert.True(t, longer.Developer.Remembered)
	assert.Contains(t, string(longer.Body.Bytes()), `{"role":"assistant","content":"b"}`)

	capture("Two.")
	other := adapt(first)
	assert.False(t, other.Developer.Remembered)
	assert.Contains(t, string(other.Body.Bytes()), "Two.")
}

// What an adapter used before it failed is told with the payload that goes out as it was.
func TestFailingAdaptersTellTheirFuel(t *testing.T) {
	section, err := abi.EncodeManifest(&abi.Manifest{Transport: abi.Transport, ID: "loops", Version: "1",
		Adapters: []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: "a", APIs: []string{"x"}}}})
	require.NoError(t, err)
	loop := wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable)
	h := newHost(t, host.Options{Limits: runtime.Limits{Fuel: 100_000}})
	m := wasmtest.Module{
		Pages: 1, Custom: []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}},
		Functions: []wasmtest.Function{
			{Export: abi.TransportExport},
			{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(wasmtest.RequestAt)},
			{Export: abi.ReadSystemPromptV1, Type: wasmtest.SigOp, Code: loop},
			{Export: abi.ReplaceSystemPromptV1, Type: wasmtest.SigOp, Code: loop},
		},
	}
	_, err = h.Load(t.Context(), "loops.wasm", m.Encode(), runtime.GuestOptions{})
	require.NoError(t, err)
	base := "Base."
	s := h.Session("s")
	_, err = s.Capture(t.Context(), envelope.Request{Provider: "p", SystemPrompt: &base})
	require.NoError(t, err)
	r, err := s.Adapt(t.Context(), "p", "x", "", []byte(`{}`))
	var failed *runtime.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, runtime.KindFuel, failed.Kind)
	assert.Equal(t, failed.Fuel, r.Prompt.Fuel)
	assert.GreaterOrEqual(t, r.Prompt.Fuel, uint64(100_000))
	assert.NotZero(t, r.Prompt.Duration)
	assert.False(t, r.Prompt.Done || r.Answered)
	assert.JSONEq(t, `{}`, string(r.Body.Bytes()))
}
