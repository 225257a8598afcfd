package doctor

import (
	"context"
	"slices"

	"github.com/pintle-wasm/pintle/internal/pisession"
)

// A piPlan is what a repaired copy of a session file of Pi does with its entries, by their indices.
type piPlan struct {
	drop map[int]bool
	link map[int]string // their new parents, "" for a root
}

// plan finds out what a copy can cure: it tries the copy on the index, and looks at its branch. What a copy
// would not cure, or would put something worse in the place of, is not curable.
func (c *piCheck) plan(ctx context.Context) (*piPlan, error) {
	p := &piPlan{drop: map[int]bool{}, link: map[int]string{}}
	if c.long {
		c.r.each(func(f *Finding) {
			if f.Curable {
				f.Curable, f.Here = false, "no copy is made, as a line that is too long to be read would be lost with it"
			}
		})
		return p, nil
	}
	for _, i := range c.tree.Nameless {
		p.drop[i] = true
	}
	if err := c.dropRepeats(p); err != nil {
		return nil, err
	}
	for _, i := range c.tree.Orphans {
		if parent, ok := c.ancestor(i); ok && !p.drop[i] {
			p.link[i] = parent
		}
	}
	if len(p.link) == 0 {
		c.promise(p, nil)
		return p, nil
	}
	after, worse, err := c.try(ctx, p)
	if err != nil {
		return nil, err
	}
	if worse {
		p.link, after = map[int]string{}, nil
	}
	c.promise(p, after)
	return p, nil
}

// dropRepeats leaves out entries that are there more than once, if all with their id are the same. The last
// line of the file stays, as Pi goes on from it.
func (c *piCheck) dropRepeats(p *piPlan) error {
	differ := map[int]bool{}
	for _, r := range c.tree.Repeats {
		same, err := c.same(&c.tree.Entries[r.First], &c.tree.Entries[r.Entry])
		if err != nil {
			return err
		}
		differ[r.First] = differ[r.First] || !same
	}
	for _, r := range c.tree.Repeats {
		if !differ[r.First] && r.Entry != c.tree.Leaf {
			p.drop[r.Entry] = true
		}
	}
	return nil
}

// ancestor finds the nearest ancestor of an orphan that is there, in front of it: by what is left of the
// lines that its ancestors were on, or else by the place of the line that must have held its parent.
func (c *piCheck) ancestor(i int) (id string, ok bool) {
	const most = 1000
	e := &c.tree.Entries[i]
	at := e.Parent
	for range most {
		parent, lost := c.lost[at]
		if !lost {
			break
		}
		if parent == "" {
			return "", true
		}
		if found, ok := c.tree.Find(parent); ok {
			return parent, found < i
		}
		at = parent
	}
	if at == e.Parent && e.AfterLoss && i > 0 {
		id = c.tree.Entries[i-1].ID
		found, ok := c.tree.Find(id)
		return id, ok && found < i
	}
	return "", false
}

// try makes a copy's index. worse tells whether the copy would have a fault that the file does not have,
// other than in what has come back by it.
func (c *piCheck) try(ctx context.Context, p *piPlan) (after *Report, worse bool, err error) {
	entries := make([]pisession.Entry, 0, len(c.tree.Entries))
	for i, e := range c.tree.Entries {
		if p.drop[i] {
			continue
		}
		if parent, ok := p.link[i]; ok {
			e.Parent = parent
		}
		entries = append(entries, e)
	}
	t := pisession.Grow(entries)
	after = &Report{Pi: &Pi{}}
	if len(t.Cycles) > len(c.tree.Cycles) || len(t.Orphans) > len(c.tree.Orphans)-len(p.link) {
		return nil, true, nil
	}
	if err := c.branch(ctx, t, after); err != nil {
		return nil, false, err
	}
	known := map[complaint]bool{}
	c.r.each(func(f *Finding) { known[f.complaint()] = true })
	onBranch := map[string]bool{}
	for _, i := range c.tree.Branch {
		onBranch[c.tree.Entries[i].ID] = true
	}
	for i := range after.Findings {
		f := &after.Findings[i]
		worse = worse || f.Level == Fault && onBranch[f.EntryID] && !known[f.complaint()]
	}
	return after, worse, nil
}

// promise marks what the copy cures. after is what was found in the branch of one with other links, nil if
// it has none.
func (c *piCheck) promise(p *piPlan, after *Report) {
	repaired := map[string]bool{}
	for i := range p.link {
		repaired[c.tree.Entries[i].ID] = true
	}
	dropped := map[int64]bool{}
	for i := range p.drop {
		dropped[c.tree.Entries[i].Line] = true
	}
	left := map[complaint]bool{}
	if after != nil {
		for i := range after.Findings {
			left[after.Findings[i].complaint()] = true
		}
	}
	full := after != nil && len(after.rest) > 0
	c.r.each(func(f *Finding) {
		switch {
		case f.Level != Fault || f.Curable:
		case f.Code == ParentMissing && repaired[f.EntryID] && !dropped[f.Line]:
			f.Curable, f.Here = true, "a repaired copy links it to the nearest entry before the one that is lost"
		case f.Code == DuplicateID && dropped[f.Line]:
			f.Curable, f.Here = true, "the two are the same word for word, and a repaired copy has one"
		case slices.Contains([]Code{KeptEntryMissing, ResultWithoutCall}, f.Code) && after != nil && !full && !left[f.complaint()]:
			f.Curable, f.Here = true, "a repaired copy has again what belongs to it"
		}
	})
	if len(c.tree.Entries) == len(p.drop) { // a copy would be an empty session
		c.r.each(func(f *Finding) {
			if f.Curable {
				f.Curable, f.Here = false, "no copy is made: the file has no entry that can be read"
			}
		})
	}
}
