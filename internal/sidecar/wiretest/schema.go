// Package wiretest checks what passes a connection of the sidecar against the schema of its protocol. It is
// for tests, of the sidecar and of clients in any language: see the program relay.
package wiretest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pintle-wasm/pintle/clients"
)

// A Schema has the schema of every definition of the protocol. It is safe for concurrent use.
type Schema struct {
	definitions map[string]any
	compiled    map[string]*jsonschema.Schema // by definition; "" is a whole message
}

// Load compiles the protocol's schema, once.
var Load = sync.OnceValues(func() (*Schema, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(clients.ProtocolSchema()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("protocol", parsed); err != nil {
		return nil, err
	}
	s := &Schema{compiled: map[string]*jsonschema.Schema{}}
	s.definitions, _ = parsed.(map[string]any)["$defs"].(map[string]any)
	if s.compiled[""], err = compiler.Compile("protocol"); err != nil {
		return nil, err
	}
	for name := range s.definitions {
		at := "protocol#/$defs/" + strings.ReplaceAll(name, "/", "~1")
		if s.compiled[name], err = compiler.Compile(at); err != nil {
			return nil, err
		}
	}
	return s, nil
})

// Definitions are the schema's own, by name. They are not to be changed.
func (s *Schema) Definitions() map[string]any { return s.definitions }

// Has says whether there is a definition.
func (s *Schema) Has(name string) bool { return s.compiled[name] != nil }

// Check says what is wrong with a value for a definition, or for a message if name is "".
func (s *Schema) Check(name string, value []byte) error {
	schema := s.compiled[name]
	if schema == nil {
		return fmt.Errorf("the schema has no %q", name)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s: %w\n%.1000s", name, err, value)
	}
	return nil
}

// Methods are those that a definition such as clientRequest lists.
func (s *Schema) Methods(of string) []string {
	message, _ := s.definitions[of].(map[string]any)
	properties, _ := message["properties"].(map[string]any)
	method, _ := properties["method"].(map[string]any)
	list, _ := method["enum"].([]any)
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = fmt.Sprint(name)
	}
	return names
}
