package bridge

import (
	"fmt"
	"slices"
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
// the provider itself. The error is an *[Error] of kind ReservedAPI, or NoHost for a host without Profile.
func (h *Host) NameProvider(entry *Entry, authID string) (Names, error) {
	if h.Profile == nil {
		return Names{}, errIncomplete(entry)
	}
	n := Names{Declared: authID, Provider: entry.ProviderName, API: entry.API, OptionsKey: authID}
	if n.Declared == "" {
		n.Declared = DeriveName(entry.Package)
	}
	if n.Provider == "" {
		n.Provider = n.Declared
		if n.Renamed = h.isReservedProvider(n.Declared); n.Renamed {
			n.Provider += "-opencode"
		}
	}
	if n.OptionsKey == "" {
		n.OptionsKey = n.Provider
	}
	if n.API == "" {
		n.API = n.Provider + "-bridge"
	}
	if h.isReservedAPI(n.API) {
		return Names{}, &Error{Kind: ReservedAPI, Package: entry.Package, Text: fmt.Sprintf(
			"the api %q is one of %s's own: leave it out or choose another name", n.API, h.Profile.Name)}
	}
	return n, nil
}

// isReservedProvider says whether an id is that of one of the host's own providers; in reference mode
// only those that the reference knows.
func (h *Host) isReservedProvider(id string) bool {
	r := &h.Profile.Reserved
	return slices.Contains(r.Providers, id) || !h.Reference && slices.Contains(r.MoreProviders, id)
}

// isReservedAPI says the same of the name of a protocol.
func (h *Host) isReservedAPI(api string) bool {
	r := &h.Profile.Reserved
	return slices.Contains(r.APIs, api) || !h.Reference && slices.Contains(r.MoreAPIs, api)
}
