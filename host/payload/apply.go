// Package payload puts the prompt envelope of a session into a provider's request: the hook
// before_provider_request of the Pi prompt-envelope extension, for payloads as bytes, and an
// http.RoundTripper that does it for any Go SDK.
package payload

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// Apply puts the session's envelope into a payload. The developer messages are
// those of the session's last good turn; nothing is rendered. The payload is
// never changed in place. With an error, an *AdapterError, the result has the
// request's own payload: it can be sent, without the envelope.
//
// An adapter registered for a provider answers, in the 0.3.7 line, whenever it was asked to place the
// messages, and in the 0.3.9 line if it changed something; a default adapter answers if the payload
// really differs.
func Apply(ctx context.Context, s *envelope.Service, req registry.PayloadRequest, o Options) (Result, error) {
	state, _ := s.PayloadState(req.SessionID)
	return ApplyState(ctx, s.Registry, state, req, o)
}

// ApplyState is Apply for a state that the caller holds: the zero State is that of a session without a
// composed turn. A nil registry has no adapters.
func ApplyState(ctx context.Context, r *registry.Registry, state envelope.State, req registry.PayloadRequest, o Options) (Result, error) {
	unanswered := Result{Payload: req.Payload}
	adapter, kind, reason, release, err := held(r, state, &req)
	if err != nil {
		return unanswered, err
	}
	defer release()
	if kind != 0 {
		unanswered.Adapter, unanswered.AdapterKind = envelope.SourceName(adapter.Source), kind.String()
	}
	if reason != "" {
		unanswered.Reason = reason
		return unanswered, nil
	}
	h := hook{adapter: adapter, req: req, state: state, result: unanswered}
	if err := h.replacePrompt(ctx, kind); err != nil {
		return unanswered, err
	}
	replaced := h.result.Payload
	if err := h.placeMessages(ctx, kind, r.Lookup); err != nil {
		return unanswered, err
	}
	result := h.result
	quirk := o.Reference && kind == registry.Registered && r.Lookup == registry.BySpecificity
	if quirk && adapter.ReplaceDeveloperMessages != nil && result.Prompt.Done && !result.Developer.Done {
		result.Prompt.Done, result.Prompt.Reason = false, Discarded
		replaced = req.Payload
	}
	if !result.Developer.Done {
		result.Payload = replaced
	}
	result.Answered = result.Prompt.Done || result.Developer.Done
	return result, nil
}

// held finds the adapter and keeps it from being closed until release is called. One that was closed in
// between is looked up again; if that finds no other, its own error tells.
//
// The predicates of adapters are foreign code: one that panics is the adapter's failure.
func held(r *registry.Registry, state envelope.State, req *registry.PayloadRequest) (
	adapter registry.Adapter, kind registry.AdapterKind, reason Reason, release func(), err error,
) {
	defer func() {
		if v := recover(); v != nil {
			err = &AdapterError{"choose", req.Provider, adapter.Source, fmt.Errorf("panicked: %v", v)}
		}
	}()
	nothing := func() {}
	for try := 0; ; try++ {
		adapter, kind, reason = choose(r, state, req)
		if reason != "" || adapter.Hold == nil {
			return adapter, kind, reason, nothing, nil
		}
		if release, ok := adapter.Hold(); ok {
			return adapter, kind, reason, release, nil
		}
		if try == 3 {
			return adapter, kind, reason, nothing, nil
		}
	}
}

// choose finds the adapter, or why there is nothing to do.
func choose(r *registry.Registry, state envelope.State, req *registry.PayloadRequest) (registry.Adapter, registry.AdapterKind, Reason) {
	switch {
	case state.Prompt == nil:
		return registry.Adapter{}, 0, NoState
	case state.Base == nil:
		return registry.Adapter{}, 0, NoBase
	case req.Provider == "":
		return registry.Adapter{}, 0, ProviderUnknown
	case req.Provider != state.Provider:
		return registry.Adapter{}, 0, ProviderChanged
	case r == nil:
		return registry.Adapter{}, 0, NoAdapter
	case r.Lookup == registry.BySpecificity && state.API != "" && state.API != req.API:
		return registry.Adapter{}, 0, APIChanged
	}
	adapter, kind, ok := r.FindAdapter(req.Provider, req.API, req.Model)
	if !ok {
		return registry.Adapter{}, 0, NoAdapter
	}
	if adapter.Enabled != nil && !adapter.Enabled(req.Provider, req.API, req.Model) {
		return adapter, kind, AdapterDisabled
	}
	return adapter, kind, ""
}

// hook is one application: the request's payload moves on from step to step.
type hook struct {
	adapter registry.Adapter
	req     registry.PayloadRequest
	state   envelope.State
	result  Result
}

func (h *hook) replacePrompt(ctx context.Context, kind registry.AdapterKind) (err error) {
	defer measure(&h.result.Prompt.Duration, time.Now())
	step := &h.result.Prompt
	var text string
	found := false
	if h.adapter.ReadSystemPrompt != nil {
		err = h.ask("read system prompt", func() (err error) {
			text, found, err = h.adapter.ReadSystemPrompt(ctx, &h.req)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case !found:
		step.Reason = PromptAbsent
	case text != *h.state.Base && text == *h.state.Prompt:
		step.Reason = PromptComposed
	case text != *h.state.Base:
		step.Reason = PromptDiffers
	default:
		var answer []byte
		if h.adapter.ReplaceSystemPrompt != nil {
			err = h.ask("replace system prompt", func() (err error) {
				answer, err = h.adapter.ReplaceSystemPrompt(ctx, &h.req, *h.state.Prompt)
				return h.check(answer, err)
			})
		}
		if err != nil {
			return err
		}
		// A match of a registered adapter counts even if the texts are the same.
		step.Done = kind == registry.Registered || answer != nil
		if !step.Done {
			step.Reason = Unchanged
		}
		h.advance(answer)
	}
	return nil
}

func (h *hook) placeMessages(ctx context.Context, kind registry.AdapterKind, lookup registry.Lookup) error {
	defer measure(&h.result.Developer.Duration, time.Now())
	step := &h.result.Developer
	if h.adapter.ReplaceDeveloperMessages == nil {
		step.Reason = NoDeveloperSupport
		return nil
	}
	var answer []byte
	err := h.ask("replace developer messages", func() (err error) {
		answer, err = h.adapter.ReplaceDeveloperMessages(ctx, &h.req, slices.Clone(h.state.Messages))
		return h.check(answer, err)
	})
	if err != nil {
		return err
	}
	switch {
	case kind == registry.Default:
		step.Done = answer != nil && !bytes.Equal(answer, h.req.Payload) && !jsonspan.Equal(answer, h.req.Payload)
	case lookup == registry.ByProvider:
		step.Done = true
	default:
		step.Done = answer != nil
	}
	if !step.Done {
		step.Reason = Unchanged
	}
	h.advance(answer)
	return nil
}

func (h *hook) advance(answer []byte) {
	if answer != nil {
		h.req.Payload, h.result.Payload = answer, answer
	}
}

// check believes a guest only what it can read itself.
func (h *hook) check(answer []byte, err error) error {
	if err == nil && answer != nil && h.adapter.Source != "" && !jsonspan.Valid(answer) {
		return ErrInvalidAnswer
	}
	return err
}

// ask calls an adapter's function. A panic of a native adapter is its failure.
func (h *hook) ask(op string, call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panicked: %v", v)
		}
		if err != nil {
			err = &AdapterError{op, h.req.Provider, h.adapter.Source, err}
		}
	}()
	return call()
}

func measure(to *time.Duration, start time.Time) { *to = time.Since(start) }
