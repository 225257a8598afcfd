package replay

import (
	"encoding/json"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// noOutput stands for the result of a tool that gave no text.
const noOutput = "(no output)"

// unknownTool names the tool of a result whose call is not in the history.
const unknownTool = "unknown"

// History converts messages, in their order. Assistant messages go as [Reader.Assistant] says, all
// others as text in the user's role; each tool result becomes a message of its own behind the text of
// the message that it is in. See the replay-state protocol, section "Whole history".
//
// The error is an *[Error], in reference mode only. The diagnostics of the messages before it have been
// given then.
func (r *Reader) History(messages []message.Message) ([]Native, error) {
	out := make([]Native, 0, len(messages))
	calls := map[string]string{} // the tools by call id
	for i := range messages {
		m := &messages[i]
		if r.Reference {
			// The reference looks through the whole message before it converts any of it.
			if err := findImage(m.ID, m.Content); err != nil {
				return nil, err
			}
		}
		if m.Role == message.Assistant {
			converted, _, err := r.Assistant(*m)
			if err != nil {
				return nil, err
			}
			for p := range converted.Content {
				if call := &converted.Content[p]; call.Type == PartToolCall {
					calls[call.ID] = call.Name
				}
			}
			out = append(out, converted)
			continue
		}
		out = r.appendUser(out, m, calls)
	}
	return out, nil
}

// findImage is the reference's error for an image anywhere in a message.
func findImage(messageID string, blocks []message.Block) error {
	for i := range blocks {
		if blocks[i].Type == message.Image {
			return unsupported(messageID, &blocks[i])
		}
		if err := findImage(messageID, blocks[i].Content); err != nil {
			return err
		}
	}
	return nil
}

// appendUser converts a message that is not an assistant's. A system message has no tool results.
func (r *Reader) appendUser(out []Native, m *message.Message, calls map[string]string) []Native {
	var own strings.Builder
	var results []Native
	for i := range m.Content {
		b := &m.Content[i]
		if b.Type != message.ToolResult {
			r.writeText(&own, m.ID, b)
			continue
		}
		if m.Role == message.System {
			continue
		}
		var text strings.Builder
		r.writeText(&text, m.ID, b)
		result := ToolResultMessage{
			ToolCallID: b.ToolCallID, ToolName: unknownTool, Text: text.String(), IsError: b.IsError,
		}
		if name, ok := calls[b.ToolCallID]; ok {
			result.ToolName = name
		}
		if result.Text == "" {
			result.Text = noOutput
		}
		results = append(results, result)
	}
	if own.Len() > 0 || len(results) == 0 {
		out = append(out, UserMessage{own.String()})
	}
	return append(out, results...)
}

// writeText writes the text of a block, of a tool result that of everything in it. Blocks are parsed to
// a bounded depth, which bounds the recursion.
func (r *Reader) writeText(to *strings.Builder, messageID string, b *message.Block) {
	switch b.Type {
	case message.Text:
		to.WriteString(b.Text)
	case message.Image:
		to.WriteString(r.image(messageID, b))
	case message.ToolResult:
		for i := range b.Content {
			r.writeText(to, messageID, &b.Content[i])
		}
	}
}

// A Tool is one that the model may call.
type Tool struct {
	Name, Description string
	// Parameters is a JSON schema.
	Parameters json.RawMessage
}

// A Context is everything that a native request says.
type Context struct {
	// SystemPrompt is nil if there is none, which an empty one is not.
	SystemPrompt *string
	Messages     []Native
	Tools        []Tool
}

// Context converts a whole request. The error is that of [Reader.History].
func (r *Reader) Context(system *string, tools []Tool, messages []message.Message) (Context, error) {
	converted, err := r.History(messages)
	if err != nil {
		return Context{}, err
	}
	return Context{SystemPrompt: system, Messages: converted, Tools: tools}, nil
}

// AppendJSON appends the request as the native layer reads it: {"systemPrompt"?, "messages", "tools"?}.
// An empty list of tools is left out.
func (c *Context) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	appendOptional(&o, "systemPrompt", c.SystemPrompt)
	o.Key("messages")
	o.Out = append(o.Out, '[')
	for i, m := range c.Messages {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = m.AppendJSON(o.Out)
	}
	o.Out = append(o.Out, ']')
	if len(c.Tools) > 0 {
		o.Key("tools")
		o.Out = append(o.Out, '[')
		for i := range c.Tools {
			if i > 0 {
				o.Out = append(o.Out, ',')
			}
			o.Out = c.Tools[i].appendJSON(o.Out)
		}
		o.Out = append(o.Out, ']')
	}
	return o.End()
}

func (t *Tool) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("name", t.Name)
	o.Text("description", t.Description)
	if t.Parameters != nil {
		o.Raw("parameters", t.Parameters)
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (c Context) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }
