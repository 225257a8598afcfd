package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Choice is which tool a provider is to call, after a host's JSON for it (section "Tool choice"): "none",
// "any" or "required", or an object with the name of one of the host's tools. The result is of AI SDK form
// (the language model specification's toolChoice, the same in V2, V3 and V4), with the name by which the
// provider sees the tool. It is nil, which leaves the choice to the provider, for "auto", for nothing, and
// for whatever else.
func (t *Toolset) Choice(raw json.RawMessage) json.RawMessage {
	if word, ok := jsonvalue.TextOf(raw); ok {
		switch word {
		case "none":
			return json.RawMessage(`{"type":"none"}`)
		case "any", "required":
			return json.RawMessage(`{"type":"required"}`)
		}
		return nil
	}
	object, _ := ordered.ParseObject(raw)
	name, _ := object.Text("name")
	if name == "" {
		return nil
	}
	w := jsonvalue.Begin(nil)
	w.Text("type", "tool")
	w.Text("toolName", t.ProviderName(name))
	return w.End()
}

// Terminal is the call with which the bridge ends delegated work when the provider just stops: the host's
// tool, and its fixed input. It is false if there is no such role in this call.
func (t *Toolset) Terminal() (Call, bool) {
	if t.terminal == "" {
		return Call{}, false
	}
	return Call{Name: t.terminal, Arguments: t.profile.tools.Terminal.Input}, true
}

// TodoTool is the host's tool of operations on the to-do list, and whether there is one that is live.
func (t *Toolset) TodoTool() (host string, ok bool) {
	for name, r := range t.rules {
		if r.Call == todoShape {
			return name, true
		}
	}
	return "", false
}
