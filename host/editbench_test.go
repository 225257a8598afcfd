package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/registry"
)

// The stock adapter of version 2 puts an envelope into payloads of several shapes: the scan, the guest's
// call (which is not remembered without a session), the edits. The floor is the mere check that the
// payload is JSON; x-faster-json tells how many times longer decoding, editing and encoding with
// encoding/json takes.
func BenchmarkAdaptEdits(b *testing.B) {
	const api = "anthropic-messages"
	h := withAdapters(b, open(b))
	base, prompt := testpayload.SystemPrompt, "You are Pilot."
	state := envelope.State{Base: &base, Prompt: &prompt, Provider: "p", Messages: []registry.Message{{ID: "a", Content: "Be brief."}}}
	for _, shape := range testpayload.Shapes {
		for _, mb := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%dMB", shape, mb), func(b *testing.B) {
				body := testpayload.Shaped(shape, mb*1_000_000)
				b.SetBytes(int64(len(body)))
				req := registry.PayloadRequest{Provider: "p", API: api, Payload: body}
				against(b, func() { jsonspan.Valid(body) }, func() {
					r, err := payload.ApplyState(context.Background(), h.Registry, state, req, payload.Options{})
					if err != nil || !r.Prompt.Done || !r.Developer.Done {
						b.Fatal(r, err)
					}
				})
				own := float64(b.Elapsed()) / float64(b.N)
				start := time.Now()
				decodeEditEncode(b, body, prompt, `{"type":"text","text":"Be brief."}`)
				b.ReportMetric(float64(time.Since(start))/own, "x-faster-json")
			})
		}
	}
}

// decodeEditEncode is how one would do it with encoding/json.
func decodeEditEncode(b *testing.B, body []byte, prompt, block string) {
	var doc map[string]any
	require.NoError(b, json.Unmarshal(body, &doc))
	system := doc["system"].([]any)
	system[0].(map[string]any)["text"] = prompt
	doc["system"] = append(system, json.RawMessage(block))
	_, err := json.Marshal(doc)
	require.NoError(b, err)
}
