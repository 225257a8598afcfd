package profile

import "encoding/json"

// A Tool is a tool of the host.
type Tool struct {
	Name        string
	Description string
	// Parameters is its JSON schema; nil is that of any object.
	Parameters json.RawMessage
}

// A Declaration is a tool as a provider sees it.
type Declaration struct {
	Name        string
	Description string
	// InputSchema is a JSON schema.
	InputSchema json.RawMessage
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
