package runtime

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/listing"
)

// asks returns what an artifact asks for that only a grant gives, except for what is given already.
func (a *Artifact) asks(given capabilities) []abi.Capability {
	var asks []abi.Capability
	for _, c := range a.Manifest.Capabilities {
		if slices.Contains(Grantable(), c.Name) && !given.has(c.Name) {
			asks = append(asks, c)
		}
	}
	return asks
}

// A Widening is one thing that a manifest asks for beyond an earlier one.
type Widening struct {
	Part Part
	// ID is the name of the capability, the configuration key or the limit, the id of the contribution or the
	// adapter. It is the guest's and not escaped.
	ID        string
	Interface string // of an adapter
	// Field is the key of the manifest that widened in a contribution or an adapter; empty if all of it is new.
	Field string
	Text  string // all of it for people; names are quoted
}

// A Part is a kind of things in a manifest that can widen.
type Part string

// The parts of a manifest.
const (
	PartCapability   Part = "capability"
	PartConfigKey    Part = "configuration key"
	PartContribution Part = "contribution"
	PartAdapter      Part = "adapter"
	PartLimit        Part = "limit" // its ID is memory, fuel, time, answer or log
	PartState        Part = "state"
)

// Widened lists what a manifest asks for beyond an earlier one, for people, as a [GrantRequest] does.
// The limits are the host's own: what it does not give anyway does not count.
func Widened(from, to *abi.Manifest, limits Limits) []string {
	return widened(from, to, limits.withDefaults(), capabilities{})
}

// Widenings is [Widened] for programs.
func Widenings(from, to *abi.Manifest, limits Limits) []Widening {
	return widenings(from, to, limits.withDefaults(), capabilities{})
}

// widened is widenings for people.
func widened(from, to *abi.Manifest, caps Limits, given capabilities) []string {
	var texts []string
	for _, w := range widenings(from, to, caps, given) {
		texts = append(texts, w.Text)
	}
	return texts
}

// widenings lists what a manifest wants beyond another one: what it could see, reach or use that the other
// one could not. Texts of the guest are quoted. Limits count as they would be granted under the host's;
// capabilities that are given in any case do not count.
func widenings(from, to *abi.Manifest, caps Limits, given capabilities) []Widening {
	w := &widening{}
	w.capabilities(from, to, given)
	w.contributions(from.Contributions, to.Contributions)
	w.adapters(from.Adapters, to.Adapters)
	w.limits(caps.grant(from.Limits), caps.grant(to.Limits))
	if from.State != abi.StateSession && to.State == abi.StateSession {
		w.add(Widening{Part: PartState}, "state session: its memory lives as long as the session")
	}
	return w.list
}

type widening struct{ list []Widening }

func (w *widening) add(one Widening, format string, args ...any) {
	one.Text = fmt.Sprintf(format, args...)
	w.list = append(w.list, one)
}

func (w *widening) capabilities(from, to *abi.Manifest, given capabilities) {
	seen := map[string]bool{}
	for _, c := range to.Capabilities {
		free := grantless(c.Name) || given.has(c.Name)
		if !free && !seen[c.Name] && !from.Asks(c.Name) {
			w.add(Widening{Part: PartCapability, ID: c.Name}, "capability %q", c.Name)
		}
		seen[c.Name] = true
	}
	for _, key := range listing.Missing(from.ConfigKeys(), to.ConfigKeys()) {
		w.add(Widening{Part: PartConfigKey, ID: key}, "configuration key %q", key)
	}
}

// contributions compares what each contribution sees and when: text it may always give.
func (w *widening) contributions(from, to []abi.Contribution) {
	old := map[string]*abi.Contribution{}
	for i := range from {
		old[from[i].ID] = &from[i]
	}
	for i := range to {
		c, before := &to[i], old[to[i].ID]
		if before == nil {
			before = &abi.Contribution{}
		}
		in := func(field string) Widening { return Widening{Part: PartContribution, ID: c.ID, Field: field} }
		for _, need := range c.Needs {
			if !slices.Contains(before.Needs, need) {
				w.add(in("needs"), "contribution %q sees %s", c.ID, need)
			}
		}
		if len(before.Needs) == 0 {
			continue // it saw nothing, so that it sees something is said already
		}
		if before.Providers != nil {
			switch {
			case c.Providers == nil:
				w.add(in("providers"), "contribution %q is for every provider", c.ID)
			default:
				w.more(in("providers"), fmt.Sprintf("contribution %q is for provider", c.ID), *before.Providers, *c.Providers)
			}
		}
		if tools := listing.Missing(c.ActiveTools, before.ActiveTools); len(tools) > 0 {
			w.add(in("activeTools"), "contribution %q renders without tool %s", c.ID, listing.Quoted(tools))
		}
	}
}

// adapters compares the requests that each adapter gets and what it does with them.
func (w *widening) adapters(from, to []abi.Adapter) {
	type key struct{ id, version string }
	old := map[key]*abi.Adapter{}
	for i := range from {
		old[key{from[i].ID, from[i].Interface}] = &from[i]
	}
	for i := range to {
		a := &to[i]
		in := func(field string) Widening {
			return Widening{Part: PartAdapter, ID: a.ID, Interface: a.Interface, Field: field}
		}
		name := fmt.Sprintf("adapter %q", a.ID)
		before, known := old[key{a.ID, a.Interface}]
		if !known {
			w.add(in(""), "%s of %s", name, a.Interface)
			continue
		}
		switch {
		case len(before.Providers) > 0 && len(a.Providers) == 0:
			w.add(in("providers"), "%s is the default for its apis", name)
		default:
			w.more(in("providers"), name+" is for provider", before.Providers, a.Providers)
		}
		w.filter(in("apis"), name, "api", before.APIs, a.APIs)
		w.filter(in("models"), name, "model", before.Models, a.Models)
		w.more(in("operations"), name+" has operation", before.Operations, a.Operations)
		w.view(in, name, before, a)
	}
}

// filter compares lists that let everything pass when they are empty.
func (w *widening) filter(one Widening, name, what string, from, to []string) {
	switch {
	case len(from) == 0:
	case len(to) == 0:
		w.add(one, "%s is for every %s", name, what)
	default:
		w.more(one, name+" is for "+what, from, to)
	}
}

// more compares lists that let pass what they name.
func (w *widening) more(one Widening, what string, from, to []string) {
	if added := listing.Missing(from, to); len(added) > 0 {
		w.add(one, "%s %s", what, listing.Quoted(added))
	}
}

func (w *widening) limits(from, to Limits) {
	for _, l := range []struct {
		what     string
		from, to uint64
		unit     string
	}{
		{"memory", from.MemoryBytes, to.MemoryBytes, "bytes"},
		{"fuel", from.Fuel, to.Fuel, "units"},
		{"time", uint64(from.Time.Milliseconds()), uint64(to.Time.Milliseconds()), "ms"},
		{"answer", uint64(from.AnswerBytes), uint64(to.AnswerBytes), "bytes"},
		{"log", uint64(from.LogBytes), uint64(to.LogBytes), "bytes"},
	} {
		if l.to > l.from {
			w.add(Widening{Part: PartLimit, ID: l.what}, "limit %s of %d %s instead of %d", l.what, l.to, l.unit, l.from)
		}
	}
}
