package doctor

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/pisession"
)

// Pi is what is known of a session file of Pi, the coding agent.
type Pi struct {
	// Session is the id in the header, "" if there is none. Version is that of the format: 1, 2 or 3, 0 if
	// the header does not say in a number, greater if a newer Pi has written it.
	Session string `json:"session"`
	Version int64  `json:"version"`
	// Entries is how many there are, and Roots how many of them have no parent.
	Entries int `json:"entries"`
	Roots   int `json:"roots"`
	// Leaf is the entry that Pi goes on from, the last one of the file, and Branch the number of entries
	// from its root to it.
	Leaf   string `json:"leaf"`
	Branch int    `json:"branch"`
	// Roles are those of the messages of the next request, in the order in which they are first there.
	Roles []RoleCount `json:"roles"`
}

// A RoleCount is how many messages have a role.
type RoleCount struct {
	Role  string `json:"role"`
	Count int    `json:"count"`
}

// IsPi tells, by its first lines, whether a file is a session file of Pi. What cannot be opened is none.
func IsPi(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil // whoever opens it as a log says what is wrong
	}
	f, err := os.Open(path)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	return pisession.Detect(f)
}

// A piCheck is a session file of Pi that is being looked over.
type piCheck struct {
	r       *Report
	options Options
	file    *os.File
	session *pisession.File
	tree    *pisession.Tree
	// lost has the parents of entries whose lines are broken, as far as these can be read.
	lost map[string]string
	// long says that a line is too long to be read.
	long bool
	buf  []byte
}

// openPi reads a file and looks it over.
func openPi(ctx context.Context, path string, o Options) (*piCheck, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c := &piCheck{r: &Report{Pi: &Pi{Roles: []RoleCount{}}}, options: o, file: f, lost: map[string]string{}}
	if err := c.check(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

func (c *piCheck) close() { c.file.Close() }

// checkPi is Check for a session file of Pi.
func checkPi(ctx context.Context, path string, o Options) (*Report, error) {
	c, err := openPi(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if _, err := c.plan(ctx); err != nil {
		return nil, err
	}
	c.finish()
	return c.r, nil
}

// finish puts the findings in order.
func (c *piCheck) finish() {
	slices.SortStableFunc(c.r.Findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	c.r.finish()
}

func (c *piCheck) check(ctx context.Context) error {
	var audits []int // entries whose data is no audit
	n := 0
	var err error
	c.session, err = pisession.Read(ctx, c.file, c.lose, func(e *pisession.Entry, text []byte) error {
		if e.Type == pisession.Custom {
			view, known := envelope.ViewAudit(e.CustomType, jsonvalue.Pick(text, "data")[0], false, 0)
			if known && view.Invalid != "" {
				audits = append(audits, n)
			}
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	c.tree = pisession.Grow(c.session.Entries)
	c.r.Events = int64(len(c.session.Entries))
	p := c.r.Pi
	p.Entries, p.Roots, p.Branch = len(c.tree.Entries), c.tree.Roots, len(c.tree.Branch)
	if h := c.session.Header; h != nil {
		p.Session, p.Version = h.ID, h.Version
	}
	if c.tree.Leaf >= 0 && !c.session.OldVersion() {
		p.Leaf = c.tree.Entries[c.tree.Leaf].ID
	}
	c.header()
	c.entries(audits)
	c.links()
	return c.branch(ctx, c.tree, c.r)
}

// at begins a finding about an entry.
func (c *piCheck) at(e *pisession.Entry, f Finding) Finding {
	f.Line, f.Offset = e.Line, e.Offset
	if !c.session.OldVersion() { // there an entry gets its id when it is read
		f.EntryID = e.ID
	}
	return f
}
