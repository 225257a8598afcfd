package bridge

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// How a host was recognised.
const (
	ByEnvironment = "env"
	ByProbe       = "probe"
)

// DetectHost finds out which host this is, and how: the one that PI_BRIDGE_HOST names, and if that is
// blank the first whose package resolves. hosts are those that it may be, in the order in which they are
// looked for; without any, those of [profile.Embedded]. A program with a table of its own gives it together
// with those of [profile.Named] that it wants. A host without a package is found by its name alone.
// resolves says whether an npm package can be loaded. The answer does not change while a process runs: ask
// once. The error is an *[Error] of kind UnknownHost or NoHost.
func DetectHost(
	env Environment, resolves func(pkg string) bool, hosts ...*profile.Profile,
) (p *profile.Profile, how string, err error) {
	if len(hosts) == 0 {
		hosts = profile.Embedded()
	}
	wanted := ecma.Trim(env.get(hostVariable))
	var names, packages []string
	for _, p := range hosts {
		switch {
		case wanted != "" && p.Name == wanted:
			return p, ByEnvironment, nil
		case wanted == "" && p.Package != "" && resolves(p.Package):
			return p, ByProbe, nil
		}
		names = append(names, p.Name)
		if p.Package != "" {
			packages = append(packages, p.Package)
		}
	}
	if wanted != "" {
		err := fmt.Errorf("%w %q: the hosts are %q", profile.ErrUnknownHost, wanted, names)
		return nil, "", &Error{Kind: UnknownHost, Text: hostVariable, Err: err}
	}
	return nil, "", &Error{Kind: NoHost, Text: fmt.Sprintf(
		"no host was found: none of the packages %q can be loaded; set %s to one of %q", packages, hostVariable, names,
	)}
}
