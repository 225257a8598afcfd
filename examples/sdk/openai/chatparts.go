package openai

import (
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/pintle-wasm/pintle/host/stream"
)

// textID is that of the one text that an answer has.
const textID = "text"

// A chatAnswer makes parts of the chunks of one answer.
type chatAnswer struct {
	yield func(*stream.Part) bool
	text  bool // it has begun
	calls []*chatCall
	// reason is the provider's, "" until it has come. The usage comes behind it.
	reason string
	used   counts
}

// A chatCall is a call as far as it has come.
type chatCall struct {
	index    int64
	id, name string
	input    strings.Builder
}

// chunk takes a chunk, and says whether more are wanted.
func (a *chatAnswer) chunk(c *sdk.ChatCompletionChunk) bool {
	if c.JSON.Usage.Valid() {
		u := &c.Usage
		a.used = counts{
			input: u.PromptTokens, cached: u.PromptTokensDetails.CachedTokens,
			output: u.CompletionTokens, reasoning: u.CompletionTokensDetails.ReasoningTokens,
		}
	}
	for i := range c.Choices {
		d := &c.Choices[i].Delta
		if !a.say(d.Content) || !a.say(d.Refusal) {
			return false
		}
		for j := range d.ToolCalls {
			if !a.call(&d.ToolCalls[j]) {
				return false
			}
		}
		if reason := c.Choices[i].FinishReason; reason != "" {
			a.reason = reason
		}
	}
	return true
}

func (a *chatAnswer) say(delta string) bool {
	if delta == "" {
		return true
	}
	if !a.text {
		a.text = true
		if !a.yield(&stream.Part{Type: stream.PartTextStart, ID: textID}) {
			return false
		}
	}
	return a.yield(&stream.Part{Type: stream.PartTextDelta, ID: textID, Delta: delta})
}

func (a *chatAnswer) call(d *sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	at := slices.IndexFunc(a.calls, func(c *chatCall) bool { return c.index == d.Index })
	if at < 0 {
		at = len(a.calls)
		a.calls = append(a.calls, &chatCall{index: d.Index, id: d.ID, name: d.Function.Name})
		if !a.yield(&stream.Part{Type: stream.PartToolInputStart, ID: d.ID, ToolName: d.Function.Name}) {
			return false
		}
	}
	c := a.calls[at]
	c.input.WriteString(d.Function.Arguments)
	return d.Function.Arguments == "" ||
		a.yield(&stream.Part{Type: stream.PartToolInputDelta, ID: c.id, Delta: d.Function.Arguments})
}

// end gives what is known at the end: the calls, and the finish if the provider has told one.
func (a *chatAnswer) end() {
	if a.reason == "" {
		return
	}
	if a.text && !a.yield(&stream.Part{Type: stream.PartTextEnd, ID: textID}) {
		return
	}
	for _, c := range a.calls {
		if !a.yield(&stream.Part{Type: stream.PartToolInputEnd, ID: c.id}) ||
			!a.yield(&stream.Part{Type: stream.PartToolCall, ID: c.id, ToolName: c.name, Input: c.input.String()}) {
			return
		}
	}
	unified := "other"
	switch a.reason {
	case "stop", "length":
		unified = a.reason
	case "tool_calls", "function_call":
		unified = "tool-calls"
	case "content_filter":
		unified = "content-filter"
	}
	a.yield(finishPart(unified, a.reason, a.used))
}
