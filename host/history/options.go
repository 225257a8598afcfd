package history

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Config is what the calls of one model have in common. It must not be changed while it is used; calls
// may then be built concurrently.
type Config struct {
	// Profile is the host's.
	Profile *profile.Profile
	// API and Provider are the host's names of the model's protocol and provider. What a message of the same
	// names keeps for its provider goes back to it; to other providers it means nothing.
	API, Provider string
	// Version is the model's.
	Version Version
	// Exclude are names of host tools that this provider does not get. Their calls and results leave the
	// history too.
	Exclude []string
	// Notes are the host's hidden notes, nil for none. They count if the profile has such notes.
	Notes *Notes
	// Outcomes are what has become of delegated work, by the id of its call.
	Outcomes map[string]Outcome
	// Readme gives the headers of the older build that the reference's README describes.
	Readme bool
	// Reference switches to the behaviour of the reference: nothing that a provider has given comes back to
	// it (signatures, calls that it ran itself), an image hides that a tool has failed, and prompts are those of
	// version 3.
	Reference bool
}

// A Call is what a host says about one call of a model beside the context.
type Call struct {
	// SessionID is that of the host's session, "" for none.
	SessionID string
	// Headers are the host's, by name.
	Headers map[string]string
	// ToolChoice is the host's, JSON: "auto", "none", "any", "required", or an object that names a tool. nil
	// is "auto".
	ToolChoice json.RawMessage
}

// CallOptions are the options of a call. They belong to the caller, who may change them; the prompt shares
// the memory of the context.
type CallOptions struct {
	Prompt []Message
	// Tools is nil if no tool is advertised.
	Tools []profile.Declaration
	// ToolChoice is JSON, nil for unset.
	ToolChoice json.RawMessage
	// Headers are nil for unset.
	Headers map[string]string
	// ProviderOptions is a JSON object by provider, nil for unset. CallOptions are built without; see the
	// provider's own options for a call.
	ProviderOptions json.RawMessage
	// Version is that of the prompt.
	Version Version
	// Toolset is what is live in the call: what the provider's answer is to be translated with.
	Toolset *profile.Toolset
}

// CallOptions builds the options of one call.
//
// Of the host's messages these have no place in the prompt: messages of unknown roles, and answers and texts
// of the developer of which nothing is left; blocks of unknown kinds, redactedThinking among them, and
// blocks, calls and results whose members have other types than they should; calls of excluded tools with
// their results; stop reasons and error texts; signatures and calls that the provider ran itself in answers
// of another protocol or provider, and thoughts that are nothing without their signature. Calls without a
// result and results without a call stay.
//
// The error says that the configuration has no profile or a version that is not known, or that a message of
// the context is not JSON.
func (c *Config) CallOptions(given *Context, call Call) (*CallOptions, error) {
	if c.Profile == nil {
		return nil, errors.New("call options: the configuration has no host profile")
	}
	version := c.Version
	if !version.known() {
		return nil, fmt.Errorf("call options: unknown specification version %q: the versions are v2, v3 and v4", version)
	}
	if c.Reference || version == "" {
		version = V3
	}
	messages, err := given.scan()
	if err != nil {
		return nil, fmt.Errorf("call options: %w", err)
	}
	system, tools := given.resolve(messages)
	set := c.Profile.Bind(tools, profile.Options{Exclude: c.Exclude, Reference: c.Reference})
	declared := set.Catalog()
	return &CallOptions{
		Prompt:     newBuilder(c, set).prompt(system, messages),
		Tools:      declared,
		ToolChoice: set.Choice(call.ToolChoice),
		Headers:    c.SessionHeader(call, declared),
		Version:    version,
		Toolset:    set,
	}, nil
}

// ToolNames are the names of the tools that are advertised, nil for none.
func (o *CallOptions) ToolNames() []string {
	var names []string
	for i := range o.Tools {
		names = append(names, o.Tools[i].Name)
	}
	return names
}

// AppendJSON appends the options as the doStream of a model of their version takes them. What is unset is
// left out. Values that are JSON already, such as arguments and schemas, are written as they are, white
// space included.
func (o *CallOptions) AppendJSON(dst []byte) []byte {
	w := jsonvalue.Begin(dst)
	w.Key("prompt")
	w.Out = append(w.Out, '[')
	for i := range o.Prompt {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		w.Out = o.Prompt[i].AppendJSON(w.Out, o.Version)
	}
	w.Out = append(w.Out, ']')
	if o.Tools != nil {
		w.Key("tools")
		w.Out = appendTools(w.Out, o.Tools)
	}
	if o.ToolChoice != nil {
		w.Raw("toolChoice", o.ToolChoice)
	}
	if o.Headers != nil {
		w.Key("headers")
		w.Out = appendHeaders(w.Out, o.Headers)
	}
	if o.ProviderOptions != nil {
		w.Raw("providerOptions", o.ProviderOptions)
	}
	return w.End()
}

func appendTools(dst []byte, tools []profile.Declaration) []byte {
	dst = append(dst, '[')
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = tools[i].AppendJSON(dst)
	}
	return append(dst, ']')
}
