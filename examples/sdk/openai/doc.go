// Package openai asks models behind OpenAI's APIs with the official SDK: [Responses] and [Chat] make
// providers of package turn. All that is here is the way from a prompt to the SDK's parameters and from the
// SDK's stream events to parts; package parts does the rest.
//
// The envelope is none of its business either: give the client a transport of a host.
//
//	client := sdk.NewClient(option.WithHTTPClient(&http.Client{
//		Transport: h.Transport("openai", openai.ResponsesAPI, nil),
//	}))
//	router.Register(openai.Responses(client, openai.Options{}), "openai")
package openai

// The names of the APIs, those that the stock adapters and hosts of the Pi family know.
const (
	ResponsesAPI = "openai-responses"
	ChatAPI      = "openai-completions"
)

// Options are what all calls of a provider have in common. The zero value is usable.
type Options struct {
	// Effort makes the model reason: "low", "medium", "high" or what else it knows; "" does not ask for it. With
	// it the encrypted reasoning of an answer comes back to the model in the next call ([Responses] alone).
	Effort string
	// MaxTokens ends an answer, 0 for the model's own limit.
	MaxTokens int64
	// ContextWindow is how many tokens the model takes, 0 if that is not known.
	ContextWindow int64
}
