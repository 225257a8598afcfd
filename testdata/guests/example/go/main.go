// Command go is the example guest in Go: two contributions, and the Codex adapter in both versions of its
// interface. The same guest stands beside it in other languages, with the same cases.json.
package main

import (
	"strings"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/developer"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

func init() {
	message.Handle("template", template)
	message.Handle("greeting", greeting)
	edit.Handle("codex", codexEdits)
	payload.Handle("codex-v1", payload.Adapter{Read: codexRead, ReplaceSystem: codexReplaceSystem})
	developer.Handle("codex-v1", codexReplaceDeveloper)
}

func main() {}

// template fills in the text that the host has configured. What is not known of a turn is empty.
func template(c *message.Context) (string, error) {
	text, ok := pintle.Config("template")
	if !ok {
		return "", nil
	}
	var skills []string
	for _, s := range c.SystemPromptOptions.Get("skills").List() {
		name, _ := s.Get("name").Text()
		skills = append(skills, name)
	}
	cwd, _ := c.SystemPromptOptions.Get("cwd").Text()
	return strings.NewReplacer(
		"{prompt}", c.Prompt,
		"{provider}", c.Provider,
		"{sessionId}", c.SessionID,
		"{tools}", strings.Join(c.ActiveTools, ","),
		"{cwd}", cwd,
		"{skills}", strings.Join(skills, ","),
	).Replace(text), nil
}

// greeting has something to say only if a prompt starts the turn.
func greeting(c *message.Context) (string, error) {
	if !c.HasPrompt {
		return "", nil
	}
	pintle.Log(pintle.Debug, "greeting")
	return "Greet the user before you answer.", nil
}
