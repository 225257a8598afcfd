package registry

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A contribution receives the context fields that its manifest entry needs, and no others.
func TestGuestsSeeOnlyWhatTheyNeed(t *testing.T) {
	prompt := "half \xed\xa0\xbd"
	rc := &RenderContext{Provider: "p", API: "x", ActiveTools: []string{"read"}, SessionID: "s", Prompt: &prompt,
		Options: PromptOptions{CWD: "/w", Extra: map[string]json.RawMessage{"n": []byte(`[3,2.5,-1,true,null,"\ud83d"]`)}},
		CWD:     "/w", SystemPrompt: &prompt}
	fields := map[abi.ContextField]any{
		abi.FieldProvider:    "p",
		abi.FieldActiveTools: []any{"read"},
		abi.FieldSessionID:   "s",
		abi.FieldPrompt:      "half \ufffd",
		abi.FieldSystemPromptOptions: map[any]any{"cwd": "/w",
			"n": []any{uint64(3), 2.5, int64(-1), true, nil, "\ufffd"}},
	}
	require.Len(t, fields, len(abi.ContextFields()))
	ask := func(rc *RenderContext, needs ...abi.ContextField) map[string]any {
		request, err := renderRequest(&abi.Contribution{ID: "a", Needs: needs}, 0, rc)
		require.NoError(t, err)
		var got map[string]any
		require.NoError(t, abi.Decode(request, &got))
		return got
	}
	assert.Equal(t, map[string]any{"id": "a", "features": uint64(0)}, ask(rc))
	for field, value := range fields {
		assert.Equal(t, map[string]any{"id": "a", "features": uint64(0), string(field): value}, ask(rc, field))
	}
	// What the host does not know is not there; a list of no tools is.
	assert.Equal(t, map[string]any{"id": "a", "features": uint64(0), "activeTools": []any{}, "sessionId": ""},
		ask(&RenderContext{}, abi.ContextFields()...))
}

// guestFile is a module with these operations and what transport pintle/1 wants beside them.
func guestFile(t *testing.T, manifest *abi.Manifest, data wasmtest.Data, operations map[string][]byte) []byte {
	t.Helper()
	manifest.Transport, manifest.ID, manifest.Version = abi.Transport, "g", "1"
	section, err := abi.EncodeManifest(manifest)
	require.NoError(t, err)
	m := wasmtest.Module{
		Pages: 1, Custom: []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}}, Data: []wasmtest.Data{data},
		Functions: []wasmtest.Function{
			{Export: abi.TransportExport},
			{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(wasmtest.RequestAt)},
		},
	}
	for export, code := range operations {
		m.Functions = append(m.Functions, wasmtest.Function{Export: export, Type: wasmtest.SigOp, Code: code})
	}
	return m.Encode()
}

func addGuest(t *testing.T, r *Registry, limits runtime.Limits, file []byte) {
	t.Helper()
	run := runtime.New(enginetest.New(), runtime.Options{Limits: limits})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	g, err := run.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	_, err = r.AddGuest(g)
	require.NoError(t, err)
}

// A guest with session state has one memory for each session, whatever it is called for.
func TestGuestsKeepSessionsApart(t *testing.T) {
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	count := wasmtest.Code(wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add,
		wasmtest.I32Store8(), wasmtest.Answer(16, uint32(len(answer))))
	var r Registry
	addGuest(t, &r, runtime.Limits{}, guestFile(t, &abi.Manifest{
		State:         abi.StateSession,
		Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c"}},
		Adapters:      []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: "a", APIs: []string{"x"}}},
	}, wasmtest.Data{Offset: 16, Bytes: answer}, map[string][]byte{
		abi.RenderV1: count, abi.ReadSystemPromptV1: count, abi.ReplaceSystemPromptV1: count,
	}))
	a, kind, ok := r.FindAdapter("p", "x", "")
	require.True(t, ok)
	assert.Equal(t, Default, kind)
	assert.Nil(t, a.ReplaceDeveloperMessages, "the manifest does not list it")
	for _, session := range []string{"s1", "s2"} {
		text, err := r.Snapshot().Contributions[0].Render(t.Context(), &RenderContext{SessionID: session})
		require.NoError(t, err)
		assert.Equal(t, "1", text)
		text, ok, err = a.ReadSystemPrompt(t.Context(), &PayloadRequest{SessionID: session, Provider: "p", API: "x"})
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, "2", text)
	}
}

// An adapter that answers something else than it should fails like one that traps.
func TestWrongAnswersOfAdaptersCount(t *testing.T) {
	wrong := wasmtest.Answer(16, 3) // [1, 0]
	var r Registry
	addGuest(t, &r, runtime.Limits{}, guestFile(t, &abi.Manifest{Adapters: []abi.Adapter{{
		Interface: abi.ProviderPayloadAdaptersV1, ID: "m", APIs: []string{"x"}, Operations: []string{abi.ReplaceDeveloperMessagesV1}}},
	}, wasmtest.Data{Offset: 16, Bytes: []byte{0x82, 1, 0}}, map[string][]byte{
		abi.ReadSystemPromptV1: wrong, abi.ReplaceSystemPromptV1: wrong, abi.ReplaceDeveloperMessagesV1: wrong,
	}))
	a, _, ok := r.FindAdapter("p", "x", "")
	require.True(t, ok)
	req := &PayloadRequest{SessionID: "s", Provider: "p", API: "x", Payload: []byte("{}")}
	for name, call := range map[string]func() error{
		"read":     func() error { _, _, err := a.ReadSystemPrompt(t.Context(), req); return err },
		"replace":  func() error { _, err := a.ReplaceSystemPrompt(t.Context(), req, "P"); return err },
		"messages": func() error { _, err := a.ReplaceDeveloperMessages(t.Context(), req, nil); return err },
	} {
		for _, kind := range []runtime.Kind{runtime.KindBadAnswer, runtime.KindBadAnswer, runtime.KindBadAnswer, runtime.KindQuarantined} {
			var e *runtime.Error
			require.ErrorAs(t, call(), &e, name)
			assert.Equal(t, kind, e.Kind, name)
		}
	}
}

func TestAdapterGuestsGetTheWholeRequest(t *testing.T) {
	const at = wasmtest.RequestAt - 5 // [1, byte string of two length bytes] in front of the request
	mirror := wasmtest.Code(
		wasmtest.I32Const(at+3), wasmtest.LocalGet(1), wasmtest.I32Const(8), 0x76, wasmtest.I32Store8(), // i32.shr_u
		wasmtest.I32Const(at+4), wasmtest.LocalGet(1), wasmtest.I32Store8(),
		wasmtest.LocalGet(1), wasmtest.I32Const(5), wasmtest.I32Add, 0xad, wasmtest.Answer(at, 0), 0x84) // i64.extend_i32_u, i64.or
	var r Registry
	// The answers are larger than the limit by what the payload adds.
	addGuest(t, &r, runtime.Limits{AnswerBytes: 200}, guestFile(t, &abi.Manifest{Adapters: []abi.Adapter{{
		Interface: abi.ProviderPayloadAdaptersV1, ID: "m", Providers: []string{"p", "q"}, Models: []string{"m1"},
		Operations: []string{abi.ReplaceDeveloperMessagesV1}}},
	}, wasmtest.Data{Offset: at, Bytes: []byte{0x82, 1, 0x59}}, map[string][]byte{
		abi.ReadSystemPromptV1:    mirror, // bytes where a text is due
		abi.ReplaceSystemPromptV1: mirror, abi.ReplaceDeveloperMessagesV1: mirror,
	}))
	_, _, ok := r.FindAdapter("p", "x", "another model")
	assert.False(t, ok)
	payload := append([]byte(`{"pad":"`), make([]byte, 300)...)
	for _, provider := range []string{"p", "q"} {
		a, kind, ok := r.FindAdapter(provider, "x", "m1")
		require.True(t, ok)
		assert.Equal(t, Registered, kind)
		req := &PayloadRequest{SessionID: "s", Provider: provider, API: "x", Model: "m1", Payload: payload}
		want := map[string]any{"id": "m", "features": uint64(0), "provider": provider, "api": "x", "payload": payload}
		check := func(key string, value any, answer []byte, err error) {
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, abi.Decode(answer, &got))
			assert.Equal(t, value, got[key])
			delete(got, key)
			assert.Equal(t, want, got)
		}
		answer, err := a.ReplaceSystemPrompt(t.Context(), req, "N \xed\xa0\xbd")
		check("systemPrompt", "N \ufffd", answer, err)
		answer, err = a.ReplaceDeveloperMessages(t.Context(), req, []Message{{"a", "1"}, {"b", "\xed\xa0\xbd"}})
		check("messages", []any{map[any]any{"id": "a", "content": "1"}, map[any]any{"id": "b", "content": "\ufffd"}}, answer, err)

		_, _, err = a.ReadSystemPrompt(t.Context(), req)
		require.ErrorIs(t, err, ErrNotText)
		var e *runtime.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, runtime.KindBadAnswer, e.Kind)
	}
	a, _, _ := r.FindAdapter("p", "x", "m1")
	_, err := a.ReplaceSystemPrompt(t.Context(), &PayloadRequest{Provider: "p", Payload: make([]byte, maxPayloadV1+1)}, "N")
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindRefused, e.Kind)
	assert.Contains(t, e.Reason, "a payload of 16777217 bytes is more than")
}
