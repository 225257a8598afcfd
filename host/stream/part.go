package stream

import "encoding/json"

// The types of parts that have an effect. Others are taken and say nothing.
const (
	TextStart      = "text-start"
	TextDelta      = "text-delta"
	TextEnd        = "text-end"
	ReasoningStart = "reasoning-start"
	ReasoningDelta = "reasoning-delta"
	ReasoningEnd   = "reasoning-end"
	ToolInputStart = "tool-input-start"
	ToolInputDelta = "tool-input-delta"
	ToolInputEnd   = "tool-input-end"
	ToolCall       = "tool-call"
	ToolResult     = "tool-result"
	File           = "file"
	Finish         = "finish"
	Error          = "error"
)

// A Part is one part of a model's answer. Which fields are used depends on Type.
type Part struct {
	Type string
	// ID is the id of a text, reasoning or tool input part, and the toolCallId of a tool call or result.
	ID string
	// Delta is the fragment of a delta.
	Delta string
	// ToolName is that of a tool input start, a tool call or a tool result.
	ToolName string
	// Input is that of a tool call: the text that the model gave, which should be JSON.
	Input string
	// ProviderExecuted says that the provider runs the tool itself.
	ProviderExecuted bool
	// Result is that of a tool result, which IsError says is a failure. A preliminary one will be followed by
	// another.
	Result      json.RawMessage
	IsError     bool
	Preliminary bool
	// MediaType and Data are those of a file. Data is JSON as each version of the protocol has it.
	MediaType string
	Data      json.RawMessage
	// FinishReason and Usage are those of a finish, JSON as each version of the protocol has it.
	FinishReason json.RawMessage
	Usage        json.RawMessage
	// Error is the value of an error part as JSON.
	Error json.RawMessage
	// Metadata is the part's providerMetadata, a JSON object by provider; nil for none.
	Metadata json.RawMessage
}
