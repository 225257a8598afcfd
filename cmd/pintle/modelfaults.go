package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// modelFaults are what somebody who wrote a list of models did not mean: a host takes it for all that. Each
// is one sentence; providers other than one are left out, unless that is "".
func modelFaults(document []byte, only string) []string {
	var faults []string
	root, _ := ordered.ParseObject(bytes.TrimSpace(document))
	providers, config := ordered.ParseObject(root.Get("provider"))
	if !config {
		providers = root
	}
	for id, raw := range providers.All() {
		provider, ok := ordered.ParseObject(raw)
		if only != "" && id != only || !ok {
			continue
		}
		add := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("provider %q: ", oneLine(id, 80))+fmt.Sprintf(format, args...))
		}
		list, ok := ordered.ParseObject(provider.Get("models"))
		if models := provider.Get("models"); !ok && models != nil {
			add("models is %s and has none: want an object, {id: {…}}", kindText(models))
		}
		for model, raw := range list.All() {
			entry, ok := ordered.ParseObject(raw)
			if !ok {
				add("model %q is %s, not an object, and listed with what a host assumes", oneLine(model, 80), kindText(raw))
			}
			limit, _ := ordered.ParseObject(entry.Get("limit"))
			for _, key := range []string{"context", "output"} {
				if n, ok := jsonvalue.NumberOf(limit.Get(key)); ok && n < 0 {
					add("model %q: limit.%s is %v, less than nothing", oneLine(model, 80), key, n)
				}
			}
		}
	}
	return faults
}

// kindText names the kind of a JSON value.
func kindText(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a text"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}
