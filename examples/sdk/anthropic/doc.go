// Package anthropic asks Claude with Anthropic's official SDK: [Messages] makes a provider of package turn.
// All that is here is the way from a prompt to the SDK's parameters and from the SDK's stream events to
// parts; package parts does the rest.
//
// The envelope is none of its business either: give the client a transport of a host.
//
//	client := sdk.NewClient(option.WithHTTPClient(&http.Client{
//		Transport: h.Transport("anthropic", anthropic.API, nil),
//	}))
//	router.Register(anthropic.Messages(client, anthropic.Options{}), "anthropic")
package anthropic

// API is the name of the Messages API, the one that the stock adapters and hosts of the Pi family know.
const API = "anthropic-messages"

// DefaultMaxTokens ends an answer unless told otherwise: the API wants a limit.
const DefaultMaxTokens = 16384

// Options are what all calls of a provider have in common. The zero value is usable.
type Options struct {
	// MaxTokens ends an answer, 0 for DefaultMaxTokens.
	MaxTokens int64
	// ThinkingBudget is how many of them the model may think for, at least 1,024; 0 does not ask it to. What it
	// has thought comes back to it, signed, in the next call.
	ThinkingBudget int64
	// ContextWindow is how many tokens the model takes, 0 if that is not known.
	ContextWindow int64
}
