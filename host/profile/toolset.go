package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Tool is a tool of the host.
type Tool struct {
	Name        string
	Description string
	// Parameters is its JSON schema; nil is that of any object.
	Parameters json.RawMessage
}

// AppendJSON appends the tool, {"name":…,"description":…,"parameters":…}, the latter null for none.
func (t *Tool) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	t.members(&o)
	return o.End()
}

func (t *Tool) members(o *jsonvalue.Object) {
	o.Text("name", t.Name)
	o.Text("description", t.Description)
	o.Raw("parameters", orNull(t.Parameters))
}

// MarshalJSON implements [json.Marshaler].
func (t Tool) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// A Declaration is a tool as a provider sees it.
type Declaration struct {
	Name        string
	Description string
	// InputSchema is a JSON schema.
	InputSchema json.RawMessage
}

// AppendJSON appends the declaration as the AI SDK's language model specification has it in V2, V3 and V4:
//
//	{"type":"function","name":…,"description":…,"inputSchema":…}
func (d *Declaration) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", "function")
	o.Text("name", d.Name)
	o.Text("description", d.Description)
	o.Raw("inputSchema", orNull(d.InputSchema))
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (d Declaration) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

func orNull(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}

// A Call is one call of a tool: by the host's name or a provider's, with arguments in the shape of the one
// or the other. Arguments is JSON, an object or a list.
type Call struct {
	Name      string
	Arguments json.RawMessage
}

// A Toolset is what is live in one call of a model. It does not change and is safe for concurrent use.
type Toolset struct {
	profile   *Profile
	tools     []Tool // without the excluded ones
	excluded  map[string]bool
	reference bool
	catalog   func() []Declaration

	bound
}

// Options change how tools are bound.
type Options struct {
	// Exclude are names of tools that this provider does not get; see [Withheld].
	Exclude []string
	// Reference switches to the behaviour of the reference.
	Reference bool
}
