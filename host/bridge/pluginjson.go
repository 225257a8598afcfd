package bridge

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// AppendJSON appends what a plugin may use, for the runtime that makes the rest of its input:
//
//	{"directory":…,"worktree":…}
//
// What the store holds is not in it: the runtime asks the store.
func (p *PluginInput) AppendJSON(dst []byte) []byte {
	w := jsonvalue.Begin(dst)
	w.Text("directory", p.Directory)
	w.Text("worktree", p.Worktree)
	return w.End()
}

// MarshalJSON implements [json.Marshaler].
func (p PluginInput) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// AppendJSON appends what the hook chat.params of OpenCode is called with, its input and its output:
//
//	{"input":{"sessionID":…,"agent":…,"model":{"id":…,"providerID":…}},"output":{"options":{…}}}
func (p *ChatParams) AppendJSON(dst []byte) []byte {
	w := jsonvalue.Begin(dst)
	w.Key("input")
	input := jsonvalue.Begin(w.Out)
	input.Text("sessionID", p.SessionID)
	input.Text("agent", p.Agent)
	input.Key("model")
	model := jsonvalue.Begin(input.Out)
	model.Text("id", p.ModelID)
	model.Text("providerID", p.ProviderID)
	input.Out = model.End()
	w.Out = input.End()
	w.Key("output")
	output := jsonvalue.Begin(w.Out)
	options := p.Options
	if len(options) == 0 {
		options = json.RawMessage("{}")
	}
	output.Raw("options", options)
	w.Out = output.End()
	return w.End()
}

// MarshalJSON implements [json.Marshaler].
func (p ChatParams) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }
