package languages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Observation is something that can be seen of a guest from outside.
type Observation struct{ What, Seen string }

// Differences tells where two guests differ in what was seen of them, in the order of the first one's
// observations; nil if nowhere.
func Differences(before, after []Observation) []string {
	var found []string
	for _, b := range before {
		i := slices.IndexFunc(after, func(a Observation) bool { return a.What == b.What })
		switch {
		case i < 0:
			found = append(found, fmt.Sprintf("%s: it was %s, and is no more", b.What, short(b.Seen)))
		case after[i].Seen != b.Seen:
			found = append(found, fmt.Sprintf("%s: it was %s, and is %s", b.What, short(b.Seen), short(after[i].Seen)))
		}
	}
	for _, a := range after {
		if !slices.ContainsFunc(before, func(b Observation) bool { return a.What == b.What }) {
			found = append(found, fmt.Sprintf("%s: it is new: %s", a.What, short(a.Seen)))
		}
	}
	return found
}

// short keeps a report readable.
func short(s string) string {
	const most = 600
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return cmp.Or(s, "empty")
}
