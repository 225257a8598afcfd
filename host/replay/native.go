package replay

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The roles of native messages.
const (
	RoleAssistant  = "assistant"
	RoleUser       = "user"
	RoleToolResult = "toolResult"
)

// A Native is one message in the form that the native (pi-ai) layer takes: an [AssistantMessage], a
// [UserMessage] or a [ToolResultMessage].
type Native interface {
	json.Marshaler
	// Role is one of the roles of native messages.
	Role() string
	// AppendJSON appends the message as the native layer reads it.
	AppendJSON(dst []byte) []byte
}

// Foreign is the api of a message that goes without replay state. It equals no real protocol, so that
// the native layer never takes such a message for one of its own. It also stands for the provider and
// the model of a message that no model gave.
const Foreign = "dsh-foreign"

// The kinds of parts.
const (
	PartText     = "text"
	PartThinking = "thinking"
	PartToolCall = "toolCall"
)

// A Part is one piece of a native assistant message.
type Part struct {
	// Type is one of the kinds of parts.
	Type string
	// Text is that of a text or thinking part.
	Text string
	// ID, Name and Arguments are the call. Arguments is a JSON object as JavaScript would write it; nil is
	// the empty one.
	ID, Name  string
	Arguments json.RawMessage
	// Signature is the textSignature, thinkingSignature or thoughtSignature, depending on Type; nil if
	// there is none, which an empty one is not.
	Signature *string
	// Redacted is that of a thinking part, nil if it does not say.
	Redacted *bool
}

func (p *Part) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", p.Type)
	switch p.Type {
	case PartText:
		o.Text("text", p.Text)
		appendOptional(&o, "textSignature", p.Signature)
	case PartThinking:
		o.Text("thinking", p.Text)
		appendOptional(&o, "thinkingSignature", p.Signature)
		if p.Redacted != nil {
			o.Bool("redacted", *p.Redacted)
		}
	case PartToolCall:
		o.Text("id", p.ID)
		o.Text("name", p.Name)
		arguments := []byte("{}")
		if p.Arguments != nil {
			arguments = p.Arguments
		}
		o.Raw("arguments", arguments)
		appendOptional(&o, "thoughtSignature", p.Signature)
	}
	return o.End()
}

// An AssistantMessage is what a model has answered. Its usage and its time are not kept and go as zero.
type AssistantMessage struct {
	Content []Part
	// API is the protocol of the answer, Foreign if it goes without replay state.
	API, Provider, Model string
	// ResponseModel and ResponseID are what the provider has called the answer; nil if it has not.
	ResponseModel, ResponseID *string
	// StopReason is "stop", "length" or "toolUse"; in reference mode "error" and "aborted" occur too.
	StopReason string
	// ProviderExecuted is a list of the calls that the provider has run itself, as package stream writes it
	// with a message; nil for none.
	ProviderExecuted json.RawMessage

	// stopReason is written in the place of StopReason: what the reference takes for a word.
	stopReason json.RawMessage
}

// noUsage is written with every assistant message.
const noUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// Role implements [Native].
func (m AssistantMessage) Role() string { return RoleAssistant }

// AppendJSON implements [Native].
func (m AssistantMessage) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("role", RoleAssistant)
	o.Key("content")
	o.Out = append(o.Out, '[')
	for i := range m.Content {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = m.Content[i].appendJSON(o.Out)
	}
	o.Out = append(o.Out, ']')
	o.Text("api", m.API)
	o.Text("provider", m.Provider)
	o.Text("model", m.Model)
	appendOptional(&o, "responseModel", m.ResponseModel)
	appendOptional(&o, "responseId", m.ResponseID)
	if m.ProviderExecuted != nil {
		o.Raw("providerExecuted", m.ProviderExecuted)
	}
	o.Raw("usage", []byte(noUsage))
	if m.stopReason != nil {
		o.Raw("stopReason", m.stopReason)
	} else {
		o.Text("stopReason", m.StopReason)
	}
	o.Whole("timestamp", 0)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m AssistantMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// A UserMessage is text from the user or, in the place of the user, from the host.
type UserMessage struct{ Content string }

// Role implements [Native].
func (m UserMessage) Role() string { return RoleUser }

// AppendJSON implements [Native].
func (m UserMessage) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("role", RoleUser)
	o.Text("content", m.Content)
	o.Whole("timestamp", 0)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m UserMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// A ToolResultMessage is the answer to one tool call.
type ToolResultMessage struct {
	ToolCallID, ToolName string
	// Text is not empty.
	Text    string
	IsError bool
}

// Role implements [Native].
func (m ToolResultMessage) Role() string { return RoleToolResult }

// AppendJSON implements [Native].
func (m ToolResultMessage) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("role", RoleToolResult)
	o.Text("toolCallId", m.ToolCallID)
	o.Text("toolName", m.ToolName)
	o.Key("content")
	part := Part{Type: PartText, Text: m.Text}
	o.Out = append(part.appendJSON(append(o.Out, '[')), ']')
	o.Bool("isError", m.IsError)
	o.Whole("timestamp", 0)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m ToolResultMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }
