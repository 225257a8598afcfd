// Package payload puts the prompt envelope of a session into a provider's request: the hook
// before_provider_request of the Pi prompt-envelope extension, for payloads as bytes, and an
// http.RoundTripper that does it for any Go SDK.
package payload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// Apply puts the session's envelope into a payload. The developer messages are
// those of the session's last good turn; nothing is rendered. The payload is
// never changed in place. With an error, an *AdapterError, the result has the
// request's own payload, which can be sent without the envelope, and what the steps took.
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
func ApplyState(
	ctx context.Context, r *registry.Registry, state envelope.State, req registry.PayloadRequest, o Options,
) (Result, error) {
	return applyState(ctx, r, state, req, o, false)
}

// applyState is ApplyState. If check is set the payload is not known to be JSON, and if it is not the error
// wraps registry.ErrNotJSON: adapters of version 2 find that out by themselves.
func applyState(
	ctx context.Context, r *registry.Registry, state envelope.State, req registry.PayloadRequest, o Options,
	check bool,
) (Result, error) {
	unanswered := Result{Body: BodyOf(req.Payload), from: req.Payload}
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
	if check && adapter.Edit == nil && !jsonspan.Valid(req.Payload) {
		return unanswered, registry.ErrNotJSON
	}
	h := hook{
		adapter: adapter, kind: kind, lookup: r.Lookup, reference: o.Reference,
		req: req, state: state, result: unanswered,
	}
	if err := h.run(ctx); err != nil {
		unanswered.Prompt, unanswered.Developer = h.result.Prompt.spent(), h.result.Developer.spent()
		return unanswered, err
	}
	h.result.Answered = h.result.Prompt.Done || h.result.Developer.Done
	return h.result, nil
}

// held finds the adapter and keeps it from being closed until release is called. If it is closed before it
// can be held, the adapter is looked up again: a reload may have put another one in its place. If that does
// not help, the adapter is asked all the same, and its error says that it is closed.
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
func choose(r *registry.Registry, state envelope.State, req *registry.PayloadRequest) (
	registry.Adapter, registry.AdapterKind, Reason,
) {
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

// hook is one application.
type hook struct {
	adapter   registry.Adapter
	kind      registry.AdapterKind
	lookup    registry.Lookup
	reference bool
	req       registry.PayloadRequest // its payload moves on from step to step
	state     envelope.State
	result    Result
}

// run asks the adapter: for edits if it has them and they will do, else for whole payloads.
func (h *hook) run(ctx context.Context) error {
	if h.adapter.Edit != nil {
		err := h.edit(ctx)
		if !errors.Is(err, registry.ErrUseV1) || !h.whole() {
			return err
		}
	}
	return h.replace(ctx)
}

// whole tells whether the adapter has functions that return whole payloads.
func (h *hook) whole() bool {
	return h.adapter.ReadSystemPrompt != nil || h.adapter.ReplaceSystemPrompt != nil ||
		h.adapter.ReplaceDeveloperMessages != nil
}

// replace asks for whole payloads.
func (h *hook) replace(ctx context.Context) error {
	original := h.req.Payload
	if err := h.replacePrompt(ctx); err != nil {
		return err
	}
	replaced := h.req.Payload
	if err := h.placeMessages(ctx); err != nil {
		return err
	}
	if h.adapter.ReplaceDeveloperMessages != nil && h.discards() {
		replaced = original
	}
	if !h.result.Developer.Done {
		h.req.Payload = replaced
	}
	h.result.Body = BodyOf(h.req.Payload)
	return nil
}

// discards takes a replaced prompt back, see Options.Reference.
func (h *hook) discards() bool {
	quirk := h.reference && h.kind == registry.Registered && h.lookup == registry.BySpecificity
	if !quirk || !h.result.Prompt.Done || h.result.Developer.Done {
		return false
	}
	h.result.Prompt.Done, h.result.Prompt.Reason = false, Discarded
	return true
}

func (h *hook) replacePrompt(ctx context.Context) (err error) {
	step := &h.result.Prompt
	ctx, end := step.begin(ctx)
	defer end()
	var text string
	found := false
	if h.adapter.ReadSystemPrompt != nil {
		err = h.ask("read system prompt", func() (err error) {
			text, found, err = h.adapter.ReadSystemPrompt(ctx, &h.req)
			return err
		})
	}
	if err != nil {
		return err
	}
	if !h.hostsPrompt(found, func(s string) bool { return s == text }) {
		return nil
	}
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
	h.promptDone(answer != nil)
	h.advance(answer)
	return nil
}

// hostsPrompt tells whether the prompt that was found is the one that the host had built, or notes why it
// is left alone.
func (h *hook) hostsPrompt(found bool, is func(string) bool) bool {
	switch {
	case !found:
		h.result.Prompt.Reason = PromptAbsent
	case is(*h.state.Base):
		return true
	case is(*h.state.Prompt):
		h.result.Prompt.Reason = PromptComposed
	default:
		h.result.Prompt.Reason = PromptDiffers
	}
	return false
}

// promptDone notes that the prompt was replaced. A match of a registered adapter counts even if the texts
// are the same.
func (h *hook) promptDone(changed bool) {
	h.result.Prompt.note(changed || h.kind == registry.Registered)
}

func (h *hook) placeMessages(ctx context.Context) error {
	step := &h.result.Developer
	ctx, end := step.begin(ctx)
	defer end()
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
	changed := answer != nil
	if h.kind == registry.Default {
		changed = changed && !bytes.Equal(answer, h.req.Payload) && !jsonspan.Equal(answer, h.req.Payload)
	}
	h.developerDone(changed)
	h.advance(answer)
	return nil
}

// developerDone notes that the messages were placed. In the 0.3.7 line a registered adapter answers
// whenever it was asked.
func (h *hook) developerDone(changed bool) {
	h.result.Developer.note(changed || h.kind == registry.Registered && h.lookup == registry.ByProvider)
}

func (s *Step) note(done bool) {
	if s.Done = done; !done {
		s.Reason = Unchanged
	}
}

func (h *hook) advance(answer []byte) {
	if answer != nil {
		h.req.Payload = answer
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

// spent is what a step took that came to nothing.
func (s *Step) spent() Step { return Step{Duration: s.Duration, Fuel: s.Fuel} }

// begin counts what a step takes until end is called.
func (s *Step) begin(ctx context.Context) (counted context.Context, end func()) {
	start, used := time.Now(), &runtime.Usage{}
	return runtime.WithUsage(ctx, used), func() {
		s.Duration += time.Since(start)
		s.Fuel += used.Fuel
		s.Remembered = used.Calls > 0 && used.Remembered == used.Calls
	}
}
