package conformance

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// edits puts a case's question to an adapter of version 2, through all of the host's hook: with the
// payload's prompt as the one that the host had built, and with another one. What comes out has to be
// what the adapter's functions of version 1, whose answers the case has, make of the same payload.
func (d *direct) edits(ctx context.Context, original []byte, read, prompt *string, list []registry.Message) error {
	if d.adapter.Edit == nil {
		return nil
	}
	replace := func(on []byte) ([]byte, error) {
		out, _, err := d.call(on, func(req *registry.PayloadRequest) ([]byte, error) {
			return d.adapter.ReplaceSystemPrompt(ctx, req, *prompt)
		})
		return out, err
	}
	place := func(on []byte) ([]byte, error) {
		out, _, err := d.call(on, func(req *registry.PayloadRequest) ([]byte, error) {
			return d.adapter.ReplaceDeveloperMessages(ctx, req, list)
		})
		return out, err
	}
	other := "another prompt"
	if read != nil {
		other += " than " + *read
	}
	if prompt != nil && read != nil {
		replaced, err := replace(original)
		if err != nil {
			return err
		}
		both, err := place(replaced)
		if err != nil {
			return err
		}
		if err := d.edited(ctx, original, both, *read, *prompt, list); err != nil {
			return fmt.Errorf("version 2, with the prompt of the payload: %w", err)
		}
	}
	if prompt == nil {
		prompt = &other
	}
	placed, err := place(original)
	if err != nil {
		return err
	}
	if err := d.edited(ctx, original, placed, other, *prompt, list); err != nil {
		return fmt.Errorf("version 2, with another prompt than that of the payload: %w", err)
	}
	return nil
}

// edited checks one application of the hook.
func (d *direct) edited(ctx context.Context, original, want []byte, base, prompt string, list []registry.Message) error {
	const provider = "any"
	r := &registry.Registry{}
	if _, err := r.RegisterDefaultAdapter(d.api, d.adapter); err != nil {
		return err
	}
	state := envelope.State{Base: &base, Prompt: &prompt, Provider: provider, Messages: list}
	req := registry.PayloadRequest{SessionID: "s1", Provider: provider, API: d.api, Payload: original}
	result, err := payload.ApplyState(ctx, r, state, req, payload.Options{})
	if err != nil {
		return err
	}
	got := result.Body.Bytes()
	equal := jsonspan.Equal(original, want)
	switch {
	case !jsonspan.Equal(got, want):
		return fmt.Errorf("the payload is %s, and that of version 1 %s", got, want)
	// The reference answers as well when it replaced a prompt by the same text.
	case result.Answered == equal && !(equal && d.c.reference):
		return fmt.Errorf("that something changed is told as %t", result.Answered)
	}
	return nil
}
