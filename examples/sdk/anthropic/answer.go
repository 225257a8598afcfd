package anthropic

import (
	"encoding/json"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/pintle-wasm/pintle/host/stream"
)

// An answer makes parts of the events of one answer.
type answer struct {
	yield func(*stream.Part) bool
	// open is the block that is under way: there is one at a time.
	open  block
	stop  string
	usage sdk.MessageDeltaUsage
}

type block struct {
	kind     string
	id, name string
	input    strings.Builder
	metadata metadata
}

// event takes an event, and says whether more are wanted. Blocks of other kinds, such as those of tools that
// Anthropic runs, are not asked for and have no parts.
func (a *answer) event(e *sdk.MessageStreamEventUnion) bool {
	switch e.Type {
	case "message_start":
		u := &e.Message.Usage
		a.usage = sdk.MessageDeltaUsage{
			InputTokens: u.InputTokens, CacheReadInputTokens: u.CacheReadInputTokens,
			CacheCreationInputTokens: u.CacheCreationInputTokens, OutputTokens: u.OutputTokens,
		}
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.delta(&e.Delta)
	case "content_block_stop":
		return a.end()
	case "message_delta":
		a.stop = string(e.Delta.StopReason)
		a.count(&e.Usage)
	case "message_stop":
		return a.finish()
	}
	return true
}

func (a *answer) begin(e *sdk.MessageStreamEventUnion) bool {
	c := &e.ContentBlock
	a.open = block{kind: c.Type, id: strconv.FormatInt(e.Index, 10), name: c.Name}
	switch c.Type {
	case "text":
		return a.yield(&stream.Part{Type: stream.PartTextStart, ID: a.open.id}) &&
			a.say(stream.PartTextDelta, c.Text)
	case "thinking":
		return a.yield(&stream.Part{Type: stream.PartReasoningStart, ID: a.open.id}) &&
			a.say(stream.PartReasoningDelta, c.Thinking)
	case "redacted_thinking":
		a.open.metadata.Anthropic.Redacted = c.Data
		return a.yield(&stream.Part{Type: stream.PartReasoningStart, ID: a.open.id})
	case "tool_use":
		a.open.id = c.ID
		return a.yield(&stream.Part{Type: stream.PartToolInputStart, ID: a.open.id, ToolName: c.Name})
	}
	return true
}

func (a *answer) say(kind, delta string) bool {
	return delta == "" || a.yield(&stream.Part{Type: kind, ID: a.open.id, Delta: delta})
}

func (a *answer) delta(d *sdk.MessageStreamEventUnionDelta) bool {
	switch {
	case d.Type == "text_delta" && a.open.kind == "text":
		return a.say(stream.PartTextDelta, d.Text)
	case d.Type == "thinking_delta" && a.open.kind == "thinking":
		return a.say(stream.PartReasoningDelta, d.Thinking)
	case d.Type == "signature_delta":
		a.open.metadata.Anthropic.Signature += d.Signature
	case d.Type == "input_json_delta" && a.open.kind == "tool_use":
		a.open.input.WriteString(d.PartialJSON)
		return a.say(stream.PartToolInputDelta, d.PartialJSON)
	}
	return true
}

func (a *answer) end() bool {
	switch a.open.kind {
	case "text":
		return a.yield(&stream.Part{Type: stream.PartTextEnd, ID: a.open.id})
	case "thinking", "redacted_thinking":
		return a.yield(&stream.Part{Type: stream.PartReasoningEnd, ID: a.open.id, Metadata: a.open.metadata.json()})
	case "tool_use":
		return a.yield(&stream.Part{Type: stream.PartToolInputEnd, ID: a.open.id}) &&
			a.yield(&stream.Part{
				Type: stream.PartToolCall, ID: a.open.id, ToolName: a.open.name, Input: a.open.input.String(),
			})
	}
	return true
}

// count takes the counts of a message_delta, which are totals: those that it has replace the ones before.
func (a *answer) count(u *sdk.MessageDeltaUsage) {
	a.usage.OutputTokens = u.OutputTokens
	if u.JSON.InputTokens.Valid() {
		a.usage.InputTokens = u.InputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		a.usage.CacheReadInputTokens = u.CacheReadInputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CacheCreationInputTokens = u.CacheCreationInputTokens
	}
	a.usage.OutputTokensDetails = u.OutputTokensDetails
}

func (a *answer) finish() bool {
	unified := "other"
	switch a.stop {
	case "end_turn", "stop_sequence":
		unified = "stop"
	case "max_tokens", "model_context_window_exceeded":
		unified = "length"
	case "tool_use":
		unified = "tool-calls"
	case "refusal":
		unified = "content-filter"
	}
	type object = map[string]any
	u := &a.usage
	reason, _ := json.Marshal(object{"unified": unified, "raw": a.stop})
	usage, _ := json.Marshal(object{
		"inputTokens": object{
			"total":   u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
			"noCache": u.InputTokens, "cacheRead": u.CacheReadInputTokens, "cacheWrite": u.CacheCreationInputTokens,
		},
		"outputTokens": object{"total": u.OutputTokens},
	})
	return a.yield(&stream.Part{Type: stream.PartFinish, FinishReason: reason, Usage: usage})
}
