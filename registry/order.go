package registry

import (
	"math"
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
// turn, in the order in which they are evaluated, and those that do not, in the order of the snapshot.
// Both lists may be the registry's own and must not be changed.
func (s Snapshot) Select(rc *RenderContext) ([]*Contribution, []Exclusion) {
	var excluded []Exclusion
	for _, c := range s.Contributions {
		if missing, reason := filter(c, rc); reason != "" {
			excluded = append(excluded, Exclusion{c, reason, missing})
		}
	}
	if excluded == nil && s.ordered != nil {
		return s.ordered, nil
	}
	list := s.ordered
	if list == nil {
		list = s.Contributions
	}
	chosen := make([]*Contribution, 0, len(list)-len(excluded))
	for _, c := range list {
		if _, reason := filter(c, rc); reason == "" {
			chosen = append(chosen, c)
		}
	}
	if s.ordered == nil {
		slices.SortStableFunc(chosen, compare)
	}
	return chosen, excluded
}

// inOrder returns the contributions in the order in which they are evaluated, of which every turn takes
// a part: comparing ids is too slow to do it in each. It returns nil if there is no such order, because
// a priority is no number; then the result depends on what takes part.
func inOrder(contributions []*Contribution) []*Contribution {
	if slices.ContainsFunc(contributions, func(c *Contribution) bool { return math.IsNaN(c.Priority) }) {
		return nil
	}
	ordered := append(make([]*Contribution, 0, len(contributions)), contributions...)
	slices.SortStableFunc(ordered, compare)
	return ordered
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
