package quickjs

import (
	"encoding/hex"
	"strings"
)

// engines are the builds of the engine that this host knows, by the sha256 of the module without its
// custom sections. Their exports and imports are the contract of this package, so no other build runs.
var engines = map[string]string{
	"0000": "quickjs-wasi 3.7.0 (QuickJS-NG 0.18.0)",
}

// Engine returns the name of an engine build, "" if the host does not know it. The sum is the sha256 of
// the module without its custom sections.
func Engine(sum [32]byte) string { return engines[hex.EncodeToString(sum[:])] }

// Engines lists the builds that this host knows, for people.
func Engines() string {
	var names []string
	for sum, name := range engines {
		names = append(names, name+" "+sum)
	}
	return strings.Join(names, ", ")
}
