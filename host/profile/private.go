package profile

import (
	_ "embed"
	"encoding/json"
)

//go:embed private.json
var privateTable []byte

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

// PrivateTools are all tools of that kind. They are described for the host to register; what they do is the
// host's.
func PrivateTools() []PrivateTool {
	var packages []struct {
		Package  string `json:"package"`
		Variable string `json:"variable"`
		Tools    []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if json.Unmarshal(privateTable, &packages) != nil {
		return nil // a test reads the table
	}
	var list []PrivateTool
	for _, p := range packages {
		for _, t := range p.Tools {
			list = append(list, PrivateTool{Tool(t), p.Package, p.Variable})
		}
	}
	return list
}

// Withheld are the names of the private tools that the provider of a package does not get, whatever they
// are there for: what to exclude when tools are bound for it (section "Isolation"). pkg is one that
// [PrivateTools] names, or "" for any other.
func Withheld(pkg string) []string {
	var list []string
	for _, t := range PrivateTools() {
		if t.Package != pkg {
			list = append(list, t.Name)
		}
	}
	return list
}
