package registry

import (
	"context"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

func contributionOf(g *runtime.Guest, offer *abi.Contribution) Contribution {
	c := Contribution{
		ID: offer.ID, Priority: offer.Priority, ActiveTools: offer.ActiveTools,
		Concurrent: true, Source: g.Name(), Hold: holdOf(g),
	}
	if offer.Providers != nil {
		c.Providers = append([]string{}, *offer.Providers...)
	}
	features, fields, heads := granted(g.Artifact().Manifest), needsOf(offer), requestHeads(offer.ID)
	call := func(rc *RenderContext) (runtime.Call, error) {
		keys, rest, err := rc.tail(fields, features)
		return runtime.Call{Op: abi.RenderV1, Offer: offer.ID, Session: rc.SessionID,
			Request: heads[keys], Shared: rest, Check: checkText}, err
	}
	c.Render = func(ctx context.Context, rc *RenderContext) (string, error) {
		q, err := call(rc)
		if err != nil {
			return "", err
		}
		value, err := g.Ask(ctx, q)
		if err != nil || value == "" {
			return "", err
		}
		return abi.CheckedText(value), nil
	}
	c.Recall = func(rc *RenderContext) (string, bool) {
		q, err := call(rc)
		if err != nil {
			return "", false
		}
		value, ok := g.Recall(q)
		if !ok || value == "" {
			return "", ok
		}
		return abi.CheckedText(value), true
	}
	return c
}

// granted returns the feature bits that a guest asked for and this host has.
func granted(m *abi.Manifest) uint64 { return (m.Requires | m.Uses) & abi.KnownFeatures }
