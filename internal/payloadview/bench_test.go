package payloadview

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// The selectors look at every message of the history and at the system prompt behind it.
const (
	benchView = `[{"path":["system",true],"where":[{"member":"type","equals":"text"}],"members":["text"],"clip":72},
		{"path":["messages",true],"where":[{"member":"role","equals":"system"}],"members":["content"],"clip":72}]`
	benchWrite = `[["system"],["messages"]]`
)

// Every figure stands beside two others of the same run: x-floor is the time in units of what the mere
// check of the document takes, and x-faster-json tells how many times longer decoding, editing and
// encoding with encoding/json takes.
func BenchmarkEdit(b *testing.B) {
	a, err := adapterOf(benchView, benchWrite)
	if err != nil {
		b.Fatal(err)
	}
	program := Compile(a.View, a.Write)
	edits := &adaptersv2.Answer{
		Prompt: &adaptersv2.PromptEdits{At: addressOf([]any{"system", 0.0, "text"}),
			Edits: []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: addressOf([]any{"system", 0.0, "text"}), Value: adaptersv2.JSON(`"new"`)}}},
		Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{
			{Op: adaptersv2.OpInsert, At: addressOf([]any{"system", 1.0}), Value: adaptersv2.JSON(`{"type":"text","text":"m"}`)},
		}},
	}
	for _, shape := range testpayload.Shapes {
		for _, mb := range []int{1, 10} {
			data := testpayload.Shaped(shape, mb*1_000_000)
			b.Run(fmt.Sprintf("%s/%dMB", shape, mb), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					v, err := program.Scan(data)
					if err != nil {
						b.Fatal(err)
					}
					p, err := v.Plan(edits)
					if err != nil {
						b.Fatal(err)
					}
					if raw, ok := p.Prompt(); !ok || !jsonspan.TextIs(raw, testpayload.SystemPrompt) || !p.Changes(PromptPart) {
						b.Fatal("no prompt")
					}
					if len(p.Pieces(PromptPart|MessagesPart)) < 5 {
						b.Fatal("no edits")
					}
				}
				own := float64(b.Elapsed()) / float64(b.N)
				b.ReportMetric(own/float64(took(func() { jsonspan.Valid(data) })), "x-floor")
				b.ReportMetric(float64(took(func() { decodeEditEncode(b, data) }))/own, "x-faster-json")
			})
		}
	}
}

// took returns the shortest of three times.
func took(f func()) time.Duration {
	var best time.Duration
	for i := range 3 {
		start := time.Now()
		f()
		if d := time.Since(start); i == 0 || d < best {
			best = d
		}
	}
	return best
}

func decodeEditEncode(b *testing.B, data []byte) {
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		b.Fatal(err)
	}
	system := doc["system"].([]any)
	system[0].(map[string]any)["text"] = "new"
	doc["system"] = append(system, map[string]any{"type": "text", "text": "m"})
	if _, err := json.Marshal(doc); err != nil {
		b.Fatal(err)
	}
}
