package abi

import (
	_ "embed"
	"slices"
)

//go:embed pintle.schema.json
var manifestSchema []byte

// ManifestSchema returns the JSON Schema (draft 2020-12) of pintle.toml, for editors. It accepts all that
// `pintle build` accepts, and refuses what a schema can refuse.
func ManifestSchema() []byte { return slices.Clone(manifestSchema) }
