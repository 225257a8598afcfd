package bridge

import (
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// StripVersion returns the name of a package without the version behind it: "@scope/name@1.2" is
// "@scope/name".
func StripVersion(pkg string) string {
	if at := strings.LastIndexByte(pkg, '@'); at > 0 && !strings.Contains(pkg[at:], "/") {
		return pkg[:at]
	}
	return pkg
}

// IntegrationOf says which integration a configured package is: that of the package of this name,
// however it is scoped and wherever it lies. The name of Cursor's may be written in any case.
func IntegrationOf(pkg string) stream.Integration {
	switch known(pkg).Integration {
	case "cursor":
		return stream.Cursor
	case "devin":
		return stream.Devin
	}
	return stream.NoIntegration
}

// known is the package that is configured, the zero one if nothing is known of it.
func known(pkg string) profile.Package {
	packages := profile.Packages()
	for segment := range strings.SplitSeq(StripVersion(pkg), "/") {
		for _, p := range packages {
			if segment == p.Name || p.AnyCase && lower(segment) == p.Name {
				return p
			}
		}
	}
	return profile.Package{}
}

// lower is a text in lower case as JavaScript has it, for which İ is no i but one with a dot above.
func lower(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "\u0130", "i\u0307"))
}
