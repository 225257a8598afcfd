// Package message lets a guest render developer messages: the interface developer-messages/v1.
package message

import (
	"errors"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
)

// A Context is what the turn is about. Only the fields that the contribution's entry in pintle.toml
// lists under needs are filled.
type Context struct {
	Provider    string // empty if the host does not know it
	ActiveTools []string
	SessionID   string
	Prompt      string // the user prompt that starts the turn
	HasPrompt   bool   // false: the turn starts without one
	// SystemPromptOptions is the host's structured prompt input: cwd, customPrompt, appendSystemPrompt,
	// contextFiles, skills and more, as the host names them.
	SystemPromptOptions pintle.Value
}

// ToolActive reports whether a tool is active.
func (c *Context) ToolActive(name string) bool {
	for _, tool := range c.ActiveTools {
		if tool == name {
			return true
		}
	}
	return false
}

var handlers = map[string]func(*Context) (string, error){}

// Handle registers the function that renders a contribution, under its id in pintle.toml. Call it from
// init. An empty text means that there is nothing to say this time. The function is never called
// concurrently, and without session state it never sees what an earlier call left behind.
func Handle(id string, render func(*Context) (string, error)) { handlers[id] = render }

func render(v cbor.Value) ([]byte, error) {
	id, _ := v.Get("id").Text()
	handler, ok := handlers[id]
	if !ok {
		return nil, errors.New("no handler for contribution " + id + "; there are handlers for: " + call.Names(handlers))
	}
	c := &Context{ActiveTools: v.Get("activeTools").Texts(), SystemPromptOptions: v.Get("systemPromptOptions")}
	c.Provider, _ = v.Get("provider").Text()
	c.SessionID, _ = v.Get("sessionId").Text()
	c.Prompt, c.HasPrompt = v.Get("prompt").Text()
	text, err := handler(c)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return cbor.Nothing(), nil
	}
	return cbor.Text(text), nil
}
