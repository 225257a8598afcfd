package registry

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/collate"
)

// Reason says why a contribution is not in the envelope, or how it got there.
type Reason string

const (
	// ProviderUnknown: it is limited to providers and the current one is not known.
	ProviderUnknown Reason = "provider-unknown"
	// ProviderNotListed: it is limited to other providers.
	ProviderNotListed Reason = "provider-not-listed"
	// ToolInactive: a tool that it needs is not active.
	ToolInactive Reason = "tool-inactive"
)

// Exclusion says why a contribution takes no part in a turn.
type Exclusion struct {
	Contribution *Contribution
	Reason       Reason
	// Tools are the missing ones when the reason is ToolInactive.
	Tools []string
}

// Select applies the provider and tool filters and returns the contributions that take part in the
// turn, in the order in which they are evaluated, and those that do not, in the order given.
func Select(contributions []*Contribution, rc *RenderContext) ([]*Contribution, []Exclusion) {
	chosen := make([]*Contribution, 0, len(contributions))
	var excluded []Exclusion
	for _, c := range contributions {
		if missing, reason := filter(c, rc); reason != "" {
			excluded = append(excluded, Exclusion{c, reason, missing})
		} else {
			chosen = append(chosen, c)
		}
	}
	slices.SortStableFunc(chosen, compare)
	return chosen, excluded
}

func filter(c *Contribution, rc *RenderContext) ([]string, Reason) {
	if c.Providers != nil {
		if rc.Provider == "" {
			return nil, ProviderUnknown
		}
		if !slices.Contains(c.Providers, rc.Provider) {
			return nil, ProviderNotListed
		}
	}
	var missing []string
	for _, tool := range c.ActiveTools {
		if !slices.Contains(rc.ActiveTools, tool) && !slices.Contains(missing, tool) {
			missing = append(missing, tool)
		}
	}
	if missing != nil {
		return missing, ToolInactive
	}
	return nil, ""
}

// compare orders by priority and then id. The difference decides, as in the protocol, so that two
// infinite priorities of one sign leave it to the id.
func compare(a, b *Contribution) int {
	switch d := a.Priority - b.Priority; {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return collate.Compare(a.ID, b.ID)
}
