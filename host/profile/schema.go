package profile

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// anyObject is the schema of a tool that gives none.
const anyObject = `{"type":"object","properties":{}}`

// A schema is the outer part of a tool's JSON schema.
type schema struct {
	whole      ordered.Object
	properties ordered.Object
	// required are the names in the list of that name, nil if there is no list.
	required []string
}

// schemaOf reads the schema of a tool, or what stands for it. A tool may be nil.
func schemaOf(tool *Tool) (s schema) {
	if tool == nil {
		return s
	}
	s.whole, _ = ordered.ParseObject(hostSchema(tool))
	s.properties, _ = ordered.ParseObject(s.whole.Get("properties"))
	if list, ok := ordered.Elements(s.whole.Get("required")); ok {
		s.required = make([]string, 0, len(list))
		for _, name := range list {
			if text, ok := jsonvalue.TextOf(name); ok {
				s.required = append(s.required, text)
			}
		}
	}
	return s
}

func (s *schema) has(property string) bool { return s.properties.Has(property) }

func (s *schema) requires(property string) bool { return slices.Contains(s.required, property) }

// hostSchema is the schema of a tool as the host gives it. What is not a JSON object is no schema.
func hostSchema(tool *Tool) json.RawMessage {
	if w := jsonspan.Walk(tool.Parameters); w.Kind() == jsonspan.Object && jsonspan.Valid(tool.Parameters) {
		return tool.Parameters
	}
	return json.RawMessage(anyObject)
}

// fits says whether a live tool can be called with the fixed input and needs nothing else. A tool that is
// not live is nil.
func (t *terminal) fits(tool *Tool) bool {
	if tool == nil {
		return false
	}
	s := schemaOf(tool)
	if list, ok := ordered.Elements(s.whole.Get("required")); ok && len(list) > 0 || !ok && s.whole.Has("required") {
		return false
	}
	for _, name := range t.Without {
		if s.has(name) {
			return false
		}
	}
	for _, name := range t.Free {
		if !unconstrained(s.properties.Get(name)) {
			return false
		}
	}
	input, _ := ordered.ParseObject(t.Input)
	for name := range input.All() {
		if !s.has(name) {
			return false
		}
	}
	return true
}

// unconstrained says that the schema of a property says nothing but what it is.
func unconstrained(property []byte) bool {
	object, ok := ordered.ParseObject(property)
	if !ok {
		return false
	}
	object.Delete("description")
	return object.Len() == 0
}
