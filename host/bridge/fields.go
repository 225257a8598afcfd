package bridge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// entryKeys are the keys of the fields of an entry.
var entryKeys = []string{
	"package", "packageSpecifier", "providerName", "api", "baseUrl", "directory", "apiKey", "createOptions",
	"models", "disableOAuth", "preferAuthMethod", "factoryExport", "pluginExport", "splitDimensions",
}

// fields reads the fields of an entry and finds what is wrong with them.
type fields struct {
	file  *file
	node  jsonspan.Node
	found []finding
}

// A finding is a fault of an entry, or what else should be said about it.
type finding struct {
	from int
	text string
	note bool
}

// member returns a field of a kind, an absent node if there is none.
func (f *fields) member(key string, kind jsonspan.Kind, want string) jsonspan.Node {
	n := jsonvalue.Member(f.node, key)
	if n.Kind() == kind || n.Kind() <= jsonspan.Null {
		return n
	}
	f.fail(n, key+" must be "+want)
	return jsonspan.Node{}
}

func (f *fields) text(key string) string {
	return jsonvalue.String(f.member(key, jsonspan.String, "a string"))
}

func (f *fields) fail(n jsonspan.Node, text string) {
	f.found = append(f.found, finding{from: n.Span().From, text: text})
}

// slips finds keys that are not known but nearly. They are kept, as all others that are not known are.
func (f *fields) slips() {
	seen := map[string]bool{}
	for n := f.node.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		key := n.Key()
		if seen[key] || slices.Contains(entryKeys, key) {
			continue
		}
		seen[key] = true
		if near := spelling.Nearest(key, entryKeys); near != "" {
			text := fmt.Sprintf("unknown key %q: did you mean %q?", key, near)
			f.found = append(f.found, finding{from: n.KeySpan().From, text: text, note: true})
		}
	}
}

// slipOf asks, behind the fault that none of some keys is there, about the first that nearly is one of them.
func slipOf(object jsonspan.Node, missing ...string) string {
	for n := object.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		key := n.Key()
		if near := spelling.Nearest(key, missing); near != "" && !slices.Contains(missing, key) {
			return fmt.Sprintf("; the key %q is unknown: did you mean %q?", key, near)
		}
	}
	return ""
}

// tell puts what was found into the entry, in order of the places, since the file is read no further for
// one that is behind another.
func (f *fields) tell(e *Entry) {
	slices.SortStableFunc(f.found, func(a, b finding) int { return cmp.Compare(a.from, b.from) })
	for _, found := range f.found {
		fault := f.file.fault(found.from, found.text)
		if found.note {
			e.notes = append(e.notes, fault.where()+found.text)
			continue
		}
		fault.Package = e.Package
		e.faults = append(e.faults, fault)
	}
}
