package bridge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// How a host was recognised.
const (
	ByEnvironment = "env"
	ByProbe       = "probe"
)

// probed are the hosts in the order in which they are looked for. omp has grown out of pi and may have
// its package too, so it comes first; hosts of other tables come last.
func probed() []string {
	names := []string{"omp", "pi"}
	for _, name := range profile.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// DetectHost finds out which host this is, and how: the one that PI_BRIDGE_HOST names, and if that is
// blank the first whose package resolves, omp before pi. resolves says whether an npm package can be
// loaded. The answer does not change while a process runs: ask once. The error is an *[Error] of kind
// UnknownHost or NoHost.
func DetectHost(env Environment, resolves func(pkg string) bool) (p *profile.Profile, how string, err error) {
	if name := ecma.Trim(env.get(hostVariable)); name != "" {
		p, err := profile.Named(name)
		if err != nil {
			return nil, "", &Error{Kind: UnknownHost, Text: hostVariable, Err: err}
		}
		return p, ByEnvironment, nil
	}
	var packages []string
	for _, name := range probed() {
		p, err := profile.Named(name)
		if err != nil {
			return nil, "", &Error{Kind: NoHost, Text: "read the host's table", Err: err}
		}
		if resolves(p.Package) {
			return p, ByProbe, nil
		}
		packages = append(packages, p.Package)
	}
	return nil, "", &Error{Kind: NoHost, Text: fmt.Sprintf(
		"no host was found: neither of the packages %s can be loaded; set %s to one of %q",
		strings.Join(packages, ", "), hostVariable, profile.Names(),
	)}
}
