package bridge

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/host/profile"
)

// Names are how a provider is called.
type Names struct {
	// Declared is the id that the plugin knows it by, or else that of its package.
	Declared string
	// Provider is the host's id of it, and API that of its protocol.
	Provider, API string
	// OptionsKey is the key of the provider's own options in a call.
	OptionsKey string
	// Renamed says that the host has a provider of its own with the declared id.
	Renamed bool
}

// NameProvider names the provider of an entry. authID is the id under which the plugin signs in, "" if
// it does not. An id that is one of the host's own gets "-opencode" behind it, unless the entry names
// the provider itself. The error is an *[Error] of kind ReservedAPI.
func NameProvider(p *profile.Profile, entry *Entry, authID string, reference bool) (Names, error) {
	n := Names{Declared: authID, Provider: entry.ProviderName, API: entry.API, OptionsKey: authID}
	if n.Declared == "" {
		n.Declared = DeriveName(entry.Package)
	}
	if n.Provider == "" {
		n.Provider = n.Declared
		if n.Renamed = IsReservedProvider(p, n.Declared, reference); n.Renamed {
			n.Provider += "-opencode"
		}
	}
	if n.OptionsKey == "" {
		n.OptionsKey = n.Provider
	}
	if n.API == "" {
		n.API = n.Provider + "-bridge"
	}
	if IsReservedAPI(p, n.API, reference) {
		return Names{}, &Error{Kind: ReservedAPI, Package: entry.Package, Text: fmt.Sprintf(
			"the api %q is one of %s's own: leave it out or choose another name", n.API, p.Name)}
	}
	return n, nil
}

// IsReservedProvider says whether an id is that of one of the host's own providers; in reference mode
// only those that the reference knows.
func IsReservedProvider(p *profile.Profile, id string, reference bool) bool {
	return slices.Contains(p.Reserved.Providers, id) || !reference && slices.Contains(p.Reserved.MoreProviders, id)
}

// IsReservedAPI says whether a name is that of one of the host's own protocols; in reference mode only
// those that the reference knows.
func IsReservedAPI(p *profile.Profile, api string, reference bool) bool {
	return slices.Contains(p.Reserved.APIs, api) || !reference && slices.Contains(p.Reserved.MoreAPIs, api)
}
