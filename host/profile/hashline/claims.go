package hashline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Overlap says whether two sets of ranges have a line in common, as [Claims] has it: right is claimed, and
// left is asked for. The cost is that of sorting one of them.
func Overlap(left, right []Range) bool {
	var held spans
	for _, r := range merge(right) {
		held.add(r)
	}
	return slices.ContainsFunc(left, held.meets)
}

// ErrOverlap says that a patch changes lines that were changed by way of the same snapshot before.
var ErrOverlap = errors.New("overlapping edit")

// Claims are the ranges of lines that patches have changed, by path and tag. Two patches for one snapshot
// must not touch the same lines: the second one would be based on what is no longer there. The zero value
// is ready to use. It is safe for concurrent use.
type Claims struct {
	mu   sync.Mutex
	held map[string]*spans // by path and tag
}

// A Claim is what one patch has claimed. A nil Claim holds nothing.
type Claim struct {
	claims *Claims
	key    string
	held   *spans  // those of the snapshot, this claim's among them
	ranges []Range // none once they are released
}

// Claim claims the ranges of a patch. The error wraps [ErrOverlap] if some of them are claimed already. A
// patch without a path, a tag or a range claims nothing, and nor do ranges within it that overlap: they
// are its own affair. If the patch then fails, the claim has to be released. What it costs depends on the
// patch, and hardly on how much is claimed.
func (c *Claims) Claim(p Patch) (*Claim, error) {
	key := p.key()
	if key == "" || len(p.Ranges) == 0 {
		return nil, nil
	}
	ranges := merge(p.Ranges)
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[key]
	if held == nil {
		held = &spans{}
	}
	for _, r := range ranges {
		if held.meets(r) {
			return nil, fmt.Errorf("%w: lines %v of [%s] were edited from this snapshot before: read the file again",
				ErrOverlap, r, key)
		}
	}
	for _, r := range ranges {
		held.add(r)
	}
	if c.held == nil {
		c.held = map[string]*spans{}
	}
	c.held[key] = held
	return &Claim{claims: c, key: key, held: held, ranges: ranges}, nil
}

// Release gives back what was claimed. Doing it again, or after a reset, does nothing.
func (c *Claim) Release() {
	if c == nil {
		return
	}
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if c.claims.held[c.key] != c.held {
		return // reset
	}
	for _, r := range c.ranges {
		c.held.remove(r)
	}
	c.ranges = nil
	if len(c.held.blocks) == 0 {
		delete(c.claims.held, c.key)
	}
}

// Reset forgets all claims, as a new session does.
func (c *Claims) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
}

// merge sorts ranges, and joins those that overlap.
func merge(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	merged := sorted[:0]
	for _, r := range sorted {
		if n := len(merged); n > 0 && r.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, r.End)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// String writes a range as "3-5", "3-" if it is open.
func (r Range) String() string {
	if r.End == Open {
		return fmt.Sprintf("%d-", r.Start)
	}
	return fmt.Sprintf("%d-%d", r.Start, r.End)
}
