package guestcheck

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// Handled asks each offer once, with as little as a request may have, and reports those for which the code has no
// handler, as the SDKs say. What else becomes of such a call tells nothing: no turn asks like that. A guest in
// JavaScript is not asked: what it offers was read from its code.
func (g *Guest) Handled(ctx context.Context, r *Report, guest *runtime.Guest) {
	if g.Bundle != nil {
		return
	}
	m := g.Artifact.Manifest
	for _, c := range m.Contributions {
		g.handles(ctx, r, guest, c.ID, abi.RenderV1)
	}
	for _, a := range m.Adapters {
		it, _ := abi.LookupInterface(a.Interface)
		for _, op := range it.Operations {
			asked := !op.Optional || slices.Contains(a.Operations, op.Export)
			if asked && !g.handles(ctx, r, guest, a.ID, op.Export) {
				break // the next one is missing for the same reason
			}
		}
	}
}

func (g *Guest) handles(ctx context.Context, r *Report, guest *runtime.Guest, offer, op string) bool {
	request, err := abi.Encode(map[string]any{"id": offer, "features": 0})
	if err == nil {
		_, err = guest.Call(ctx, runtime.Call{Op: op, Offer: offer, Request: request})
	}
	reason := unhandled(err)
	if reason != "" {
		r.Add(Contract, Error, "every call of it fails: its id in pintle.toml and the one in the code have to be the same", "%s", reason)
	}
	return reason == ""
}

// unhandled returns the words of an SDK that knows no handler for what it was asked, "" for other errors.
func unhandled(err error) string {
	if e := (*runtime.Error)(nil); errors.As(err, &e) && e.Kind == runtime.KindFailed && strings.HasPrefix(e.Reason, "no handler for ") {
		return e.Reason
	}
	return ""
}
