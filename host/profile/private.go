package profile

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

//go:embed private.json
var privateTable []byte

// A Package is a provider's npm package that the bridge knows more about than the protocol says.
type Package struct {
	// Name is without a version.
	Name string `json:"package"`
	// AnyCase: a name that differs in the case of letters alone is this one too.
	AnyCase bool `json:"anyCase"`
	// Integration is how the package counts usage: "cursor" or "devin".
	Integration string `json:"integration"`
	// Variable is the environment variable that has its tools registered, when it is 1, though the package is
	// not configured.
	Variable string `json:"variable"`
	// Denial is how errors of its tools are told to it.
	Denial Denial `json:"denial"`

	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"tools"`
}

// A PrivateTool is a tool that the bridge adds to the host's for the sake of one provider's package
// (section "Cursor tools"). Other providers do not see it.
type PrivateTool struct {
	Tool
	// Package is the npm package that it is for, without a version.
	Package string
	// Variable is the environment variable that has it registered, when it is 1, though no such package is
	// configured.
	Variable string
}

// AppendJSON appends the tool for a host to register:
//
//	{"name":…,"description":…,"parameters":…,"package":…,"variable":…}
func (t *PrivateTool) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	t.members(&o)
	o.Text("package", t.Package)
	o.Text("variable", t.Variable)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (t PrivateTool) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// Packages are all packages of that kind. The caller may change the list, but not what is in it.
func Packages() []Package { return slices.Clone(packages()) }

var packages = sync.OnceValue(func() []Package { return readPrivate(privateTable) })

// PrivateTools are the tools of all packages. They are described for the host to register; what they do is
// the host's, see [Profile.Action]. The caller may change the list, but not the schemas in it.
func PrivateTools() []PrivateTool { return slices.Clone(privateTools()) }

var privateTools = sync.OnceValue(func() (list []PrivateTool) {
	for _, p := range packages() {
		for _, t := range p.Tools {
			list = append(list, PrivateTool{Tool(t), p.Name, p.Variable})
		}
	}
	return list
})

// readPrivate panics if the table is bad: with no tools, providers would be given those of others.
func readPrivate(table []byte) (list []Package) {
	if err := json.Unmarshal(table, &list); err != nil {
		panic(fmt.Errorf("embedded table private.json: %w", err))
	}
	return list
}

// Withheld are the names of the private tools that the provider of a package does not get, whatever they
// are there for: what to exclude when tools are bound for it (section "Isolation"). pkg is one that
// [PrivateTools] names, or "" for any other.
func Withheld(pkg string) []string {
	var list []string
	for _, t := range privateTools() {
		if t.Package != pkg {
			list = append(list, t.Name)
		}
	}
	return list
}
