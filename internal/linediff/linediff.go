// Package linediff compares texts line by line. It takes lines that each text has once as what both have in
// common, in the longest sequence, and extends from there. So it does not find the smallest difference, but one that
// people understand, in time that grows with the lines and not with their square.
package linediff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Hunk is a difference with what is around it.
type Hunk struct {
	Old, New           int      // line with which it begins, from 0
	OldLines, NewLines int      // how many lines it has
	Lines              []string // each behind a space, - or +
}

// around is how many lines that are the same stand before and behind a difference.
const around = 3

// Split returns the lines of a text: "" has none, and "a\n" has two.
func Split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Hunks returns how the new lines differ from the old ones, nil if they do not.
func Hunks(old, new []string) []Hunk {
	var all []Hunk
	var h *Hunk
	i, j := 0, 0 // what was dealt with
	for _, r := range append(runs(old, new), run{old: len(old), new: len(new)}) {
		if (r.old > i || r.new > j) && h == nil {
			before := min(around, i)
			all = append(all, Hunk{Old: i - before, New: j - before})
			h = &all[len(all)-1]
			h.add(" ", old[i-before:i])
		}
		if h != nil {
			h.add("-", old[i:r.old])
			h.add("+", new[j:r.new])
		}
		i, j = r.old+r.n, r.new+r.n
		if h == nil {
			continue
		}
		if r.n > 2*around || i == len(old) && j == len(new) {
			h.add(" ", old[r.old:r.old+min(around, r.n)])
			h = nil
		} else {
			h.add(" ", old[r.old:i])
		}
	}
	return all
}

func (h *Hunk) add(sign string, lines []string) {
	for _, line := range lines {
		h.Lines = append(h.Lines, sign+line)
	}
	if sign != "+" {
		h.OldLines += len(lines)
	}
	if sign != "-" {
		h.NewLines += len(lines)
	}
}

// Head is the line in front of a hunk in a unified diff.
func (h *Hunk) Head() string {
	from := func(line, lines int) string {
		if lines == 0 { // it stands behind the line
			return fmt.Sprintf("%d,0", line)
		}
		return fmt.Sprintf("%d,%d", line+1, lines)
	}
	return "@@ -" + from(h.Old, h.OldLines) + " +" + from(h.New, h.NewLines) + " @@"
}

// A run is n lines that are the same.
type run struct{ old, new, n int }

// runs are what both have in common, in order.
func runs(old, new []string) []run {
	anchors := slices.Concat([]run{{}}, anchors(old, new), []run{{old: len(old), new: len(new)}})
	var all []run
	i, j := 0, 0
	for _, a := range anchors {
		if a.old < i {
			continue // in the run before
		}
		for a.old > i && a.new > j && old[a.old-1] == new[a.new-1] {
			a.old, a.new, a.n = a.old-1, a.new-1, a.n+1
		}
		for a.old+a.n < len(old) && a.new+a.n < len(new) && old[a.old+a.n] == new[a.new+a.n] {
			a.n++
		}
		if a.n > 0 {
			all = append(all, a)
			i, j = a.old+a.n, a.new+a.n
		}
	}
	return all
}

// anchors are lines that are there once in both, as many as are in the same order.
func anchors(old, new []string) []run {
	type place struct{ count, at int }
	places := make(map[string]place, len(new))
	for i, line := range new {
		places[line] = place{places[line].count + 1, i}
	}
	counts := make(map[string]int, len(old))
	for _, line := range old {
		counts[line]++
	}
	var unique []run // in the order of old
	for i, line := range old {
		if p := places[line]; counts[line] == 1 && p.count == 1 {
			unique = append(unique, run{old: i, new: p.at})
		}
	}
	// ends[k] is the one with the smallest place in new among those that end a sequence of k+1.
	var ends []int
	before := make([]int, len(unique))
	for u, a := range unique {
		k, _ := slices.BinarySearchFunc(ends, a.new, func(e, at int) int { return cmp.Compare(unique[e].new, at) })
		if before[u] = -1; k > 0 {
			before[u] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, u)
		} else {
			ends[k] = u
		}
	}
	if len(ends) == 0 {
		return nil
	}
	longest := make([]run, 0, len(ends))
	for u := ends[len(ends)-1]; u >= 0; u = before[u] {
		longest = append(longest, unique[u])
	}
	slices.Reverse(longest)
	return longest
}
