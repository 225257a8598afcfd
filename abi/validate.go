package abi

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// A ManifestError says what is wrong with a manifest.
type ManifestError struct {
	Field  string // a path such as "contributions[2].id"; empty for the whole
	Reason string
}

func (e *ManifestError) Error() string {
	if e.Field == "" {
		return "manifest: " + e.Reason
	}
	return "manifest: " + e.Field + ": " + e.Reason
}

func unknownTransport(n uint64) string {
	return fmt.Sprintf("is %d; this host knows transport %d", n, Transport)
}

// Bounds of a manifest's parts. They keep reports readable and registries small; real manifests are far
// below them.
const (
	maxIDBytes   = 256
	maxTextBytes = 4 << 10
	maxOffers    = 1_000
	maxListed    = 1_000
)

// Validate checks a manifest against the rules of ABI.md. The error is a [*ManifestError].
func (m *Manifest) Validate() error {
	v := &validator{}
	if m.Transport != Transport {
		v.fail("transport", unknownTransport(m.Transport))
	}
	v.id("id", m.ID)
	v.id("version", m.Version)
	v.text("description", m.Description)
	if unknown := m.Requires &^ KnownFeatures; unknown != 0 {
		v.fail("requires", fmt.Sprintf("feature bits 0x%x are not known to this host", unknown))
	}
	if len(m.Contributions)+len(m.Adapters) == 0 {
		v.fail("", "it offers neither contributions nor adapters")
	}
	v.count("contributions", len(m.Contributions), maxOffers)
	v.count("adapters", len(m.Adapters), maxOffers)
	v.count("capabilities", len(m.Capabilities), maxListed)
	v.contributions(m.Contributions)
	v.adapters(m.Adapters)
	v.capabilities(m.Capabilities)
	oneOf(v, "state", m.State, StateNone, StateSession)
	return v.err
}

// validator keeps the first error.
type validator struct{ err error }

func (v *validator) fail(field, reason string) {
	if v.err == nil {
		v.err = &ManifestError{Field: field, Reason: reason}
	}
}

func (v *validator) count(field string, n, limit int) {
	if n > limit {
		v.fail(field, fmt.Sprintf("has %d entries, at most %d are allowed", n, limit))
	}
}

// id checks a name that appears in reports, requests and registries.
func (v *validator) id(field, s string) {
	switch {
	case ecma.IsBlank(s):
		v.fail(field, "is empty")
	case len(s) > maxIDBytes:
		v.fail(field, fmt.Sprintf("has %d bytes, at most %d are allowed", len(s), maxIDBytes))
	case strings.ContainsFunc(s, unicode.IsControl):
		v.fail(field, "contains a control character")
	}
}

// ownID checks an id that nothing else in its list may have; seen has those before it.
func (v *validator) ownID(field, s string, seen map[string]bool) {
	v.id(field, s)
	if seen[s] {
		v.fail(field, fmt.Sprintf("%q is used twice", s))
	}
	seen[s] = true
}

func (v *validator) text(field, s string) {
	if len(s) > maxTextBytes {
		v.fail(field, fmt.Sprintf("has %d bytes, at most %d are allowed", len(s), maxTextBytes))
	}
}

func (v *validator) ids(field string, list []string) {
	v.count(field, len(list), maxListed)
	for i, s := range list {
		v.id(fmt.Sprintf("%s[%d]", field, i), s)
	}
}

func (v *validator) contributions(list []Contribution) {
	seen := map[string]bool{}
	for i, c := range list {
		at := fmt.Sprintf("contributions[%d]", i)
		v.offer(at, c.Interface, DeveloperMessagesV1)
		v.ownID(at+".id", c.ID, seen)
		if math.IsNaN(c.Priority) || math.IsInf(c.Priority, 0) {
			v.fail(at+".priority", "is not a finite number")
		}
		if c.Providers != nil {
			v.ids(at+".providers", *c.Providers)
		}
		v.ids(at+".activeTools", c.ActiveTools)
		v.count(at+".needs", len(c.Needs), maxListed)
		for j, need := range c.Needs {
			field := fmt.Sprintf("%s.needs[%d]", at, j)
			v.id(field, string(need)) // oneOf lets an empty one pass
			oneOf(v, field, need, ContextFields()...)
		}
		oneOf(v, at+".volatility", c.Volatility, VolatilityNever, VolatilitySession, VolatilityTurn)
	}
}

func (v *validator) adapters(list []Adapter) {
	seen := map[string]bool{}
	for i, a := range list {
		at := fmt.Sprintf("adapters[%d]", i)
		v.offer(at, a.Interface, ProviderPayloadAdaptersV1)
		v.ownID(at+".id", a.ID, seen)
		if len(a.Providers) == 0 && len(a.APIs) == 0 {
			v.fail(at, "names neither providers nor apis")
		}
		v.ids(at+".providers", a.Providers)
		v.ids(at+".apis", a.APIs)
		v.ids(at+".models", a.Models)
		v.view(at, &list[i])
		v.count(at+".operations", len(a.Operations), maxListed)
		for j, op := range a.Operations {
			it, _ := LookupInterface(a.Interface)
			if !slices.Contains(it.Operations, Operation{Export: op, Optional: true}) {
				v.fail(fmt.Sprintf("%s.operations[%d]", at, j), fmt.Sprintf("%q is no optional operation of %s", op, a.Interface))
			}
		}
	}
}

// offer checks that an interface is known and of the kind that belongs in this list.
func (v *validator) offer(at, id, kind string) {
	if _, known := LookupInterface(id); !known {
		v.fail(at+".interface", fmt.Sprintf("%q is unknown; this host knows %s", id, knownInterfaces()))
	} else if family(id) != family(kind) {
		v.fail(at+".interface", fmt.Sprintf("%q does not belong here; %q does", id, kind))
	}
}

func family(id string) string {
	name, _, _ := strings.Cut(id, "/")
	return name
}

func knownInterfaces() string {
	var ids []string
	for _, it := range Interfaces() {
		ids = append(ids, it.ID)
	}
	return strings.Join(ids, ", ")
}

func (v *validator) capabilities(list []Capability) {
	for i, c := range list {
		at := fmt.Sprintf("capabilities[%d]", i)
		v.id(at+".name", c.Name)
		v.text(at+".reason", c.Reason)
		if ecma.IsBlank(c.Reason) {
			v.fail(at+".reason", "is empty; say what the guest wants it for")
		}
		v.ids(at+".keys", c.Keys)
	}
}

// oneOf checks an enumeration whose empty value means its default.
func oneOf[T ~string](v *validator, field string, got T, known ...T) {
	if got == "" || slices.Contains(known, got) {
		return
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	v.fail(field, fmt.Sprintf("%q is unknown; %s", string(got), meant(string(got), names)))
}

// meant asks whether a known word was meant by another one, or says what is known.
func meant(word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known: " + strings.Join(known, ", ")
}
