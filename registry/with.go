package registry

import "slices"

// With returns the snapshot with further contributions, which take part under the same rules: in the one
// order of priority and id, and behind the registered ones where these leave it open. One with the id of
// a registered contribution takes its place, which Replaced says; several of the further ones may have
// one id. They belong to the snapshot from now on and must not be changed.
func (s Snapshot) With(extra ...*Contribution) Snapshot {
	if len(extra) == 0 {
		return s
	}
	by := make(map[string]*Contribution, len(extra))
	for _, c := range extra {
		by[c.ID] = c
	}
	out := Snapshot{Contributions: make([]*Contribution, 0, len(s.Contributions)+len(extra)), Replaced: slices.Clip(s.Replaced)}
	for _, c := range s.Contributions {
		if new, ok := by[c.ID]; ok {
			out.Replaced = append(out.Replaced, Replaced{c.ID, c.Source, new.Source})
		} else {
			out.Contributions = append(out.Contributions, c)
		}
	}
	kept := out.Contributions
	out.Contributions = append(out.Contributions, extra...)
	if s.ordered == nil && len(s.Contributions) > 0 {
		return out // there is no order but that of a turn
	}
	further := inOrder(extra)
	if further == nil {
		return out
	}
	// Comparing ids is slow, and the registered ones are in order.
	first := s.ordered
	if len(kept) < len(s.Contributions) {
		first = slices.DeleteFunc(slices.Clone(first), func(c *Contribution) bool { return by[c.ID] != nil })
	}
	out.ordered = merge(first, further)
	return out
}

// merge makes one ordered list of two, in which those of a stand before their equals of b.
func merge(a, b []*Contribution) []*Contribution {
	out := make([]*Contribution, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
