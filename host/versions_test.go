package host_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/registry"
)

// The hook says and does the same with an adapter of version 2 as with one of version 1: for both lines
// of the protocol, for registered and default adapters, whatever of the envelope is in the payload
// already.
func TestVersionsOfAdaptersDoTheSame(t *testing.T) {
	paths, err := filepath.Glob("../testdata/vectors/payloads/pi-*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	type recorded struct {
		API          string
		SystemPrompt string
		Payload      json.RawMessage
	}
	files := make([]recorded, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &files[i]))
	}
	h := withAdapters(t, newHost(t, host.Options{}))
	texts := []string{"", "You are Pilot.", "Two\n\nparagraphs <é>"}
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.SampledFrom(files).Draw(t, "file")
		v2, _, ok := h.Registry.FindAdapter("any", file.API, "")
		require.True(t, ok)
		require.NotNil(t, v2.Edit)
		v1 := v2
		v1.Edit = nil
		kind := rapid.SampledFrom([]registry.AdapterKind{registry.Registered, registry.Default}).Draw(t, "kind")
		lookup := rapid.SampledFrom([]registry.Lookup{registry.ByProvider, registry.BySpecificity}).Draw(t, "lookup")
		o := payload.Options{Reference: rapid.Bool().Draw(t, "reference")}
		apply := func(a registry.Adapter, state envelope.State, body []byte) payload.Result {
			r := &registry.Registry{Lookup: lookup}
			a.Provider = "p"
			var err error
			if kind == registry.Default {
				_, err = r.RegisterDefaultAdapter(file.API, a)
			} else {
				_, err = r.RegisterAdapter(a)
			}
			require.NoError(t, err)
			req := registry.PayloadRequest{SessionID: "s", Provider: "p", API: file.API, Payload: body}
			result, err := payload.ApplyState(t.Context(), r, state, req, o)
			require.NoError(t, err)
			require.Equal(t, kind.String(), result.AdapterKind)
			for _, step := range []*payload.Step{&result.Prompt, &result.Developer} {
				step.Duration, step.Fuel, step.Remembered = 0, 0, false
			}
			return result
		}
		body := []byte(file.Payload)
		for range rapid.IntRange(1, 4).Draw(t, "turns") {
			base := rapid.SampledFrom(append(texts, file.SystemPrompt, file.SystemPrompt)).Draw(t, "base")
			prompt := rapid.SampledFrom(append(texts, file.SystemPrompt)).Draw(t, "prompt")
			state := envelope.State{Base: &base, Prompt: &prompt, Provider: "p"}
			for range rapid.IntRange(0, 2).Draw(t, "messages") {
				state.Messages = append(state.Messages, registry.Message{ID: rapid.SampledFrom([]string{"a", `<"&`}).Draw(t, "id"),
					Content: rapid.SampledFrom(texts).Draw(t, "content")})
			}
			want, got := apply(v1, state, body), apply(v2, state, body)
			one, two := want.Body.Bytes(), got.Body.Bytes()
			require.True(t, jsonspan.Equal(one, two), "%s\n%s\n%s", body, one, two)
			for _, r := range []payload.Result{want, got} {
				require.True(t, jsonspan.Equal(two, edited(t, body, r.Edits())), "%s\n%v", body, r.Edits())
			}
			said, err := json.Marshal(want)
			require.NoError(t, err)
			also, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, string(said), string(also), "%s\n%s", body, one)
			body = two
		}
	})
}

// edited carries the edits of a result out.
func edited(t require.TestingT, body []byte, edits []adaptersv2.Edit) []byte {
	if len(edits) == 1 && len(edits[0].At) == 0 {
		return edits[0].Value
	}
	view, err := payloadview.Rewriting().Scan(body)
	require.NoError(t, err)
	plan, err := view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: edits}})
	require.NoError(t, err)
	return bytes.Join(plan.Pieces(payloadview.MessagesPart), nil)
}
