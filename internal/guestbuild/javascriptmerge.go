package guestbuild

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// registrations are what the code of a JavaScript guest offers. The keys are those of the manifest.
type registrations struct {
	Contributions []registered  `json:"contributions"`
	Adapters      []abi.Adapter `json:"adapters"`
	Replaced      []string      `json:"replaced"` // ids that were registered again
	Keys          [][]string    `json:"keys"`     // of the author's objects, contributions first
}

type registered struct {
	ID          string    `json:"id"`
	Priority    *float64  `json:"priority"`
	Providers   *[]string `json:"providers"`
	ActiveTools []string  `json:"activeTools"`
	// ReadsContext: its function has a parameter.
	ReadsContext bool `json:"readsContext"`
}

// asks is what the SDK in the bundle has to know of pintle.toml.
func (f *file) asks() jsbundle.Asks {
	a := jsbundle.Asks{Needs: map[string][]string{}}
	for _, c := range f.Contributions {
		a.Needs[c.ID] = append([]string{}, c.Needs...)
	}
	for _, c := range f.Capabilities {
		switch c.Name {
		case abi.CapabilityConfig:
			a.Config = append(a.Config, c.Keys...)
		case abi.CapabilityKV:
			a.KV = true
		}
	}
	return a
}

// merged is the manifest of a guest whose code registers what it offers: pintle.toml adds what code cannot say,
// and may repeat what it says.
func (f *file) merged(code *registrations) (*abi.Manifest, error) {
	m, err := f.mergedUnchecked(code)
	if err == nil {
		err = f.ofCode(m, m.Validate())
	}
	if err != nil {
		return nil, f.located(err)
	}
	return m, nil
}

func (f *file) mergedUnchecked(code *registrations) (*abi.Manifest, error) {
	m, err := f.manifest()
	if err != nil {
		return nil, err
	}
	contributions, adapters := make([]abi.Contribution, len(code.Contributions)), slices.Clone(code.Adapters)
	for i, c := range code.Contributions {
		contributions[i] = c.offer()
	}
	byID, adapterByID := code.ids()
	for i := range m.Contributions {
		to, err := byID.take(m.Contributions[i].ID)
		if err == nil {
			err = f.Contributions[i].into(&contributions[to], code.Contributions[to].Priority != nil, &m.Contributions[i])
		}
		if err != nil {
			return nil, below(fmt.Sprintf("contributions[%d]", i), err)
		}
	}
	for i := range m.Adapters {
		to, err := adapterByID.take(m.Adapters[i].ID)
		if err == nil {
			err = f.Adapters[i].into(&adapters[to], &m.Adapters[i])
		}
		if err != nil {
			return nil, below(fmt.Sprintf("adapters[%d]", i), err)
		}
	}
	m.Contributions, m.Adapters = contributions, adapters
	return m, nil
}

// warnings are about what is allowed and hardly meant: ids that are registered twice, contributions that take a
// context in which there will be nothing, and keys that mean nothing.
func (r *registrations) warnings(m *abi.Manifest) []string {
	var warnings []string
	for _, id := range r.Replaced {
		warnings = append(warnings, fmt.Sprintf("%q is registered more than once; the last registration counts", id))
	}
	for i, c := range r.Contributions {
		if c.ReadsContext && len(m.Contributions[i].Needs) == 0 {
			warnings = append(warnings, fmt.Sprintf("contribution %q takes the context, but %s lists no needs for it: it gets an empty one",
				c.ID, ManifestFile))
		}
	}
	return append(warnings, r.strangeKeys()...)
}

// ids are what the code registers, each to be taken once.
type ids struct {
	what  string
	list  []string
	taken map[string]bool
}

func (r *registrations) ids() (contributions, adapters ids) {
	contributions, adapters = ids{what: "contribution", taken: map[string]bool{}}, ids{what: "adapter", taken: map[string]bool{}}
	for _, c := range r.Contributions {
		contributions.list = append(contributions.list, c.ID)
	}
	for _, a := range r.Adapters {
		adapters.list = append(adapters.list, a.ID)
	}
	return contributions, adapters
}

// take returns the place of an id among those that the code registers.
func (s *ids) take(id string) (int, error) {
	i := slices.Index(s.list, id)
	switch near := spelling.Nearest(id, s.list); {
	case id == "" && len(s.list) > 0:
		return 0, &abi.ManifestError{Field: "id", Reason: "is empty; the code registers " + strings.Join(s.list, ", ")}
	case i >= 0 && s.taken[id]:
		return 0, fmt.Errorf("id: %q is used twice", id)
	case i >= 0:
		s.taken[id] = true
		return i, nil
	case len(s.list) == 0:
		return 0, fmt.Errorf("the code registers no %s %q, nor any other", s.what, id)
	case near != "":
		return 0, fmt.Errorf("the code registers no %s %q; did you mean %q?", s.what, id, near)
	}
	return 0, fmt.Errorf("the code registers no %s %q; it registers %s", s.what, id, strings.Join(s.list, ", "))
}

// offer is the contribution as far as the code says.
func (r *registered) offer() abi.Contribution {
	c := abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: r.ID, Providers: r.Providers, ActiveTools: r.ActiveTools}
	if r.Priority != nil {
		c.Priority = *r.Priority
	}
	return c
}

// into adds to a registered contribution what pintle.toml says of it. from has that as the manifest would.
func (c *contribution) into(to *abi.Contribution, hasPriority bool, from *abi.Contribution) error {
	to.Needs, to.Volatility = from.Needs, from.Volatility
	var m merge
	key(&m, "interface", c.Interface != "", true, &to.Interface, from.Interface)
	key(&m, "priority", c.Priority != nil, hasPriority, &to.Priority, from.Priority)
	key(&m, "providers", c.Providers != nil, to.Providers != nil, &to.Providers, from.Providers)
	key(&m, "activeTools", c.ActiveTools != nil, to.ActiveTools != nil, &to.ActiveTools, from.ActiveTools)
	return m.err
}

func (a *adapter) into(to, from *abi.Adapter) error {
	var m merge
	key(&m, "interface", a.Interface != "", true, &to.Interface, from.Interface)
	key(&m, "providers", a.Providers != nil, to.Providers != nil, &to.Providers, from.Providers)
	key(&m, "apis", a.APIs != nil, to.APIs != nil, &to.APIs, from.APIs)
	key(&m, "models", a.Models != nil, to.Models != nil, &to.Models, from.Models)
	key(&m, "operations", a.Operations != nil, true, &to.Operations, from.Operations)
	key(&m, "view", a.View != nil, to.View != nil, &to.View, from.View)
	key(&m, "write", a.Write != nil, to.Write != nil, &to.Write, from.Write)
	return m.err
}

// A merge puts keys together that both code and pintle.toml may give. It keeps the first error.
type merge struct{ err error }

// key takes pintle.toml's value if the code gives none.
func key[T any](m *merge, name string, inTOML, inCode bool, code *T, toml T) {
	switch {
	case m.err != nil || !inTOML:
	case !inCode:
		*code = toml
	case shown(*code) != shown(toml):
		m.err = &abi.ManifestError{Field: name,
			Reason: fmt.Sprintf("the code says %s, pintle.toml says %s; leave it to the code", shown(*code), shown(toml))}
	}
}

// shown writes a value as JSON. A list that is empty and one that is absent are the same in a manifest.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}
