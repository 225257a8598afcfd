package registry

import (
	"cmp"
	"context"
	"slices"
)

// Adapter reads and rewrites the request payload of one provider. It has either Edit, or functions that
// return whole payloads, or both: then Edit is asked first. All get a payload that they must not change.
// They may be called for several requests at a time.
type Adapter struct {
	// Provider is the provider id that the adapter stands for.
	Provider string
	// APIs limits the adapter to these apis. nil means any; an empty list never matches.
	APIs []string
	// Model limits the adapter to one model id, ModelMatches to those that it accepts; it is asked
	// about known models only. With an unknown model the lookup BySpecificity takes neither, ByProvider
	// both.
	Model        string
	ModelMatches func(model string) bool
	// Enabled, if set, may switch the adapter off for a request. A disabled adapter still hides those
	// that it outranks.
	Enabled func(provider, api, model string) bool
	// Source names the guest in reports; "" means a native adapter.
	Source string

	// Hold, if set, keeps what the functions need from being closed until release is called; ok is
	// false if it is closed already. Its caller looks the adapter up again then.
	Hold func() (release func(), ok bool)

	// Edit says how to make the prompt and the developer messages in the payload these, nil for
	// "unchanged". It names the place of the prompt and does not look at what is there: whoever carries
	// the edits out does. An error that wraps ErrUseV1 asks for the functions below instead.
	Edit func(ctx context.Context, req *PayloadRequest, prompt string, messages []Message) (*Edits, error)

	// ReadSystemPrompt returns the system prompt found in the payload; ok is false when there is none.
	ReadSystemPrompt func(ctx context.Context, req *PayloadRequest) (text string, ok bool, err error)
	// ReplaceSystemPrompt returns the payload with another system prompt, nil for "unchanged".
	ReplaceSystemPrompt func(ctx context.Context, req *PayloadRequest, text string) ([]byte, error)
	// ReplaceDeveloperMessages returns the payload in which the managed developer messages are exactly
	// these, nil for "unchanged". A nil function: the adapter cannot do that.
	ReplaceDeveloperMessages func(ctx context.Context, req *PayloadRequest, messages []Message) ([]byte, error)
}

// PayloadRequest is one request to a provider. Empty texts mean unknown.
type PayloadRequest struct {
	SessionID, Provider, API, Model string
	// Payload is the request body, a JSON text.
	Payload []byte
}

// Lookup selects the line of the protocol that a registry follows. Besides the choice of an adapter it
// decides whether captured state belongs to a provider alone or to a provider and an api.
type Lookup int

const (
	// ByProvider is the protocol's 0.3.7 line: one adapter per provider, the last one wins, and taking
	// it away uncovers nothing. Adapters that list APIs, which that line does not know, are not used
	// for another known api, and replace each other only if they have one in common. State belongs to a
	// provider.
	ByProvider Lookup = iota
	// BySpecificity is its 0.3.9 line: adapters are stacked. Among those that match provider, model and
	// api one with a model goes first, then one with an api, then the newest. State belongs to a
	// provider and an api.
	BySpecificity
)

// AdapterKind says how an adapter came into a registry.
type AdapterKind int

const (
	// Registered adapters stand for a provider id.
	Registered AdapterKind = iota + 1
	// Default adapters stand for an api.
	Default
)

// String returns "registered" or "default".
func (k AdapterKind) String() string {
	switch k {
	case Registered:
		return "registered"
	case Default:
		return "default"
	}
	return "none"
}

// RegisterDefaultAdapter adds the adapter that is used for an api when no registered adapter matches; a
// later one for the same api replaces it. The adapter's own Provider and APIs are not looked at.
func (r *Registry) RegisterDefaultAdapter(api string, a Adapter) (*Registration, error) {
	a.APIs = []string{api}
	regs, err := r.Replace(nil, Entries{Defaults: []Adapter{a}})
	if err != nil {
		return nil, err
	}
	return regs[0], nil
}

// FindAdapter returns the adapter for a request; empty texts mean unknown. Without a provider there is
// none. Enabled is not asked: the caller does that.
func (r *Registry) FindAdapter(provider, api, model string) (Adapter, AdapterKind, bool) {
	if provider == "" {
		return Adapter{}, 0, false
	}
	r.mu.RLock()
	adapters, fallback := r.adapters, r.defaults[api]
	r.mu.RUnlock()
	// The predicates of adapters are foreign code and run outside the lock.
	var best *Adapter
	for _, a := range adapters {
		if a.Provider == provider && r.matches(a, api, model) && (best == nil || r.Lookup == ByProvider || rank(a, best) >= 0) {
			best = a
		}
	}
	if best != nil {
		return *best, Registered, true
	}
	if fallback != nil && api != "" && fallback.takes(model) {
		return *fallback, Default, true
	}
	return Adapter{}, 0, false
}

// DependsOnModel tells whether the adapter for a provider and an api may be another one for another model. A nil
// registry has none.
func (r *Registry) DependsOnModel(provider, api string) bool {
	if r == nil {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	depends := func(a *Adapter) bool { return a.Model != "" || a.ModelMatches != nil || a.Enabled != nil }
	if fallback := r.defaults[api]; fallback != nil && depends(fallback) {
		return true
	}
	return slices.ContainsFunc(r.adapters, func(a *Adapter) bool { return a.Provider == provider && depends(a) })
}

// rivals says whether two adapters stand for the same requests in the line ByProvider. Predicates
// cannot be compared, so adapters that have one stand beside others.
func rivals(a, b *Adapter) bool {
	return a.Provider == b.Provider && a.Model == b.Model && a.ModelMatches == nil && b.ModelMatches == nil &&
		(a.APIs == nil || b.APIs == nil ||
			slices.ContainsFunc(a.APIs, func(api string) bool { return slices.Contains(b.APIs, api) }))
}

func (r *Registry) matches(a *Adapter, api, model string) bool {
	if r.Lookup == ByProvider {
		return a.takes(model) && (a.APIs == nil || len(a.APIs) > 0 && (api == "" || slices.Contains(a.APIs, api)))
	}
	switch {
	case a.Model != "" && a.Model != model:
		return false
	case a.ModelMatches != nil && (model == "" || !a.ModelMatches(model)):
		return false
	}
	return a.APIs == nil || slices.Contains(a.APIs, api)
}

// takes says whether an adapter can be used for a model, known or not.
func (a *Adapter) takes(model string) bool {
	return model == "" || (a.Model == "" || a.Model == model) && (a.ModelMatches == nil || a.ModelMatches(model))
}

// rank compares how specific two adapters are.
func rank(a, b *Adapter) int {
	return cmp.Or(
		cmp.Compare(bit(a.Model != "" || a.ModelMatches != nil), bit(b.Model != "" || b.ModelMatches != nil)),
		cmp.Compare(bit(a.APIs != nil), bit(b.APIs != nil)),
	)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
