package bridge

import (
	"strings"

	"github.com/pintle-wasm/pintle/host/stream"
)

// The packages that the bridge knows more about than the protocol says.
const (
	cursorPackage = "cursor-opencode-provider"
	devinPackage  = "devin-opencode-provider"
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
	for segment := range strings.SplitSeq(StripVersion(pkg), "/") {
		switch {
		case segment == devinPackage:
			return stream.Devin
		case strings.ToLower(segment) == cursorPackage:
			return stream.Cursor
		}
	}
	return stream.NoIntegration
}

// knownPackage is the name by which package profile knows an integration, "" for none.
func knownPackage(i stream.Integration) string {
	switch i {
	case stream.Cursor:
		return cursorPackage
	case stream.Devin:
		return devinPackage
	}
	return ""
}
