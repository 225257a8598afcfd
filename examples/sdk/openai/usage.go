package openai

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/stream"
)

// counts are numbers of tokens; input has those that were cached, and output those of reasoning.
type counts struct{ input, cached, written, output, reasoning int64 }

// finishPart is the part that ends an answer.
func finishPart(unified, raw string, c counts) *stream.Part {
	type object = map[string]any
	reason, _ := json.Marshal(object{"unified": unified, "raw": raw})
	usage, _ := json.Marshal(object{
		"inputTokens": object{
			"total": c.input, "noCache": c.input - c.cached - c.written, "cacheRead": c.cached, "cacheWrite": c.written,
		},
		"outputTokens": object{"total": c.output, "text": c.output - c.reasoning, "reasoning": c.reasoning},
	})
	return &stream.Part{Type: stream.PartFinish, FinishReason: reason, Usage: usage}
}
