package languages

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// Surface observes what a file says of itself: its manifest, its imports and its exports, and where they do not
// fit the contract.
func Surface(file []byte) ([]Observation, error) {
	a, err := runtime.Examine("guest.wasm", file)
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(a.Manifest)
	if err != nil {
		return nil, err
	}
	seen := []Observation{{"manifest", string(manifest)}}
	for _, p := range a.Problems {
		seen = append(seen, Observation{"problem " + p.Subject, p.String()})
	}
	for _, i := range a.Module().Imports {
		seen = append(seen, Observation{"import " + i.Module + "." + i.Name, signature(i.Kind, i.Type)})
	}
	for _, e := range a.Module().Exports {
		seen = append(seen, Observation{"export " + e.Name, signature(e.Kind, e.Type)})
	}
	return seen, nil
}

func signature(kind wasmbin.Kind, of wasmbin.FuncType) string {
	if kind == wasmbin.FuncKind {
		return of.String()
	}
	return fmt.Sprint(kind)
}
