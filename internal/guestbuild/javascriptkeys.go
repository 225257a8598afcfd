package guestbuild

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// What an author's object may have: the interfaces of pintle.d.ts.
var (
	contributionKeys = []string{"id", "priority", "providers", "activeTools", "content"}
	adapterV1Keys    = []string{"id", "provider", "api", "model", "enabled",
		"readSystemPrompt", "replaceSystemPrompt", "replaceDeveloperMessages"}
	adapterV2Keys = []string{"id", "providers", "apis", "models", "view", "write", "edit"}
)

// strangeKeys warns of keys that look like others, or like those of pintle.toml. Keys of the author's own are none of
// the builder's business.
func (r *registrations) strangeKeys() (warnings []string) {
	if len(r.Keys) != len(r.Contributions)+len(r.Adapters) {
		return nil
	}
	for i, keys := range r.Keys {
		who, known := "", contributionKeys
		if j := i - len(r.Contributions); j < 0 {
			who = fmt.Sprintf("contribution %q", r.Contributions[i].ID)
		} else {
			who, known = fmt.Sprintf("adapter %q", r.Adapters[j].ID), adapterV1Keys
			if r.Adapters[j].Interface == abi.ProviderPayloadAdaptersV2 {
				known = adapterV2Keys
			}
		}
		for _, key := range keys {
			if slices.Contains(known, key) {
				continue
			}
			if key == "needs" || key == "volatility" {
				warnings = append(warnings, fmt.Sprintf("%s: the key %s means nothing in the code: it belongs into %s", who, key, ManifestFile))
			} else if near := spelling.Nearest(key, known); near != "" && !slices.Contains(keys, near) {
				warnings = append(warnings, fmt.Sprintf("%s: the key %s means nothing: did you mean %s?", who, key, near))
			}
		}
	}
	return warnings
}
