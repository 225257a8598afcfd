package conformance

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
)

func historyCases() Suite {
	return Suite{
		"context-prompt": {run: runContextPrompt},
		"prompt-names":   {run: runPromptNames},
		"session-header": {run: runSessionHeader},
	}
}

func runPromptNames(_ context.Context, c *testCase) (any, error) {
	text := c.input.Get("text").str("")
	return history.RestateNames(text, textsByName(c.input.Get("renames")), c.input.Get("toolListItems").isTrue()), nil
}

func runSessionHeader(_ context.Context, c *testCase) (any, error) {
	var config history.Config
	switch era := c.input.Get("era").str(""); era {
	case "latest":
	case "readme":
		config.Readme = true
	default:
		return nil, errors.New("no such era: " + era)
	}
	var tools []profile.Declaration
	if c.input.Get("hasTools").isTrue() {
		tools = []profile.Declaration{{Name: "any"}}
	}
	return config.SessionHeader(hostCall(c.input.Get("options")), tools), nil
}

func runContextPrompt(_ context.Context, c *testCase) (any, error) {
	p, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	hostContext, err := history.ParseContext(c.input.Get("context").raw)
	if err != nil {
		return nil, err
	}
	if name := c.input.Get("toolset").ptr(); name != nil {
		if hostContext.Tools, err = hostTools(c, *name); err != nil {
			return nil, err
		}
	}
	var notes history.Notes
	for _, note := range c.input.Get("hiddenNotes").items {
		notes.Remember(note.raw)
	}
	model := c.input.Get("model")
	config := history.Config{
		Profile: p, API: model.Get("api").str(""), Provider: model.Get("provider").str(""),
		Version: history.V3, Exclude: c.input.Get("excludedToolNames").strs(), Notes: &notes, Reference: c.reference,
	}
	options, err := config.CallOptions(hostContext, hostCall(c.input.Get("options")))
	if err != nil {
		return nil, err
	}
	whole, err := ParseValue(options.AppendJSON(nil))
	if err != nil {
		return nil, err
	}
	return fields{
		"prompt", whole.Get("prompt"), "toolNames", orNull(options.ToolNames()),
		"toolChoice", whole.Get("toolChoice"), "headers", whole.Get("headers"),
	}, nil
}

func hostCall(options Value) history.Call {
	call := history.Call{SessionID: options.Get("sessionId").str(""), Headers: textsByName(options.Get("headers"))}
	if choice := options.Get("toolChoice"); choice.present() {
		call.ToolChoice = json.RawMessage(choice.raw)
	}
	return call
}

// textsByName reads an object of texts.
func textsByName(v Value) map[string]string {
	texts := map[string]string{}
	for i, name := range v.keys {
		texts[name] = v.items[i].str("")
	}
	return texts
}
