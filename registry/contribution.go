// Package registry holds what a host has loaded: contributions of developer messages and adapters for
// provider payloads, native ones and guests' together, under one set of rules.
//
// The rules are those of the Pi prompt-envelope extension (its contribution registry and its payload
// adapters): the last registration under an id replaces the one before, a stale handle removes nothing,
// and contributions are ordered by priority and then by id in locale order.
package registry

import (
	"context"
	"fmt"
)

// RenderContext is what a contribution may look at while it renders. It is shared by all contributions
// of one turn and must not be changed.
type RenderContext struct {
	// Provider is the current provider's id, "" when unknown.
	Provider string
	// API is the current model's api, "" when unknown.
	API string
	// ActiveTools names the tools that the model may call in this turn.
	ActiveTools []string
	SessionID   string
	// Prompt is the user prompt that starts the turn, nil when there is none.
	Prompt *string
	// Options are the host's structured prompt inputs.
	Options PromptOptions

	// CWD and SystemPrompt (the prompt that the host itself had built) are known only while an envelope
	// is built, else "" and nil. The protocol does not promise them to contributions.
	CWD          string
	SystemPrompt *string

	requests requestCache
}

// Contribution is a source of one developer message.
type Contribution struct {
	// ID is the unique name. It appears in requests and audits as it is, so it should be the same in
	// every process.
	ID string
	// Priority orders contributions, low first. It may be negative or fractional.
	Priority float64
	// Providers limits the contribution to these provider ids (exact match). nil means every provider;
	// an empty list means none.
	Providers []string
	// ActiveTools limits the contribution to turns in which all of these tools are active. nil and an
	// empty list mean every turn.
	ActiveTools []string
	// OnFailure says what becomes of a turn in which Render fails.
	OnFailure FailurePolicy
	// Concurrent allows Render to run beside other contributions' Render. Others run one after the
	// other in their order.
	Concurrent bool
	// Source names the guest in reports; "" means a native contribution.
	Source string
	// Hold, if set, keeps what Render needs from being closed until release is called; ok is false if
	// it is closed already. See Registry.Hold.
	Hold func() (release func(), ok bool)
	// Render returns the text, "" for nothing in this turn. Surrounding white space is removed by the
	// caller. It should return when ctx is done; a panic counts as an error.
	Render func(ctx context.Context, rc *RenderContext) (string, error)
	// Recall, if set, returns what Render would, if that is known without running anything: a text
	// that was rendered in the same session for the same context.
	Recall func(rc *RenderContext) (text string, ok bool)
	// Joint, if set, renders the contribution in Render's place, together with its neighbours that have
	// the same Joint: nothing that has to wait for its place in the order stands between them. Concurrent
	// is not looked at then.
	Joint *Joint
}

// Joint renders several contributions by one call, for those whose callbacks live in another process.
type Joint struct {
	// Render answers for each contribution of the list in its order. If stop is set it ends with the
	// first error, and the answer ends there. An answer that is missing otherwise is a failure. It
	// should return when ctx is done; a panic is the failure of all.
	Render func(ctx context.Context, rc *RenderContext, list []*Contribution, stop bool) []Rendered
}

// Rendered is what one contribution rendered: a text, "" for nothing, or an error.
type Rendered struct {
	Text string
	Err  error
}

// Text returns a Render function for a text that never changes.
func Text(s string) func(context.Context, *RenderContext) (string, error) {
	return func(context.Context, *RenderContext) (string, error) { return s, nil }
}

// FailurePolicy says what a failing contribution costs.
type FailurePolicy int

const (
	// DefaultPolicy leaves the choice to whoever renders.
	DefaultPolicy FailurePolicy = iota
	// Skip leaves the contribution out and reports it.
	Skip
	// Fail ends the whole render with the contribution's error.
	Fail
	// LastGood uses the last text that the contribution rendered in the same session; without one it is
	// left out as with Skip.
	LastGood
)

var policyNames = [...]string{"default", "skip", "fail", "last-good"}

// String returns "default", "skip", "fail" or "last-good".
func (p FailurePolicy) String() string {
	if p < 0 || int(p) >= len(policyNames) {
		return fmt.Sprintf("FailurePolicy(%d)", int(p))
	}
	return policyNames[p]
}

// MarshalText returns what String does; an unknown policy is an error.
func (p FailurePolicy) MarshalText() ([]byte, error) {
	if p < 0 || int(p) >= len(policyNames) {
		return nil, fmt.Errorf("unknown failure policy %d", int(p))
	}
	return []byte(policyNames[p]), nil
}

// UnmarshalText accepts the names of String.
func (p *FailurePolicy) UnmarshalText(text []byte) error {
	for i, name := range policyNames {
		if string(text) == name {
			*p = FailurePolicy(i)
			return nil
		}
	}
	return fmt.Errorf("unknown failure policy %q: use skip, fail or last-good", text)
}
