package pisession

// A Tree is how the entries of a file belong together, as Pi takes them: of several entries with one id the
// last one counts, the last entry of the file is the leaf, and a parent that is not there ends a branch.
type Tree struct {
	Entries []Entry
	// Roots is how many entries have no parent, Leaf the index of the last entry, -1 if there is none.
	Roots, Leaf int
	// Branch are the entries from the root to the leaf. It is not complete if Circular, when Pi never comes
	// to the end of it.
	Branch   []int
	Circular bool
	// Orphans are the entries whose parent is not there, Nameless those that Pi reads and cannot reach,
	// in the order of the file. Repeats are those whose id an entry before them had.
	Orphans, Nameless []int
	Repeats           []Repeat
	// Cycles has, of each cycle, the entry that is first in the file.
	Cycles []Cycle

	byID   map[string]int
	parent []int
}

// A Repeat is an entry with the id of an earlier one.
type Repeat struct{ Entry, First int }

// A Cycle is a number of entries each of which is the parent of another one of them.
type Cycle struct{ First, Length int }

// Marks in the list of parents.
const (
	noParent = -1 - iota
	lostParent
)

// Grow finds out how entries belong together. It costs as many steps as there are entries.
func Grow(entries []Entry) *Tree {
	t := &Tree{Entries: entries, Leaf: -1, byID: make(map[string]int, len(entries)), parent: make([]int, len(entries))}
	first := map[string]int{}
	for i := range entries {
		id := entries[i].ID
		t.Leaf = i
		if id == "" {
			t.Nameless = append(t.Nameless, i)
			continue
		}
		if earlier, ok := t.byID[id]; ok {
			if _, ok := first[id]; !ok {
				first[id] = earlier
			}
			t.Repeats = append(t.Repeats, Repeat{i, first[id]})
		}
		t.byID[id] = i
	}
	for i := range entries {
		t.parent[i] = noParent
		switch p := entries[i].Parent; {
		case entries[i].ID == "":
		case p == "":
			t.Roots++
		default:
			at, ok := t.byID[p]
			if t.parent[i] = at; !ok {
				t.parent[i] = lostParent
				t.Orphans = append(t.Orphans, i)
			}
		}
	}
	t.findCycles()
	t.findBranch()
	return t
}

// Parent returns an entry's parent, if it has one and it is there.
func (t *Tree) Parent(i int) (int, bool) { return t.parent[i], t.parent[i] >= 0 }

// Find returns the entry that an id stands for.
func (t *Tree) Find(id string) (int, bool) {
	i, ok := t.byID[id]
	return i, ok
}

// findCycles walks from each entry towards the root, as far as no walk has been before.
func (t *Tree) findCycles() {
	walk := make([]int32, len(t.Entries)) // the walk that came by, from 1
	for i := range t.Entries {
		at := i
		for at >= 0 && walk[at] == 0 {
			walk[at] = int32(i + 1)
			at = t.parent[at]
		}
		if at < 0 || walk[at] != int32(i+1) {
			continue
		}
		c := Cycle{First: at, Length: 1}
		for next := t.parent[at]; next != at; next = t.parent[next] {
			c.First = min(c.First, next)
			c.Length++
		}
		t.Cycles = append(t.Cycles, c)
	}
}

func (t *Tree) findBranch() {
	seen := make([]bool, len(t.Entries))
	for at := t.Leaf; at >= 0; at = t.parent[at] {
		if seen[at] {
			t.Circular = true
			break
		}
		seen[at] = true
		t.Branch = append(t.Branch, at)
	}
	for i, j := 0, len(t.Branch)-1; i < j; i, j = i+1, j-1 {
		t.Branch[i], t.Branch[j] = t.Branch[j], t.Branch[i]
	}
}

// A Context is what of a branch goes into the next request.
type Context struct {
	// Entries are those that it is made of, in order. The first one is Compaction, if there is one, which
	// is -1 otherwise; a compaction further behind adds nothing.
	Entries    []int
	Compaction int
	// KeptLost says that the entry that the compaction keeps first is not on the branch before it.
	KeptLost bool
	// Edits are, by the ids of their targets, the edits that count.
	Edits map[string]int
}

// Context finds what of the branch the next request is made of.
func (t *Tree) Context() *Context {
	c := &Context{Compaction: -1, Edits: map[string]int{}}
	split := 0
	for at, i := range t.Branch {
		if t.Entries[i].Type == Compaction {
			c.Compaction, split = i, at
		}
	}
	if c.Compaction < 0 {
		c.Entries = t.Branch
	} else {
		e := &t.Entries[c.Compaction]
		c.Entries = append(c.Entries, c.Compaction)
		kept := false
		for _, i := range t.Branch[:split] {
			if kept = kept || t.Entries[i].ID == e.Target; kept && !t.Entries[i].system() {
				c.Entries = append(c.Entries, i)
			}
		}
		c.KeptLost = !kept && (e.Target == "" || e.Target != e.ID)
		c.Entries = append(c.Entries, t.Branch[split+1:]...)
	}
	for _, i := range c.Entries {
		if e := &t.Entries[i]; e.Type == ContextEdit {
			c.Edits[e.Target] = i
		}
	}
	return c
}

func (e *Entry) system() bool { return e.Type == Message && e.Role == "system" }
