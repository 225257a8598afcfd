package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Guest is a loaded guest together with the entries that it has in a registry.
type Guest struct {
	registry *Registry

	mu    sync.Mutex // never held while a turn is waited for
	guest *runtime.Guest
	regs  []*Registration
	stale []*runtime.Guest // builds that were replaced or removed and are not closed yet
}

// AddGuest registers everything that a guest's manifest offers: its contributions, and its adapters
// either for the providers that they name or, if they name none, as the defaults of their APIs. The
// guest belongs to the registry's entry from now on; Remove closes it.
func (r *Registry) AddGuest(g *runtime.Guest) (*Guest, error) {
	regs, err := r.Replace(nil, entriesOf(g))
	if err != nil {
		return nil, fmt.Errorf("register guest %s: %w", g.Name(), err)
	}
	return &Guest{registry: r, guest: g, regs: regs}, nil
}

// Runtime returns the guest that is registered now, nil after Remove.
func (g *Guest) Runtime() *runtime.Guest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.guest
}

// Reload puts another build of the guest in its place in one step: a turn sees all of the old entries
// or all of the new ones. Then it closes the old build, which waits for the turns that hold it; do not
// call it from a contribution. If the registration fails nothing has changed, and next is closed. If
// the context ends before the old build is closed the new one is in place; the next Reload, Drain or Remove
// closes what is left. A guest that was removed stays so: the error wraps [runtime.ErrClosed].
func (g *Guest) Reload(ctx context.Context, next *runtime.Guest) error {
	if err := g.Swap(ctx, next); err != nil {
		return err
	}
	return g.Drain(ctx)
}

// Swap is Reload without the wait: the old build is left to the turns that hold it, and to Drain.
func (g *Guest) Swap(ctx context.Context, next *runtime.Guest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var regs []*Registration
	err := fmt.Errorf("the guest was removed: %w", runtime.ErrClosed)
	if g.guest != nil {
		regs, err = g.registry.Replace(g.regs, entriesOf(next))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("register guest %s: %w", next.Name(), err), next.Close(ctx))
	}
	g.retire()
	g.guest, g.regs = next, regs
	return nil
}

// Remove takes the guest's entries out in one step and closes it, waiting for the turns that hold it.
// If the context ends first Remove can be called again. Removing twice is harmless.
func (g *Guest) Remove(ctx context.Context) error {
	g.mu.Lock()
	_, err := g.registry.Replace(g.regs, Entries{})
	if err == nil {
		g.regs = nil
		g.retire()
	}
	g.mu.Unlock()
	if err != nil {
		return err
	}
	return g.Drain(ctx)
}

func (g *Guest) retire() {
	if g.guest != nil {
		g.stale = append(g.stale, g.guest)
		g.guest = nil
	}
}

// Drain closes the builds that were replaced or removed, waiting for the turns that hold them. If the
// context ends first Drain can be called again.
func (g *Guest) Drain(ctx context.Context) error {
	for {
		g.mu.Lock()
		var old *runtime.Guest
		if len(g.stale) > 0 {
			old = g.stale[0]
		}
		g.mu.Unlock()
		if old == nil {
			return nil
		}
		if err := old.Close(ctx); err != nil {
			return err
		}
		g.mu.Lock()
		g.stale = slices.DeleteFunc(g.stale, func(s *runtime.Guest) bool { return s == old })
		g.mu.Unlock()
	}
}

// entriesOf translates a manifest into entries that call the guest.
func entriesOf(g *runtime.Guest) Entries {
	var entries Entries
	m := g.Artifact().Manifest
	for i := range m.Contributions {
		entries.Contributions = append(entries.Contributions, contributionOf(g, &m.Contributions[i]))
	}
	for i := range m.Adapters {
		offer := &m.Adapters[i]
		if offer.Interface == abi.ProviderPayloadAdaptersV1 && behind(m, offer) {
			continue
		}
		a := adapterOf(g, offer)
		if len(offer.Providers) == 0 {
			entries.Defaults = append(entries.Defaults, a)
			continue
		}
		for _, a.Provider = range offer.Providers {
			entries.Adapters = append(entries.Adapters, a)
		}
	}
	return entries
}

func holdOf(g *runtime.Guest) func() (func(), bool) {
	release := g.Release
	return func() (func(), bool) { return release, g.Hold() }
}
