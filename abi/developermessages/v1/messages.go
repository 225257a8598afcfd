// Package v1 holds the messages of the interface developer-messages/v1. It is frozen: a change of the
// messages is a new version in a package of its own.
package v1

// A RenderRequest asks for the text of one contribution. The answer is text or nothing.
//
// A context field is present only if the contribution's manifest entry needs it and the host knows it.
type RenderRequest struct {
	ID          string    `cbor:"id"`       // which of the guest's contributions
	Features    uint64    `cbor:"features"` // feature bits that the host grants
	Provider    *string   `cbor:"provider,omitempty"`
	ActiveTools *[]string `cbor:"activeTools,omitempty"`
	SessionID   *string   `cbor:"sessionId,omitempty"`
	Prompt      *string   `cbor:"prompt,omitempty"` // the user prompt that starts the turn
	// SystemPromptOptions is the host's structured prompt input with its own key names: cwd,
	// customPrompt, appendSystemPrompt, contextFiles, skills and whatever else the host has.
	SystemPromptOptions map[string]any `cbor:"systemPromptOptions,omitempty"`
}
