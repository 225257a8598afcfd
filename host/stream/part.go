package stream

import "encoding/json"

// The types of parts that have an effect. Others are told to [Config].OnIgnored.
const (
	PartTextStart      = "text-start"
	PartTextDelta      = "text-delta"
	PartTextEnd        = "text-end"
	PartReasoningStart = "reasoning-start"
	PartReasoningDelta = "reasoning-delta"
	PartReasoningEnd   = "reasoning-end"
	PartToolInputStart = "tool-input-start"
	PartToolInputDelta = "tool-input-delta"
	PartToolInputEnd   = "tool-input-end"
	PartToolCall       = "tool-call"
	PartToolResult     = "tool-result"
	PartFile           = "file"
	PartFinish         = "finish"
	PartError          = "error"
)

// A Part is one part of a model's answer, of specification V2, V3 or V4. Which fields are used depends on
// Type. Fields that are JSON have it as the version of the protocol does; what differs between the
// versions is made the same by the translation.
type Part struct {
	Type string
	// ID is the id of a text, reasoning or tool input part, and the toolCallId of a tool call or result.
	ID string
	// Delta is the fragment of a delta.
	Delta string
	// ProviderExecuted says that the provider runs the tool itself.
	ProviderExecuted bool
	// Preliminary says that another result will take the place of this one.
	Preliminary bool
	// Metadata is the part's providerMetadata, a JSON object by provider; nil for none.
	Metadata json.RawMessage
	// ToolName is that of a tool input start, a tool call or a tool result.
	ToolName string
	// Input is that of a tool call: the text that the model gave, which should be JSON.
	Input string
	// IsError says whether a tool result is a failure, nil if the part does not say.
	IsError *bool
	// Result is that of a tool result, JSON; nil for none.
	Result json.RawMessage
	// MediaType and Data are those of a file. Data is base64 text in V2 and V3, {"$uint8array": base64} for
	// bytes, and {"type": "data", "data": either} or {"type": "url", "url": text} in V4.
	MediaType string
	Data      json.RawMessage
	// FinishReason and Usage are those of a finish: a text and flat counts in V2, objects in V3 and V4.
	FinishReason json.RawMessage
	Usage        json.RawMessage
	// Error is the value of an error part as JSON; an Error of JavaScript is an object with its message.
	Error json.RawMessage
	// Raw is the whole part as it was read, JSON, nil for a part that was made otherwise. Nothing is translated
	// from it; it is where [Config].OnIgnored finds what the other fields do not have.
	Raw json.RawMessage
}
