package guestbuild

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// registrations are what the code of a JavaScript guest offers. The keys are those of the manifest.
type registrations struct {
	Contributions []registered  `json:"contributions"`
	Adapters      []abi.Adapter `json:"adapters"`
}

type registered struct {
	ID          string    `json:"id"`
	Priority    *float64  `json:"priority"`
	Providers   *[]string `json:"providers"`
	ActiveTools []string  `json:"activeTools"`
}

// needs lists the context fields of each contribution.
func (f *file) needs() map[string][]string {
	needs := map[string][]string{}
	for _, c := range f.Contributions {
		needs[c.ID] = append([]string{}, c.Needs...)
	}
	return needs
}

// merged is the manifest of a guest whose code registers what it offers, as JSON: pintle.toml adds what code
// cannot say, and may repeat what it says.
func (f *file) merged(said []byte) (*abi.Manifest, error) {
	m, err := f.mergedUnchecked(said)
	if err == nil {
		err = m.Validate()
	}
	if err != nil && f.path != "" {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (f *file) mergedUnchecked(said []byte) (*abi.Manifest, error) {
	code, err := decodeRegistrations(said)
	if err != nil {
		return nil, err
	}
	m, err := f.manifest()
	if err != nil {
		return nil, err
	}
	if len(code.Contributions)+len(code.Adapters) == 0 {
		return nil, errors.New("the code registers nothing; call registerDeveloperMessageContribution, " +
			"registerPayloadAdapter or registerSystemPromptPayloadAdapter when it is loaded")
	}
	contributions, adapters := make([]abi.Contribution, len(code.Contributions)), code.Adapters
	seen := map[string]bool{}
	at := func(list []string, what, id string) (int, error) {
		i := slices.Index(list, id)
		if i < 0 {
			return 0, unregistered(what, id, list)
		}
		if seen[what+id] {
			return 0, fmt.Errorf("id: %q is used twice", id)
		}
		seen[what+id] = true
		return i, nil
	}
	known, knownAdapters := code.ids()
	for i, c := range code.Contributions {
		contributions[i] = c.offer()
	}
	for i := range m.Contributions {
		to, err := at(known, "contribution", m.Contributions[i].ID)
		if err == nil {
			err = f.Contributions[i].into(&contributions[to], code.Contributions[to].Priority != nil, &m.Contributions[i])
		}
		if err != nil {
			return nil, fmt.Errorf("contributions[%d]: %w", i, err)
		}
	}
	for i := range m.Adapters {
		to, err := at(knownAdapters, "adapter", m.Adapters[i].ID)
		if err == nil {
			err = f.Adapters[i].into(&adapters[to], &m.Adapters[i])
		}
		if err != nil {
			return nil, fmt.Errorf("adapters[%d]: %w", i, err)
		}
	}
	m.Contributions, m.Adapters = contributions, adapters
	return m, nil
}

func decodeRegistrations(said []byte) (*registrations, error) {
	code := &registrations{}
	d := json.NewDecoder(bytes.NewReader(said))
	d.DisallowUnknownFields()
	if err := d.Decode(code); err != nil {
		return nil, fmt.Errorf("what the code registers: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return code, nil
}

func (r *registrations) ids() (contributions, adapters []string) {
	for _, c := range r.Contributions {
		contributions = append(contributions, c.ID)
	}
	for _, a := range r.Adapters {
		adapters = append(adapters, a.ID)
	}
	return contributions, adapters
}

func unregistered(what, id string, registered []string) error {
	if len(registered) == 0 {
		return fmt.Errorf("the code registers no %s %q, nor any other", what, id)
	}
	if near := spelling.Nearest(id, registered); near != "" {
		return fmt.Errorf("the code registers no %s %q; did you mean %q?", what, id, near)
	}
	return fmt.Errorf("the code registers no %s %q; it registers %s", what, id, strings.Join(registered, ", "))
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
		m.err = fmt.Errorf("%s: the code says %s, pintle.toml says %s; leave it to the code", name, shown(*code), shown(toml))
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
