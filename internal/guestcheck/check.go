// Package guestcheck looks over a built guest for its author: what a host would refuse, what is asked for and
// not used, and what makes calls dear. Static looks at the file, Started at the guest in the sandbox, and
// Answered at what it did when cases were put to it.
package guestcheck

import (
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Level says how much a finding matters.
type Level string

// The levels. A host refuses, or cannot use, a guest with errors; warnings are what an author hardly meant.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Warning Level = "warning"
	Error   Level = "error"
)

// A Group is what a finding is about.
type Group string

// The groups, in the order of a report.
const (
	Contract     Group = "contract"
	Manifest     Group = "manifest"
	Build        Group = "build"
	Size         Group = "size"
	Capabilities Group = "capabilities"
	Needs        Group = "needs"
	Limits       Group = "limits"
	Cases        Group = "cases"
)

// Groups returns all groups in the order of a report.
func Groups() []Group {
	return []Group{Contract, Manifest, Build, Size, Capabilities, Needs, Limits, Cases}
}

// A Finding is one line of a report. Its texts have names from the guest in them, which are not escaped.
type Finding struct {
	Group Group  `json:"group"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

// A Report collects findings. The zero Report is empty.
type Report struct{ Findings []Finding }

// Add adds a finding.
func (r *Report) Add(g Group, l Level, hint, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{g, l, fmt.Sprintf(format, args...), hint})
}

// Count returns how many findings have a level.
func (r *Report) Count(l Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// A Guest is what is checked.
type Guest struct {
	Artifact *runtime.Artifact
	// Bundle is the program of a guest in JavaScript, nil for others.
	Bundle *abi.Bundle

	author string // the part of Bundle that is the author's; all of it if that is not known
	known  bool   // whether it is known
	code   []byte // of other guests, see codeOf
}

// Of reads what there is to know of a guest beside its artifact.
func Of(a *runtime.Artifact, file []byte) *Guest {
	g := &Guest{Artifact: a}
	if sections, _ := a.Module().CustomSection(abi.BundleSection); len(sections) == 1 {
		g.Bundle, _ = abi.DecodeBundle(sections[0]) // if it is none the contract's problems say so
	}
	if g.Bundle == nil {
		g.code = codeOf(a, file)
		return g
	}
	if g.author, g.known = jsbundle.Author(g.Bundle.Code); !g.known {
		g.author = g.Bundle.Code
	}
	return g
}

// Static reports what the file alone tells. Nothing of it is run.
func (g *Guest) Static(r *Report) {
	g.contract(r)
	g.offers(r)
	g.names(r)
	g.capabilities(r)
	g.needs(r)
	g.limits(r)
}

func (g *Guest) contract(r *Report) {
	a := g.Artifact
	for _, p := range a.Problems {
		r.Add(Contract, Error, "", "%s", p)
	}
	fresh, err := a.Fresh()
	if refused := (*runtime.Error)(nil); errors.As(err, &refused) {
		r.Add(Contract, Error, "", "code: %s", refused.Reason)
	}
	switch {
	case len(a.Problems) > 0 || err != nil:
	case g.Bundle != nil:
		r.Add(Contract, OK, "", "it runs on an engine that this host knows, by transport %s", a.Transport())
	default:
		r.Add(Contract, OK, "", "%d imports and %d exports keep transport %s", len(a.Module().Imports), len(a.Module().Exports), a.Transport())
	}
	for _, reason := range fresh {
		r.Add(Size, Warning, "", "each call needs an instance that is started anew: %s", reason)
	}
}

// offers reports offers that no turn asks.
func (g *Guest) offers(r *Report) {
	m := g.Artifact.Manifest
	for _, c := range m.Contributions {
		if c.Providers != nil && len(*c.Providers) == 0 {
			r.Add(Manifest, Warning, "leave providers out to be asked for all of them",
				"%s is never asked: its list of providers is empty", c.ID)
		}
	}
	if m.Description == "" {
		r.Add(Manifest, Note, "", "there is no description for people")
	}
}

func (g *Guest) names(r *Report) {
	if g.Bundle != nil {
		if g.Bundle.Map == "" {
			r.Add(Build, Warning, "", "there is no source map: errors name places in the bundle")
		} else {
			r.Add(Build, OK, "", "a source map leads errors to the sources")
		}
		return
	}
	if sections, _ := g.Artifact.Module().CustomSection("name"); len(sections) == 0 {
		r.Add(Build, Warning, "keep the section name when the module is stripped: `pintle build` does",
			"functions have no names: a trace will show numbers")
		return
	}
	r.Add(Build, OK, "", "functions have names for traces")
}
