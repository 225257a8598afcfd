package stock_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

const vectors = "../../testdata/vectors/"

type question struct {
	name, api string
	payload   []byte
	prompt    string // in the payload, or some text
}

// questions are the payloads that a real Pi produced, and those of the kit's cases.
func questions(t *testing.T) (all []question) {
	files, err := filepath.Glob(vectors + "payloads/pi-*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		var file struct {
			API          string
			SystemPrompt string
			Payload      json.RawMessage
		}
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &file))
		all = append(all, question{name, file.API, file.Payload, file.SystemPrompt})
	}
	var cases []struct {
		Name  string
		Input struct {
			API     string
			Payload json.RawMessage
		}
		Expect struct{ Read string }
	}
	data, err := os.ReadFile(vectors + "developer-messages/sound-adapters.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		all = append(all, question{c.Name, c.Input.API, c.Input.Payload, c.Expect.Read})
	}
	for _, api := range testpayload.APIs {
		all = append(all, question{"1 MB of " + api, api, testpayload.Large(api, "1MB"), testpayload.SystemPrompt})
	}
	return all
}

// The adapters of version 2, in the sandbox and with edits that the host carries out, do what the frozen
// build of version 1 does, and nothing the second time.
func TestAdaptersOfVersion2(t *testing.T) {
	current, err := stock.Adapters()
	require.NoError(t, err)
	load := func(file []byte, role string) *registry.Registry {
		h := openHost(t)
		_, err := h.Load(t.Context(), stock.AdaptersName, file, runtime.GuestOptions{Config: map[string]string{"developerRole": role}})
		require.NoError(t, err)
		return h.Registry
	}
	messages := []registry.Message{{ID: "tide/mode", Content: "Prefer <short> answers."}, {ID: "environment", Content: "é\n\u2028\x01"}}
	handled := map[string]int{}
	for _, role := range []string{"automatic", "yes", "no"} {
		now, before := load(current, role), load(readFrozen(t), role)
		for _, q := range questions(t) {
			v2, _, ok := now.FindAdapter("any", q.api, "")
			require.True(t, ok)
			v1, _, ok := before.FindAdapter("any", q.api, "")
			require.True(t, ok)
			require.Nil(t, v1.Edit)
			for _, base := range []string{q.prompt, "another prompt"} {
				for _, messages := range [][]registry.Message{messages, nil} {
					got, answered := adaptV2(t, v2, q, base, messages)
					if !answered {
						continue
					}
					handled[q.api]++
					want := adaptV1(t, v1, q, base, messages)
					assert.True(t, jsonspan.Equal(want, got), "%s with role %s:\n%.2000s\n%.2000s", q.name, role, want, got)
					assert.True(t, jsonspan.Valid(got), q.name)
					q2 := q
					q2.payload = got
					again, answered := adaptV2(t, v2, q2, base, messages)
					assert.True(t, !answered || jsonspan.Equal(got, again), "%s with role %s, a second time", q.name, role)
				}
			}
		}
	}
	for _, api := range stock.APIs() {
		assert.Greater(t, handled[api], 50, api)
	}
}

// adaptV2 is false if the adapter leaves the payload to version 1.
func adaptV2(t *testing.T, a registry.Adapter, q question, base string, messages []registry.Message) ([]byte, bool) {
	edits, err := a.Edit(t.Context(), q.request(), "New.", messages)
	switch {
	case errors.Is(err, registry.ErrUseV1):
		return nil, false
	case errors.Is(err, registry.ErrDuplicateMember), err == nil && edits == nil:
		return q.payload, true
	}
	require.NoError(t, err, q.name)
	return bytes.Join(edits.Pieces(edits.PromptIs(base), true), nil), true
}

func adaptV1(t *testing.T, a registry.Adapter, q question, base string, messages []registry.Message) []byte {
	text, ok, err := a.ReadSystemPrompt(t.Context(), q.request())
	require.NoError(t, err)
	take := func(answer []byte, err error) {
		require.NoError(t, err)
		if answer != nil {
			q.payload = answer
		}
	}
	if ok && text == base {
		take(a.ReplaceSystemPrompt(t.Context(), q.request(), "New."))
	}
	take(a.ReplaceDeveloperMessages(t.Context(), q.request(), messages))
	return q.payload
}

func (q question) request() *registry.PayloadRequest {
	return &registry.PayloadRequest{SessionID: "s", Provider: "any", API: q.api, Payload: q.payload}
}
