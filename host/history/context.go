package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A Context is what a host gives to a model: in the classic form a system prompt, tools and messages, in
// the transcript form nothing but messages, of which those of role "system" carry the prompt and the tools
// and change them as the conversation goes on.
type Context struct {
	// SystemPrompt are the sections of the system prompt. nil means that the messages carry it.
	SystemPrompt []string
	// Tools are the host's tools that are live in the call. nil means that the messages carry them.
	Tools []profile.Tool
	// Messages are the host's messages, each one JSON object: {role: "user", content}, {role: "assistant",
	// content, api, provider, providerExecuted?}, {role: "toolResult", toolCallId, toolName, content, isError,
	// details?}, {role: "developer", content, attribution?} and {role: "system", content, sections?,
	// toolsAdded?, toolsRemoved?}. Content is a text or a list of blocks. Messages of other roles are left out.
	Messages []json.RawMessage
}

// ParseContext reads a context: a JSON object {systemPrompt?, tools?, messages?}. systemPrompt is a text or
// a list of texts, a tool {name, description?, parameters?}.
//
// A member that is null or of another type than it should be counts as missing, and what is not a text in
// the list of a prompt, or not an object with a name in that of tools, is left out. The error says that data
// is not JSON, or is nested more than 10,000 deep, or is no object. The context keeps data, which must not
// change.
func ParseContext(data []byte) (*Context, error) {
	doc, err := jsonspan.Scan(wtf8.Repair(data), 2)
	if err != nil {
		return nil, fmt.Errorf("host context: %w", err)
	}
	root := doc.Root()
	if root.Kind() != jsonspan.Object {
		return nil, errors.New("host context: not a JSON object")
	}
	c := &Context{Tools: readTools(jsonvalue.Member(root, "tools"))}
	switch prompt := jsonvalue.Member(root, "systemPrompt"); prompt.Kind() {
	case jsonspan.String:
		c.SystemPrompt = []string{jsonvalue.String(prompt)}
	case jsonspan.Array:
		c.SystemPrompt = []string{}
		for n := prompt.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
			if text, ok := jsonvalue.Text(n); ok {
				c.SystemPrompt = append(c.SystemPrompt, text)
			}
		}
	}
	if list := jsonvalue.Member(root, "messages"); list.Kind() == jsonspan.Array {
		for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
			c.Messages = append(c.Messages, n.Raw())
		}
	}
	return c, nil
}

// readTools reads a list of tools; nil if it is none.
func readTools(list jsonspan.Node) []profile.Tool {
	if list.Kind() != jsonspan.Array {
		return nil
	}
	tools := []profile.Tool{}
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		name, ok := jsonvalue.Text(jsonvalue.Member(n, "name"))
		if !ok {
			continue
		}
		tool := profile.Tool{Name: name, Description: jsonvalue.String(jsonvalue.Member(n, "description"))}
		if p := jsonvalue.Member(n, "parameters"); p.Kind() > jsonspan.Null {
			tool.Parameters = p.Raw()
		}
		tools = append(tools, tool)
	}
	return tools
}

// scan reads the messages.
func (c *Context) scan() ([]jsonspan.Node, error) {
	nodes := make([]jsonspan.Node, len(c.Messages))
	for i, raw := range c.Messages {
		doc, err := jsonspan.Scan(wtf8.Repair(raw), 3)
		if err != nil {
			return nil, fmt.Errorf("host message %d: %w", i, err)
		}
		nodes[i] = doc.Root()
	}
	return nodes, nil
}

// resolve returns the system prompt, "" for none, and the tools, from the messages where the context does
// not have them itself.
func (c *Context) resolve(messages []jsonspan.Node) (prompt string, tools []profile.Tool) {
	prompt, tools = join(c.SystemPrompt), c.Tools
	if c.SystemPrompt != nil && c.Tools != nil {
		return prompt, tools
	}
	t := replay(messages)
	if c.SystemPrompt == nil {
		prompt = t.prompt()
	}
	if c.Tools == nil {
		tools = t.liveTools()
	}
	return prompt, tools
}

// join puts a blank line between texts that are not empty.
func join(texts []string) string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// UserMessage is a host's message of the user.
func UserMessage(text string) json.RawMessage {
	o := jsonvalue.Begin(nil)
	o.Text("role", "user")
	o.Text("content", text)
	return o.End()
}

// ToolResultMessage is a host's message with the result of a tool call, for which tool is the host's name.
func ToolResultMessage(callID, tool, text string, failed bool) json.RawMessage {
	o := jsonvalue.Begin(nil)
	o.Text("role", "toolResult")
	o.Text("toolCallId", callID)
	o.Text("toolName", tool)
	o.Text("content", text)
	o.Bool("isError", failed)
	return o.End()
}
