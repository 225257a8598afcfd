// Command {{name}} is a guest with one developer message.
package main

import (
	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
)

// The id is that of pintle.toml.
func init() { message.Handle("{{name}}", render) }

func main() {}

// render returns what the model is told in this turn, "" for nothing. Of the context it has what pintle.toml
// needs. An error costs the turn this text and nothing else.
func render(c *message.Context) (string, error) {
	if c.Prompt == "" {
		pintle.Log(pintle.Debug, "no prompt, nothing to say")
		return "", nil
	}
	tone, ok := pintle.Config("tone")
	if !ok {
		tone = "friendly"
	}
	text := "Answer in a " + tone + " tone."
	if c.ToolActive("bash") {
		text += " Say what a command does before you run it."
	}
	return text, nil
}
