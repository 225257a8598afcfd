package main

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// A difference is all that is different between two builds.
type difference struct {
	Old       buildFacts `json:"old"`
	New       buildFacts `json:"new"`
	Identical bool       `json:"identical"` // the files are, byte for byte
	Changes   []change   `json:"changes"`
	Widens    int        `json:"widens"` // changes that do
	Breaks    int        `json:"breaks"`

	wider map[changeKey][]string // what widens, by the change that it is part of
}

type buildFacts struct {
	File    string `json:"file"`
	ID      string `json:"id"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	Size    int    `json:"size"`
}

// A change is one thing that is different.
type change struct {
	changeKey
	// Old and New are the values as in the manifest; null: there was, or is, none.
	Old any `json:"old"`
	New any `json:"new"`
	// Widens says how it asks for more, Breaks what is gone.
	Widens []string `json:"widens"`
	Breaks []string `json:"breaks"`
}

// A changeKey says where a change is.
type changeKey struct {
	Part      string `json:"part"`                // guest, contribution, adapter, capability, limit, …
	ID        string `json:"id,omitempty"`        // of the part
	Interface string `json:"interface,omitempty"` // of an adapter
	Field     string `json:"field,omitempty"`     // empty: the whole part
}

// Parts of a change that package runtime has no name for.
const (
	partGuest    = "guest"
	partContract = "contract"
	partImport   = "import"
	partExport   = "export"
	partMemory   = "memory"
	partSection  = "section"
)

// compare lists what is different between two builds of a guest.
func compare(old, new *runtime.Artifact) *difference {
	d := &difference{Old: factsOf(old), New: factsOf(new), Identical: old.SHA256 == new.SHA256,
		Changes: []change{}, wider: map[changeKey][]string{}}
	if d.Identical {
		return d
	}
	for _, w := range runtime.Widenings(old.Manifest, new.Manifest, runtime.Limits{}) {
		key := changeKey{string(w.Part), w.ID, w.Interface, w.Field}
		d.wider[key] = append(d.wider[key], w.Text)
	}
	d.guest(old, new)
	d.contributions(old.Manifest.Contributions, new.Manifest.Contributions)
	d.adapters(old.Manifest.Adapters, new.Manifest.Adapters)
	d.asks(old.Manifest, new.Manifest)
	d.module(old.Module(), new.Module())
	for _, key := range slices.SortedFunc(maps.Keys(d.wider), byKey) {
		d.add(key, nil, nil) // nothing that widens is left out, whatever it belongs to
	}
	for _, c := range d.Changes {
		d.Widens += min(1, len(c.Widens))
		d.Breaks += min(1, len(c.Breaks))
	}
	return d
}

func byKey(a, b changeKey) int {
	return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Interface, b.Interface), cmp.Compare(a.Field, b.Field))
}

func factsOf(a *runtime.Artifact) buildFacts {
	return buildFacts{ID: a.Manifest.ID, Version: a.Manifest.Version, SHA256: a.Digest(), Size: a.Size}
}

// add notes a change, unless there is none. Zero values and empty lists stand for nothing there.
func (d *difference) add(key changeKey, old, new any, breaks ...string) {
	old, new = present(old), present(new)
	widens := d.wider[key]
	if reflect.DeepEqual(old, new) && len(widens)+len(breaks) == 0 {
		return
	}
	delete(d.wider, key)
	d.Changes = append(d.Changes, change{key, old, new, append([]string{}, widens...), append([]string{}, breaks...)})
}

// present returns nil for values that mean that there is nothing.
func present(v any) any {
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.IsZero() || r.Kind() == reflect.Slice && r.Len() == 0 {
		return nil
	}
	return v
}

func (d *difference) guest(old, new *runtime.Artifact) {
	from, to := old.Manifest, new.Manifest
	field := func(name string) changeKey { return changeKey{Part: partGuest, Field: name} }
	var moved []string
	if from.ID != to.ID {
		moved = append(moved, "hosts know it under another id: grants, kv and configuration stay with the old one")
	}
	d.add(field("id"), from.ID, to.ID, moved...)
	d.add(field("version"), from.Version, to.Version)
	d.add(field("description"), from.Description, to.Description)
	d.add(field("transport"), old.Transport(), new.Transport())
	var newer []string
	if more := to.Requires &^ from.Requires; more != 0 {
		newer = append(newer, fmt.Sprintf("it requires features %#x of the host", more))
	}
	d.add(field("requires"), from.Requires, to.Requires, newer...)
	d.add(field("uses"), from.Uses, to.Uses)
	d.add(changeKey{Part: string(runtime.PartState)}, cmp.Or(from.State, abi.StateNone), cmp.Or(to.State, abi.StateNone))
	d.problems(old.Problems, new.Problems)
}

// problems compares where the builds do not keep the contract.
func (d *difference) problems(old, new []runtime.Problem) {
	texts := func(problems []runtime.Problem) map[string]any {
		m := map[string]any{}
		for _, p := range problems {
			m[p.Subject] = p.String()
		}
		return m
	}
	before, after := texts(old), texts(new)
	for _, subject := range keysOf(before, after) {
		var breaks []string
		if after[subject] != nil && before[subject] == nil {
			breaks = append(breaks, "no host loads it")
		}
		d.add(changeKey{Part: partContract, ID: subject}, before[subject], after[subject], breaks...)
	}
}

// asks compares capabilities, configuration keys and limits.
func (d *difference) asks(from, to *abi.Manifest) {
	reasons := func(m *abi.Manifest) map[string]any {
		asked := map[string]any{}
		for _, c := range m.Capabilities {
			if asked[c.Name] == nil {
				asked[c.Name] = c.Reason
			}
		}
		return asked
	}
	d.each(string(runtime.PartCapability), reasons(from), reasons(to))
	keys := func(m *abi.Manifest) map[string]any {
		declared := map[string]any{}
		for _, key := range m.ConfigKeys() {
			declared[key] = true
		}
		return declared
	}
	d.each(string(runtime.PartConfigKey), keys(from), keys(to))
	for _, l := range []struct {
		id       string
		old, new uint64
	}{
		{"memory", from.Limits.MemoryBytes, to.Limits.MemoryBytes},
		{"fuel", from.Limits.Fuel, to.Limits.Fuel},
		{"time", from.Limits.Milliseconds, to.Limits.Milliseconds},
		{"answer", from.Limits.AnswerBytes, to.Limits.AnswerBytes},
		{"log", from.Limits.LogBytes, to.Limits.LogBytes},
	} {
		d.add(changeKey{Part: string(runtime.PartLimit), ID: l.id}, l.old, l.new)
	}
}

// module compares the modules themselves.
func (d *difference) module(old, new *wasmbin.Module) {
	imports := func(m *wasmbin.Module) map[string]any {
		list := map[string]any{}
		for _, im := range m.Imports {
			list[im.Module+"."+im.Name] = typeText(im.Kind, im.Type)
		}
		return list
	}
	exports := func(m *wasmbin.Module) map[string]any {
		list := map[string]any{}
		for _, ex := range m.Exports {
			list[ex.Name] = typeText(ex.Kind, ex.Type)
		}
		return list
	}
	sections := func(m *wasmbin.Module) map[string]any {
		sizes := map[string]any{}
		for _, s := range m.Sections {
			n, _ := sizes[s.Title()].(int)
			sizes[s.Title()] = n + s.End - s.Start
		}
		return sizes
	}
	start := func(m *wasmbin.Module) (bytes uint64) {
		for _, memory := range m.Memories {
			bytes += uint64(memory.Min) << 16
		}
		return bytes
	}
	d.each(partImport, imports(old), imports(new))
	d.each(partExport, exports(old), exports(new))
	d.add(changeKey{Part: partMemory, Field: "start"}, start(old), start(new))
	d.each(partSection, sections(old), sections(new))
}

func typeText(kind wasmbin.Kind, t wasmbin.FuncType) string {
	if s := asSymbol("", kind, t); s.Signature != "" {
		return s.Signature
	}
	return kind.String()
}

// each compares values by their ids.
func (d *difference) each(part string, old, new map[string]any) {
	for _, id := range keysOf(old, new) {
		d.add(changeKey{Part: part, ID: id}, old[id], new[id])
	}
}

// keysOf returns the keys of two maps, sorted, each once.
func keysOf(a, b map[string]any) []string {
	var keys []string
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
