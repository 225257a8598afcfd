// Package v1 holds the messages of the interface provider-payload-adapters/v1. It is frozen: a change
// of the messages is a new version in a package of its own.
package v1

// A Payload is the part that all requests of the interface share.
type Payload struct {
	ID       string `cbor:"id"`       // which of the guest's adapters
	Features uint64 `cbor:"features"` // feature bits that the host grants
	Provider string `cbor:"provider"`
	API      string `cbor:"api"`     // empty if the host does not know it
	Payload  []byte `cbor:"payload"` // the request body, JSON
}

// A ReadSystemPromptRequest asks for the system prompt in a payload. The answer is text or nothing.
type ReadSystemPromptRequest struct {
	Payload
}

// A ReplaceSystemPromptRequest asks for the payload with another system prompt. The answer is a byte
// string, the new payload, or nothing if the payload is unchanged.
type ReplaceSystemPromptRequest struct {
	Payload
	SystemPrompt string `cbor:"systemPrompt"`
}

// A ReplaceDeveloperMessagesRequest asks for the payload in which the managed developer messages are
// exactly these. The answer is a byte string, the new payload, or nothing if the payload is unchanged.
type ReplaceDeveloperMessagesRequest struct {
	Payload
	Messages []Message `cbor:"messages"`
}

// A Message is one developer message.
type Message struct {
	ID      string `cbor:"id"`
	Content string `cbor:"content"`
}
