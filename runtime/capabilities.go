package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
)

// Grantable returns the capabilities that a guest has only by a grant, in alphabetical order. The log is
// every guest's, and handing over a configuration value is the grant of its key.
func Grantable() []string {
	return []string{abi.CapabilityClock, abi.CapabilityKV, abi.CapabilityRandom}
}

// grantless reports whether a capability needs no grant of its own, see [Grantable].
func grantless(name string) bool { return name == abi.CapabilityLog || name == abi.CapabilityConfig }

// capabilities are those that a guest has by a grant.
type capabilities struct{ clock, kv, random bool }

// capabilitiesOf makes a set of names. Those that nobody can grant are left out.
func capabilitiesOf(names []string) capabilities {
	return capabilities{
		clock:  slices.Contains(names, abi.CapabilityClock),
		kv:     slices.Contains(names, abi.CapabilityKV),
		random: slices.Contains(names, abi.CapabilityRandom),
	}
}

// askedBy returns what a manifest asks for.
func askedBy(m *abi.Manifest) capabilities {
	var names []string
	for _, c := range m.Capabilities {
		names = append(names, c.Name)
	}
	return capabilitiesOf(names)
}

func (c capabilities) and(o capabilities) capabilities {
	return capabilities{c.clock && o.clock, c.kv && o.kv, c.random && o.random}
}

func (c capabilities) or(o capabilities) capabilities {
	return capabilities{c.clock || o.clock, c.kv || o.kv, c.random || o.random}
}

// names lists the set in alphabetical order.
func (c capabilities) names() []string {
	var names []string
	for _, name := range Grantable() {
		if c.has(name) {
			names = append(names, name)
		}
	}
	return names
}

func (c capabilities) has(name string) bool {
	switch name {
	case abi.CapabilityClock:
		return c.clock
	case abi.CapabilityKV:
		return c.kv
	case abi.CapabilityRandom:
		return c.random
	}
	return false
}

// pure reports whether the answers of a guest with these capabilities and without state depend on
// nothing but request and configuration.
func (c capabilities) pure() bool { return c == capabilities{} }

// importHint says what a manifest lacks for its guest to import a function of module pintle/1, "" if
// nothing.
func importHint(m *abi.Manifest, function string) string {
	switch function {
	case importConfig:
		if !m.Asks(abi.CapabilityConfig) {
			return "add a capability `config` with the keys that the guest reads"
		}
	case importKVGet, importKVSet, importKVDelete:
		if !m.Asks(abi.CapabilityKV) {
			return "add a capability `kv` with the reason"
		}
	}
	return ""
}

// checkGrants refuses names that a host has misspelt.
func checkGrants(names []string) error {
	for _, name := range names {
		if !slices.Contains(Grantable(), name) {
			return fmt.Errorf("GuestOptions.Grants: %q cannot be granted; known: %s", name, strings.Join(Grantable(), ", "))
		}
	}
	return nil
}

// Granted returns the capabilities that the guest asked for and was granted, in alphabetical order.
func (g *Guest) Granted() []string { return g.granted.names() }

// Withheld returns what the guest asked for and was not granted, in the manifest's order. It runs
// without: times and random numbers are virtual ones, and its kv answers that it is denied. Capabilities
// that this host does not know are withheld as well.
func (g *Guest) Withheld() []abi.Capability {
	var withheld []abi.Capability
	for _, c := range g.artifact.Manifest.Capabilities {
		if !grantless(c.Name) && !g.granted.has(c.Name) {
			withheld = append(withheld, c)
		}
	}
	return withheld
}

// Source returns where the guest was said to come from, see [GuestOptions].
func (g *Guest) Source() string { return g.grant.Source }

// random reports whether the guest has real random numbers.
func (g *Guest) random() bool { return g.granted.random }
