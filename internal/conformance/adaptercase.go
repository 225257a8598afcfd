package conformance

import (
	"bytes"
	"context"
	"errors"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

func codexAdapter(ctx context.Context, c *testCase) (any, error) {
	d, err := newDirect(c, codexAPI)
	if err != nil {
		return nil, err
	}
	out, same, err := d.run(ctx, false)
	if same != nil {
		out = append(out, "sameObject", *same)
	}
	return append(out, "inputMutated", d.mutated), err
}

func openaiAdapter(ctx context.Context, c *testCase) (any, error) {
	d, err := newDirect(c, c.input.Get("api").str(""))
	if err != nil {
		return nil, err
	}
	out, _, err := d.run(ctx, false)
	return out, errors.Join(err, d.fault())
}

func soundAdapter(ctx context.Context, c *testCase) (any, error) {
	d, err := newDirect(c, c.input.Get("api").str(""))
	if err != nil {
		return nil, err
	}
	d.strict = true
	out, _, err := d.run(ctx, true)
	return out, errors.Join(err, d.fault())
}

// direct calls an adapter's functions without the hook.
type direct struct {
	c       *testCase
	api     string
	adapter registry.Adapter
	// strict asks for "unchanged" whenever the answer equals the payload.
	strict         bool
	mutated, equal bool
}

func newDirect(c *testCase, api string) (*direct, error) {
	role := ""
	if v := c.input.Get("developerRole"); v.present() {
		role = map[bool]string{true: "yes", false: "no"}[v.isTrue()]
	}
	a, err := c.source(api, role)
	return &direct{c: c, api: api, adapter: a}, err
}

func (d *direct) fault() error {
	switch {
	case d.mutated:
		return errors.New("the adapter changed the payload that it was given")
	case d.equal:
		return errors.New("the adapter returned an equal payload instead of reporting it as unchanged")
	}
	return nil
}

// call returns the payload after a call, and whether it was reported as unchanged.
func (d *direct) call(on []byte, f func(*registry.PayloadRequest) ([]byte, error)) ([]byte, bool, error) {
	req := &registry.PayloadRequest{SessionID: "s1", Provider: d.adapter.Provider, API: d.api, Payload: bytes.Clone(on)}
	answer, err := f(req)
	d.mutated = d.mutated || !bytes.Equal(req.Payload, on)
	if err != nil || answer == nil {
		return on, true, err
	}
	d.equal = d.equal || d.strict && jsonspan.Equal(answer, on)
	return answer, false, nil
}

// run reads, replaces and places as the case says. same says whether placing the messages was reported
// as unchanged, nil if none are given.
func (d *direct) run(ctx context.Context, both bool) (out fields, same *bool, err error) {
	original := []byte(d.c.input.Get("payload").raw)
	var read *string
	_, _, err = d.call(original, func(req *registry.PayloadRequest) ([]byte, error) {
		text, ok, err := d.adapter.ReadSystemPrompt(ctx, req)
		if ok {
			out, read = append(out, "read", text), &text
		}
		return nil, err
	})
	if err != nil {
		return nil, nil, err
	}
	prompt := d.c.input.Get("systemPrompt").ptr()
	replaced := original
	if prompt != nil {
		replaced, _, err = d.call(original, func(req *registry.PayloadRequest) ([]byte, error) {
			return d.adapter.ReplaceSystemPrompt(ctx, req, *prompt)
		})
		if err != nil {
			return nil, nil, err
		}
		out = append(out, "replacedSystem", replaced)
	}
	given := d.c.input.Get("messages")
	list := []registry.Message{}
	if given.present() {
		if list, err = messages(given); err != nil {
			return nil, nil, err
		}
	}
	if err := d.edits(ctx, original, read, prompt, list); err != nil {
		return nil, nil, err
	}
	if !given.present() {
		return out, nil, nil
	}
	place := func(req *registry.PayloadRequest) ([]byte, error) {
		return d.adapter.ReplaceDeveloperMessages(ctx, req, list)
	}
	placed, unchanged, err := d.call(original, place)
	if err != nil {
		return nil, nil, err
	}
	out = append(out, "replacedDeveloper", placed)
	again, _, err := d.call(placed, place)
	if err != nil || !jsonspan.Equal(again, placed) {
		return nil, nil, errors.Join(errors.New("placing the messages a second time changed the payload"), err)
	}
	if both && prompt != nil {
		result, _, err := d.call(replaced, place)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, "both", result)
	}
	return out, &unchanged, nil
}

// bindCodex leaves it open whether an equal copy is reported as unchanged.
func bindCodex(_ *testCase, expected, got Value) (Value, Value) {
	if same := expected.Get("sameObject"); same.present() && !same.isTrue() {
		drop := func(key string, _ Value) bool { return key == "sameObject" }
		return expected.without(drop), got.without(drop)
	}
	return expected, got
}
