package doctor

import (
	"bytes"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/pisession"
)

// entries tells of entries by themselves, wherever in the tree they are.
func (c *piCheck) entries(audits []int) {
	unknown := map[string]int{}
	for i := range c.tree.Entries {
		e := &c.tree.Entries[i]
		switch {
		case e.ID == "":
			c.r.add(c.at(e, Finding{Code: NotAnEntry, Level: Fault, Curable: true, Here: inCopy,
				Detail: "the line is an object without an id",
				Effect: "Pi cannot find it again; if it is the last line, Pi goes on from it as if nothing had been said before"}))
		case e.Misses() != "":
			c.r.add(c.at(e, Finding{Code: InvalidEntry, Level: Fault, Detail: e.Misses(),
				Effect: "Pi keeps it, and takes nothing from it", Here: "the same: what it should be is not known"}))
		case !pisession.KnownType(e.Type):
			if unknown[e.Type]++; unknown[e.Type] == 1 {
				c.r.add(c.at(e, Finding{Code: UnknownEntry, Level: Note, Detail: fmt.Sprintf("the entry's type %s is not known here", quote(e.Type)),
					Effect: "a Pi that does not know it keeps it in its place, and takes nothing from it", Here: "the same"}))
			}
		}
		c.message(e)
		c.dates(i, e)
		c.target(e)
	}
	for _, i := range audits {
		c.r.add(c.at(&c.tree.Entries[i], Finding{Code: InvalidAudit, Level: Fault,
			Detail: "the data of the audit entry is not valid: none of its records counts, valid ones included",
			Effect: "the extension shows \"Invalid prompt audit entry\", and records the instructions again in the next turn",
			Here:   "the same; requests do not depend on it, so it is left as it is"}))
	}
}

// message tells of messages that Pi fails on wherever they are, as it reads them to list its sessions.
func (c *piCheck) message(e *pisession.Entry) {
	switch {
	case e.NoMessage():
		c.r.add(c.at(e, Finding{Code: InvalidMessage, Level: Fault, Detail: "the entry has no message with a role",
			Effect: "Pi leaves the session out of its list, and fails on each request if the entry is on the branch",
			Here:   "it is passed over; what was in it is not known, so no copy cures it"}))
	case e.NoContent():
		c.r.add(c.at(e, Finding{Code: InvalidMessage, Level: Fault, Detail: fmt.Sprintf("the content of the message, of the role %s, is not a list", quote(e.Role)),
			Effect: "depending on its version Pi leaves the session out of its list, or fails on each request with the message",
			Here:   "it is passed over; what was in it is not known, so no copy cures it"}))
	}
}

func (c *piCheck) dates(i int, e *pisession.Entry) {
	at, ok := e.Time()
	if !ok {
		c.r.add(c.at(e, Finding{Code: InvalidDate, Level: Note, Detail: "the entry's timestamp is no date",
			Effect: "Pi shows an invalid date; the message that it makes of a summary has none", Here: "nothing depends on it"}))
		return
	}
	parent, ok := c.tree.Parent(i)
	if !ok || e.Type == pisession.Label { // those of a branch are written anew, with their dates
		return
	}
	if before, ok := c.tree.Entries[parent].Time(); ok && at < before {
		c.r.add(c.at(e, Finding{Code: InvalidDate, Level: Note, Detail: "the entry is dated before its parent",
			Effect: "programs that go by dates take the entries in another order; Pi goes by parents", Here: "the same"}))
	}
}

// target tells of entries that are about another one that is not there.
func (c *piCheck) target(e *pisession.Entry) {
	what := ""
	switch e.Type {
	case pisession.Label:
		what = "the label is for"
	case pisession.ContextEdit:
		what = "the edit is of"
	default:
		return
	}
	if _, ok := c.tree.Find(e.Target); !ok {
		c.r.add(c.at(e, Finding{Code: TargetMissing, Level: Note, Detail: fmt.Sprintf("%s the entry %s, which is not there", what, quote(e.Target)),
			Effect: "it does nothing", Here: "the same"}))
	}
}

// links tells of what is wrong with the tree.
func (c *piCheck) links() {
	t := c.tree
	for _, i := range t.Orphans {
		e := &t.Entries[i]
		c.r.add(c.at(e, Finding{Code: ParentMissing, Level: Fault, Detail: fmt.Sprintf("its parent %s is not in the file", quote(e.Parent)),
			Effect: "for Pi the session begins here: on this branch everything before it is gone from requests, without a word",
			Here:   "the same; which entry it should follow is not known"}))
	}
	for _, r := range t.Repeats {
		e := &t.Entries[r.Entry]
		c.r.add(c.at(e, Finding{Code: DuplicateID, Level: Fault, Detail: fmt.Sprintf("line %d has this id too", t.Entries[r.First].Line),
			Effect: "Pi finds the last one only, and takes the children of all for its own",
			Here:   "the same; whose children they are is not known"}))
	}
	for _, cycle := range t.Cycles {
		f := Finding{Code: ParentCycle, Level: Fault, Detail: fmt.Sprintf("the parents go in a circle of %s", pluralOf(cycle.Length, "entry", "entries")),
			Effect: "Pi does not come to an end, and dies for want of memory, as soon as it goes to a branch with it",
			Here:   "the branch is taken to begin in the circle; which parent is wrong is not known"}
		if t.Circular {
			f.Effect = "Pi does not come to an end when it opens the session, and dies for want of memory"
		}
		c.r.add(c.at(&t.Entries[cycle.First], f))
	}
	if t.Roots > 1 {
		c.r.add(Finding{Code: SeveralRoots, Level: Note, Detail: fmt.Sprintf("%d entries have no parent", t.Roots),
			Effect: "requests know nothing of what hangs on other roots than the branch's; that is in order if somebody went back to the very beginning",
			Here:   "the same"})
	}
}

// same tells whether two entries have one text.
func (c *piCheck) same(a, b *pisession.Entry) (bool, error) {
	if a.Length != b.Length {
		return false, nil
	}
	first, err := a.Text(c.file, nil)
	if err != nil {
		return false, err
	}
	c.buf, err = b.Text(c.file, c.buf)
	return bytes.Equal(first, c.buf), err
}
