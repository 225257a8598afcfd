package abi_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/payloadview"
)

// The worked examples of provider-payload-adapters/v2 are what the host makes of them: the view of the
// request is what the manifest's selectors find in the first body, and the edits of the answer make the
// second body.
func TestWorkedExamplesOfV2(t *testing.T) {
	for name, base := range map[string]string{"codex": "You are a coding agent.", "anthropic": "You are helpful."} {
		t.Run(name, func(t *testing.T) {
			bodies, hexes := blocks(t, "json"), blocks(t, "hex")
			body := func(what string) []byte { return []byte(strings.TrimSpace(bodies[name+" "+what])) }
			example := func(what string) []byte { return hexBlock(t, hexes["provider-payload-adapters/v2 "+what]) }
			assert.Contains(t, document(t), "base: `"+base+"`")
			m, err := abi.DecodeManifest(example(name + " manifest"))
			require.NoError(t, err)
			view, err := payloadview.Compile(m.Adapters[0].View, m.Adapters[0].Write).Scan(body("before"))
			require.NoError(t, err)
			var request adaptersv2.EditRequest
			require.NoError(t, abi.Decode(example(strings.TrimPrefix(name+" edit request", "codex ")), &request))
			assert.Equal(t, []byte(request.View), view.CBOR())
			assert.Equal(t, m.Adapters[0].ID, request.ID)
			var entries []adaptersv2.Entry
			require.NoError(t, abi.Decode(request.View, &entries))
			assert.Equal(t, m.Adapters[0].View[0].Path[0].Member, entries[0].At[0].Member)

			value, err := abi.DecodeAnswer(example(name + " answer"))
			require.NoError(t, err)
			var answer adaptersv2.Answer
			require.NoError(t, abi.Decode(value, &answer))
			plan, err := view.Plan(&answer)
			require.NoError(t, err)
			prompt, ok := plan.Prompt()
			require.True(t, ok)
			assert.Equal(t, base, jsonspan.Text(prompt))
			pieces := plan.Pieces(payloadview.PromptPart | payloadview.MessagesPart)
			assert.Equal(t, string(body("after")), string(bytes.Join(pieces, nil)))
		})
	}
}
