package guesttest

import (
	"context"
	"errors"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// Prepare returns what puts the case to a guest once, without looking at the answer, for those who measure;
// it returns the fuel that was used. Prepare fails if no host would ask the guest that.
func (c *Case) Prepare(g *runtime.Guest) (func(context.Context) (fuel uint64, err error), error) {
	if c.Adapter != "" {
		ask, why, err := c.adapting(g)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (uint64, error) {
			result, err := ask(ctx)
			if err == nil && result.Reason != "" {
				err = errors.New(why(&result))
			}
			return fuelOf(&result), err
		}, nil
	}
	ask, why, err := c.rendering(g)
	if err == nil && why != "" {
		err = errors.New(why)
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (uint64, error) {
		var used runtime.Usage // as in a turn
		_, err := ask(runtime.WithUsage(ctx, &used))
		return used.Fuel, err
	}, nil
}

// fuelOf is what an adapter used.
func fuelOf(r *payload.Result) uint64 { return r.Prompt.Fuel + r.Developer.Fuel }

// rendering returns what asks the contribution, or why a host would not.
func (c *Case) rendering(g *runtime.Guest) (ask func(context.Context) (string, error), why string, err error) {
	offer, ok := registry.ContributionOf(g, c.Contribution)
	if !ok {
		return nil, "", noOffer("contribution", c.Contribution, g.Artifact().Manifest)
	}
	var reg registry.Registry
	if _, err := reg.Register(offer); err != nil {
		return nil, "", err
	}
	rc := c.Context.Of()
	chosen, excluded := reg.Snapshot().Select(rc)
	if len(chosen) == 0 {
		return nil, whyExcluded(&excluded[0], rc.Provider), nil
	}
	return func(ctx context.Context) (string, error) { return chosen[0].Render(ctx, rc) }, "", nil
}

// adapting returns what asks the adapter, and says why a payload stayed as it was.
func (c *Case) adapting(g *runtime.Guest) (ask func(context.Context) (payload.Result, error), why func(*payload.Result) string, err error) {
	a, ok := registry.AdapterOf(g, c.Adapter)
	m := g.Artifact().Manifest
	if !ok {
		return nil, nil, noOffer("adapter", c.Adapter, m)
	}
	offer := &m.Adapters[slices.IndexFunc(m.Adapters, func(a abi.Adapter) bool { return a.ID == c.Adapter })]
	var entries registry.Entries
	for _, a.Provider = range offer.Providers {
		entries.Adapters = append(entries.Adapters, a)
	}
	if len(offer.Providers) == 0 {
		entries.Defaults = append(entries.Defaults, a)
	}
	reg := &registry.Registry{}
	if _, err := reg.Replace(nil, entries); err != nil {
		return nil, nil, err
	}
	req := c.Request.of(offer)
	state := c.Request.state(req)
	ask = func(ctx context.Context) (payload.Result, error) {
		return payload.ApplyState(ctx, reg, state, req, payload.Options{})
	}
	return ask, func(r *payload.Result) string { return whyUnchanged(r, offer, &req, &c.Request) }, nil
}
