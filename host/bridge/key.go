package bridge

import (
	"strings"

	"github.com/pintle-wasm/pintle/host/auth"
)

// KeyReference is what a host is given for the apiKey of an entry. Hosts that read variables themselves
// (profile.Keys.Variables) understand "$NAME", "${NAME}" and "!command"; for them a value that looks
// like the name of a variable, capitals, digits and underscores, becomes "$NAME" if such a variable is
// set and not empty when this is called. In reference mode it always does. For everything else it is
// the value, and for all values on a host without Profile.
func (h *Host) KeyReference(value auth.Secret) auth.Secret {
	name := value.Reveal()
	if h.Profile == nil || !h.Profile.Keys.Variables || !isVariableName(name) {
		return value
	}
	if !h.Reference && h.Env.get(name) == "" {
		return value
	}
	return auth.NewSecret("$" + name)
}

func isVariableName(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
