package history

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Version is that of the AI SDK's language model specification, as a model's specificationVersion says
// it. The empty Version is V3.
type Version string

// The versions. They differ in how prompts carry files: in the result of a tool, V2 has {type: "media"},
// V3 {type: "file-data"} and V4 {type: "file"}; and the data of all files is base64 text in V2 and V3,
// and {type: "data", data} around that in V4.
const (
	V2 Version = "v2"
	V3 Version = "v3"
	V4 Version = "v4"
)

func (v Version) known() bool { return v == "" || v == V2 || v == V3 || v == V4 }

// The roles of a prompt's messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one message of a prompt.
type Message struct {
	Role string
	// Text is the content of a system message, Content that of all others.
	Text    string
	Content []Part
}

// The types of a prompt's parts.
const (
	Text       = "text"
	Reasoning  = "reasoning"
	File       = "file"
	ToolCall   = "tool-call"
	ToolResult = "tool-result"
)

// A Part is one piece of a message's content. Which fields are used depends on Type.
type Part struct {
	Type string
	// Text is that of a text or reasoning part.
	Text string
	// Data is that of a file in base64, MediaType its media type.
	Data, MediaType string
	// ToolCallID and ToolName are those of a tool call or result; the name is the provider's.
	ToolCallID, ToolName string
	// Input is that of a tool call, JSON.
	Input json.RawMessage
	// Output is that of a tool result.
	Output *Output
	// ProviderExecuted says of a tool call or result that the provider has run the tool itself.
	ProviderExecuted bool
	// ProviderOptions is a JSON object by provider, nil for none.
	ProviderOptions json.RawMessage
}

// The types of outputs.
const (
	OutputText      = "text"
	OutputErrorText = "error-text"
	OutputJSON      = "json"
	OutputContent   = "content"
)

// An Output is what a tool has given back.
type Output struct {
	Type string
	// Text is that of a text or an error text.
	Text string
	// JSON is the value of a JSON output.
	JSON json.RawMessage
	// Content are the parts of a content output, of type Text and File.
	Content []Part
}

// AppendJSON appends the message as a version of the specification has it.
func (m *Message) AppendJSON(dst []byte, v Version) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("role", m.Role)
	if m.Role == RoleSystem {
		o.Text("content", m.Text)
		return o.End()
	}
	o.Key("content")
	o.Out = append(o.Out, '[')
	for i := range m.Content {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = m.Content[i].AppendJSON(o.Out, v)
	}
	o.Out = append(o.Out, ']')
	return o.End()
}

// AppendJSON appends the part as a version of the specification has it.
func (p *Part) AppendJSON(dst []byte, v Version) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", p.Type)
	switch p.Type {
	case Text, Reasoning:
		o.Text("text", p.Text)
	case File:
		p.data(&o, v)
	case ToolCall:
		o.Text("toolCallId", p.ToolCallID)
		o.Text("toolName", p.ToolName)
		if p.Input != nil {
			o.Raw("input", p.Input)
		}
	case ToolResult:
		o.Text("toolCallId", p.ToolCallID)
		o.Text("toolName", p.ToolName)
		if p.Output != nil {
			o.Key("output")
			o.Out = p.Output.AppendJSON(o.Out, v)
		}
	}
	if p.ProviderExecuted {
		o.Bool("providerExecuted", true)
	}
	if p.ProviderOptions != nil {
		o.Raw("providerOptions", p.ProviderOptions)
	}
	return o.End()
}

// data adds what a file is.
func (p *Part) data(o *jsonvalue.Object, v Version) {
	if v == V4 {
		o.Key("data")
		inner := jsonvalue.Begin(o.Out)
		inner.Text("type", "data")
		inner.Text("data", p.Data)
		o.Out = inner.End()
	} else {
		o.Text("data", p.Data)
	}
	o.Text("mediaType", p.MediaType)
}

// AppendJSON appends the output as a version of the specification has it.
func (out *Output) AppendJSON(dst []byte, v Version) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", out.Type)
	switch out.Type {
	case OutputJSON:
		if out.JSON != nil {
			o.Raw("value", out.JSON)
		}
	case OutputContent:
		o.Key("value")
		o.Out = append(o.Out, '[')
		for i := range out.Content {
			if i > 0 {
				o.Out = append(o.Out, ',')
			}
			o.Out = out.Content[i].appendItem(o.Out, v)
		}
		o.Out = append(o.Out, ']')
	default:
		o.Text("value", out.Text)
	}
	return o.End()
}

// appendItem appends a part of a content output.
func (p *Part) appendItem(dst []byte, v Version) []byte {
	if p.Type != File || v == V4 {
		return p.AppendJSON(dst, v)
	}
	o := jsonvalue.Begin(dst)
	if v == V2 {
		o.Text("type", "media")
	} else {
		o.Text("type", "file-data")
	}
	p.data(&o, v)
	return o.End()
}
