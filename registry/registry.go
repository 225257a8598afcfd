package registry

import (
	"errors"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

// The texts of these errors are part of the protocol.
//
//lint:file-ignore ST1005 the protocol capitalises them
var (
	ErrIDRequired       = errors.New("A developer message contribution needs an id")
	ErrProviderRequired = errors.New("A system prompt payload adapter needs a provider")
)

var errAPIRequired = errors.New("a default payload adapter needs an api")

// Registry holds contributions and adapters. The zero value is empty and ready. It is safe for
// concurrent use: a render works on the snapshot that it took, so entries may come and go while turns
// run.
type Registry struct {
	// Lookup selects the protocol line. Set it before the first registration.
	Lookup Lookup

	mu            sync.RWMutex
	contributions []*Contribution // insertion order; never changed in place
	adapters      []*Adapter      // insertion order; never changed in place
	defaults      map[string]*Adapter
	replaced      map[string]replacement // by id
	snapshot      *Snapshot              // of now; nil after a change, until somebody asks for it
}

type replacement struct{ old, by *Contribution }

// Registration is the handle of one registered entry.
type Registration struct {
	registry     *Registry
	contribution *Contribution
	adapter      *Adapter
	api          string // of a default adapter
}

// Register adds a contribution, or replaces the one with the same id as a whole; the replacement takes
// over the place in insertion order. A blank id is ErrIDRequired. The id is not trimmed.
func (r *Registry) Register(c Contribution) (*Registration, error) {
	regs, err := r.Replace(nil, Entries{Contributions: []Contribution{c}})
	if err != nil {
		return nil, err
	}
	return regs[0], nil
}

// RegisterAdapter adds an adapter. With Lookup ByProvider it replaces the provider's earlier one, see
// there. A blank provider is ErrProviderRequired.
func (r *Registry) RegisterAdapter(a Adapter) (*Registration, error) {
	regs, err := r.Replace(nil, Entries{Adapters: []Adapter{a}})
	if err != nil {
		return nil, err
	}
	return regs[0], nil
}

// Entries are what one source registers at a time.
type Entries struct {
	Contributions []Contribution
	// Adapters stand for their Provider.
	Adapters []Adapter
	// Defaults stand for each of their APIs, where no adapter stands for the provider. Their Provider
	// is not looked at.
	Defaults []Adapter
}

func (e *Entries) validate() error {
	for i := range e.Contributions {
		if ecma.IsBlank(e.Contributions[i].ID) {
			return ErrIDRequired
		}
	}
	for i := range e.Adapters {
		if ecma.IsBlank(e.Adapters[i].Provider) {
			return ErrProviderRequired
		}
	}
	for i := range e.Defaults {
		if len(e.Defaults[i].APIs) == 0 || slices.Contains(e.Defaults[i].APIs, "") {
			return errAPIRequired
		}
	}
	return nil
}

// Replace exchanges registrations for new ones in one step: no snapshot sees only a part of it, and
// after an error nothing has changed. New entries follow the rules of Register, RegisterAdapter and
// RegisterDefaultAdapter, also against entries that are not in old; a new contribution whose id is in
// use keeps that entry's place. The answer has one handle per new entry: contributions, then adapters,
// then defaults, one for each api.
func (r *Registry) Replace(old []*Registration, entries Entries) ([]*Registration, error) {
	if err := entries.validate(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot = nil
	var regs []*Registration
	table := slices.Clone(r.contributions)
	for _, c := range entries.Contributions {
		c.Providers = slices.Clone(c.Providers)
		c.ActiveTools = slices.Clone(c.ActiveTools)
		if at := slices.IndexFunc(table, func(e *Contribution) bool { return e.ID == c.ID }); at >= 0 {
			r.noteReplaced(table[at], &c, old)
			table[at] = &c
		} else {
			table = append(table, &c)
		}
		regs = append(regs, &Registration{registry: r, contribution: &c})
	}
	r.contributions = table
	for _, a := range entries.Adapters {
		a.APIs = slices.Clone(a.APIs)
		if r.Lookup == ByProvider {
			r.adapters = without(r.adapters, func(e *Adapter) bool { return rivals(e, &a) })
		}
		r.adapters = append(slices.Clip(r.adapters), &a)
		regs = append(regs, &Registration{registry: r, adapter: &a})
	}
	for _, a := range entries.Defaults {
		for _, api := range a.APIs {
			if r.defaults == nil {
				r.defaults = map[string]*Adapter{}
			}
			r.defaults[api] = &a
			regs = append(regs, &Registration{registry: r, adapter: &a, api: api})
		}
	}
	for _, reg := range old {
		r.remove(reg)
	}
	return regs, nil
}

// Unregister removes the entry if it is still the registered one. A handle whose entry was replaced
// removes nothing and brings nothing back; calling it again, or on nil, is harmless.
func (reg *Registration) Unregister() {
	if reg == nil || reg.registry == nil {
		return
	}
	reg.registry.mu.Lock()
	defer reg.registry.mu.Unlock()
	reg.registry.snapshot = nil
	reg.registry.remove(reg)
}

func (r *Registry) remove(reg *Registration) {
	switch {
	case reg == nil || reg.registry != r:
	case reg.contribution != nil:
		c := reg.contribution
		r.contributions = without(r.contributions, func(e *Contribution) bool { return e == c })
		if note, ok := r.replaced[c.ID]; ok && (note.old == c || note.by == c) {
			delete(r.replaced, c.ID)
		}
	case reg.api != "":
		if r.defaults[reg.api] == reg.adapter {
			delete(r.defaults, reg.api)
		}
	default:
		r.adapters = without(r.adapters, func(e *Adapter) bool { return e == reg.adapter })
	}
}

// noteReplaced remembers who took an id over, for explanations. One note per id in use bounds the
// memory. A guest that is reloaded, or registers again, replaces itself, which needs no explanation.
func (r *Registry) noteReplaced(old, by *Contribution, own []*Registration) {
	same := old.Source != "" && old.Source == by.Source
	for _, reg := range own {
		same = same || reg != nil && reg.contribution == old
	}
	if same {
		if note, ok := r.replaced[old.ID]; ok && note.by == old {
			r.replaced[old.ID] = replacement{note.old, by}
		}
		return
	}
	if r.replaced == nil {
		r.replaced = map[string]replacement{}
	}
	r.replaced[old.ID] = replacement{old, by}
}

// Snapshot is the state of a registry's contributions at one moment.
type Snapshot struct {
	// Contributions are in insertion order. They belong to the registry and must not be changed; one
	// pointer stands for one registration.
	Contributions []*Contribution
	// Replaced lists contributions that lost their id to a later registration, in the order of the ids'
	// entries, at most one for an id.
	Replaced []Replaced

	ordered []*Contribution // as they are evaluated; nil if that has to be found out in each turn
}

// Replaced says that the contribution of Source ("" for a native one) lost its id to one of By.
type Replaced struct{ ID, Source, By string }

// Snapshot returns the contributions as they are now. Later registrations do not change it.
func (r *Registry) Snapshot() Snapshot {
	r.mu.RLock()
	snap := r.snapshot
	r.mu.RUnlock()
	if snap != nil {
		return *snap
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.snapshot == nil {
		r.snapshot = r.take()
	}
	return *r.snapshot
}

func (r *Registry) take() *Snapshot {
	snap := &Snapshot{Contributions: r.contributions, ordered: inOrder(r.contributions)}
	if len(r.replaced) > 0 {
		for _, c := range r.contributions {
			if note, ok := r.replaced[c.ID]; ok && note.by == c {
				snap.Replaced = append(snap.Replaced, Replaced{c.ID, note.old.Source, c.Source})
			}
		}
	}
	return snap
}

// without returns a new slice, because snapshots share the old one.
func without[E any](list []E, drop func(E) bool) []E {
	if !slices.ContainsFunc(list, drop) {
		return list
	}
	kept := make([]E, 0, len(list)-1)
	for _, e := range list {
		if !drop(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
