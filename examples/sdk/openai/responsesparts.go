package openai

import (
	"strconv"

	"github.com/openai/openai-go/v3/responses"

	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/stream"
)

// A responsesAnswer makes parts of the events of one answer.
type responsesAnswer struct {
	yield func(*stream.Part) bool
	// calls are the ids of calls by the place of their items; the deltas know no more than the place.
	calls map[int64]string
	// summaries is how many parts the reasoning that is open has, at least 1.
	summaries int64
	called    bool
}

// event takes an event, and says whether more are wanted. Events of kinds that are not listed have nothing
// that a host could show.
func (a *responsesAnswer) event(e *responses.ResponseStreamEventUnion) bool {
	switch e.Type {
	case "response.output_item.added":
		return a.begin(&e.Item, e.OutputIndex)
	case "response.output_text.delta", "response.refusal.delta":
		return a.yield(&stream.Part{Type: stream.PartTextDelta, ID: e.ItemID, Delta: e.Delta})
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex < a.summaries {
			return true // the first one began with the item
		}
		a.summaries = e.SummaryIndex + 1
		return a.yield(&stream.Part{Type: stream.PartReasoningStart, ID: thoughtID(e.ItemID, e.SummaryIndex)})
	case "response.reasoning_summary_text.delta":
		id := thoughtID(e.ItemID, e.SummaryIndex)
		return a.yield(&stream.Part{Type: stream.PartReasoningDelta, ID: id, Delta: e.Delta})
	case "response.function_call_arguments.delta":
		return a.yield(&stream.Part{Type: stream.PartToolInputDelta, ID: a.calls[e.OutputIndex], Delta: e.Delta})
	case "response.output_item.done":
		return a.end(&e.Item)
	case "response.completed", "response.incomplete":
		return a.finish(&e.Response)
	case "response.failed":
		return a.yield(parts.Failure(coded(e.Response.Error.Message, string(e.Response.Error.Code)), nil))
	case "error":
		return a.yield(parts.Failure(coded(e.Message, e.Code), nil))
	}
	return true
}

func thoughtID(item string, summary int64) string { return item + ":" + strconv.FormatInt(summary, 10) }

func (a *responsesAnswer) begin(item *responses.ResponseOutputItemUnion, place int64) bool {
	switch item.Type {
	case "message":
		return a.yield(&stream.Part{Type: stream.PartTextStart, ID: item.ID})
	case "reasoning":
		a.summaries = 1
		return a.yield(&stream.Part{Type: stream.PartReasoningStart, ID: thoughtID(item.ID, 0)})
	case "function_call":
		if a.calls == nil {
			a.calls = map[int64]string{}
		}
		a.calls[place] = item.CallID
		return a.yield(&stream.Part{Type: stream.PartToolInputStart, ID: item.CallID, ToolName: item.Name})
	}
	return true
}

func (a *responsesAnswer) end(item *responses.ResponseOutputItemUnion) bool {
	var own metadata
	own.OpenAI.ItemID = item.ID
	switch item.Type {
	case "message":
		own.OpenAI.Phase = string(item.Phase)
		return a.yield(&stream.Part{Type: stream.PartTextEnd, ID: item.ID, Metadata: own.json()})
	case "reasoning":
		own.OpenAI.Encrypted = item.EncryptedContent
		for at := range max(a.summaries, 1) {
			if !a.yield(&stream.Part{Type: stream.PartReasoningEnd, ID: thoughtID(item.ID, at), Metadata: own.json()}) {
				return false
			}
			own.OpenAI.Encrypted = "" // once is enough, and it is long
		}
	case "function_call":
		a.called = true
		return a.yield(&stream.Part{Type: stream.PartToolInputEnd, ID: item.CallID}) &&
			a.yield(&stream.Part{
				Type: stream.PartToolCall, ID: item.CallID, ToolName: item.Name,
				Input: item.Arguments.OfString, Metadata: own.json(),
			})
	}
	return true
}

func (a *responsesAnswer) finish(r *responses.Response) bool {
	u := &r.Usage
	c := counts{
		input: u.InputTokens, cached: u.InputTokensDetails.CachedTokens, written: u.InputTokensDetails.CacheWriteTokens,
		output: u.OutputTokens, reasoning: u.OutputTokensDetails.ReasoningTokens,
	}
	raw := r.IncompleteDetails.Reason
	switch {
	case raw == "max_output_tokens":
		return a.yield(finishPart("length", raw, c))
	case raw == "content_filter":
		return a.yield(finishPart("content-filter", raw, c))
	case raw != "":
		return a.yield(finishPart("other", raw, c))
	case a.called:
		return a.yield(finishPart("tool-calls", "", c))
	}
	return a.yield(finishPart("stop", "", c))
}
