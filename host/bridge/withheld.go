package bridge

import "github.com/pintle-wasm/pintle/host/profile"

// Withheld are the names of the host's tools that the provider of a package does not get, since they are
// there for one package alone (section "Isolation"): what to exclude when tools are bound for it.
func Withheld(pkg string) []string { return profile.Withheld(known(pkg).Name) }
