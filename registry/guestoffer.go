package registry

import (
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// ContributionOf returns one contribution of a guest as AddGuest registers it, for those who ask it alone;
// false if the guest has none of that id. The caller keeps the guest open.
func ContributionOf(g *runtime.Guest, id string) (Contribution, bool) {
	list := g.Artifact().Manifest.Contributions
	i := slices.IndexFunc(list, func(c abi.Contribution) bool { return c.ID == id })
	if i < 0 {
		return Contribution{}, false
	}
	return contributionOf(g, &list[i]), true
}

// AdapterOf returns one adapter of a guest as AddGuest registers it, with no Provider; false if the guest has
// none of that id. One of version 1 that stands behind one of version 2, and is not registered therefore, is
// returned too. The caller keeps the guest open.
func AdapterOf(g *runtime.Guest, id string) (Adapter, bool) {
	list := g.Artifact().Manifest.Adapters
	i := slices.IndexFunc(list, func(a abi.Adapter) bool { return a.ID == id })
	if i < 0 {
		return Adapter{}, false
	}
	return adapterOf(g, &list[i]), true
}
