package profile

import (
	"fmt"
	"slices"
	"strings"
)

// A pair is a call and a history of which the one undoes the other.
type pair struct{ call, history string }

// partnersOf are the pairs that a schema goes with: what providers are shown is what they are to send, and
// they are shown their own calls as they sent them. tables/README.md lists them.
var partnersOf = map[string][]pair{
	"":        {{"", ""}, {"", "aliases"}},
	"aliases": {{"", ""}, {"", "aliases"}},
	"read":    {{"", "read"}, {"", "aliases"}, {"selector", "selector"}},
	"write":   {{"", "write"}, {"", "aliases"}},
	"edit":    {{"", "replace"}, {"", "aliases"}, {"edits", "edits"}},
	"replace": {{"", "replace"}, {"", "aliases"}},
	"shell":   {{"", "aliases"}, {"shell", "shell"}},
	"glob":    {{"", "aliases"}, {"glob", "glob"}},
	"grep":    {{"", "aliases"}, {"grep", "grep"}},
	todoShape: {{todoShape, todoShape}},
}

func (p pair) String() string {
	switch {
	case p == pair{}:
		return "no call and no history"
	case p.call == "":
		return fmt.Sprintf("history %q", p.history)
	case p.history == "":
		return fmt.Sprintf("call %q", p.call)
	case p.call == p.history:
		return fmt.Sprintf("call and history %q", p.call)
	}
	return fmt.Sprintf("call %q and history %q", p.call, p.history)
}

// checkPartners finds shapes of which one does not undo what another has done.
func (r *rule) checkPartners(path string) error {
	partners, is := partnersOf[r.Schema], pair{r.Call, r.History}
	if slices.Contains(partners, is) {
		return nil
	}
	schema := "no schema"
	if r.Schema != "" {
		schema = fmt.Sprintf("schema %q", r.Schema)
	}
	words := make([]string, len(partners))
	for i, p := range partners {
		words[i] = p.String()
	}
	return wrong(path, "%s does not go with %s, as arguments would get lost or change; it goes with %s", schema, is,
		strings.Join(words, ", or "))
}
