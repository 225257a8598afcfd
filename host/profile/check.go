package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// What a table can name in these places.
var (
	thinkingForms = []string{"efforts", "levelMap"}
	dynamicForms  = []string{"fetchDynamicModels", "refreshModels"}
)

// hostName is what names of tools are made from.
var hostName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// check finds what would go wrong later.
func (p *Profile) check() error {
	switch {
	case !hostName.MatchString(p.Name):
		return errors.New("name must be a lower-case letter and then letters, digits, _ and -")
	case p.Paths.Folder == "":
		return errors.New("paths.folder is empty")
	}
	if err := known("models.thinking", p.Models.Thinking, thinkingForms); err != nil {
		return err
	}
	if err := known("models.dynamic", p.Models.Dynamic, dynamicForms); err != nil {
		return err
	}
	if err := p.tools.checkRoles(); err != nil {
		return err
	}
	return p.tools.checkRules()
}

// known says that a value is one of those that there are, or none.
func known(where, value string, values []string) error {
	if value != "" && !slices.Contains(values, value) {
		return fmt.Errorf("%s: unknown %q, use one of %q", where, value, values)
	}
	return nil
}

func (t *tools) checkRoles() error {
	if s := t.Subagent; s != nil {
		if s.Tool == "" {
			return errors.New("subagent: tool is empty")
		}
		aliases := map[string]bool{}
		for _, a := range s.Agents {
			if a.Alias == "" || aliases[a.Alias] || a.Host != nil && *a.Host == "" {
				return fmt.Errorf("subagent: agent %q: an alias is given once and neither it nor the host's name is empty", a.Alias)
			}
			aliases[a.Alias] = true
		}
		if !object(s.Adds) {
			return errors.New("subagent: adds is not an object")
		}
	}
	if s := t.Terminal; s != nil && (s.Tool == "" || s.Input == nil || !object(s.Input)) {
		return errors.New("terminal: it needs a tool, and an object as input")
	}
	roles := map[string]string{}
	for role, tool := range t.roles() {
		if other := roles[tool]; other != "" && tool != "" {
			return fmt.Errorf("%s: tool %q is that of %s too", max(role, other), tool, min(role, other))
		}
		roles[tool] = role
	}
	return nil
}

// roles are the tools of the roles that providers know by a name of their own.
func (t *tools) roles() map[string]string {
	roles := map[string]string{"question": t.Question}
	if t.Subagent != nil {
		roles["subagent"] = t.Subagent.Tool
	}
	if t.Terminal != nil {
		roles["terminal"] = t.Terminal.Tool
	}
	return roles
}

// object says that a value is a JSON object, or not given.
func object(raw json.RawMessage) bool {
	if raw == nil {
		return true
	}
	_, ok := ordered.ParseObject(raw)
	return ok
}

func (t *tools) checkRules() error {
	advertised := map[string]string{}
	if t.Subagent != nil {
		advertised[taskName] = t.Subagent.Tool
	}
	if t.Question != "" {
		advertised[questionName] = t.Question
	}
	seen := map[string]bool{}
	lists := 0
	for i := range t.Rules {
		r := &t.Rules[i]
		if r.Tool == "" || seen[r.Tool] {
			return fmt.Errorf("rules: tool %q: a rule needs a tool of its own", r.Tool)
		}
		seen[r.Tool] = true
		for role, tool := range t.roles() {
			if tool == r.Tool {
				return fmt.Errorf("rules: tool %q: it is the tool of a role (%s) and takes its shape", r.Tool, role)
			}
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("rules: tool %q: %w", r.Tool, err)
		}
		for _, name := range r.Provider {
			if other, ok := advertised[name]; ok || name == "" {
				return fmt.Errorf("rules: tool %q: provider name %q is empty or that of %q", r.Tool, name, other)
			}
			advertised[name] = r.Tool
		}
		if r.Schema == todoShape {
			if lists++; lists > 1 {
				return fmt.Errorf("rules: tool %q: a host has one tool of shape %q", r.Tool, todoShape)
			}
		}
	}
	return nil
}

func (r *rule) check() error {
	if err := cmp.Or(
		known("schema", r.Schema, shapesOf(schemaShapes)), known("call", r.Call, shapesOf(callShapes)),
		known("history", r.History, shapesOf(historyShapes)),
	); err != nil {
		return err
	}
	todo := r.Schema == todoShape
	if todo != (r.Call == todoShape) || todo != (r.History == todoShape) {
		return fmt.Errorf("shape %q is that of schema, call and history, or of none of them", todoShape)
	}
	if todo && len(r.Provider) != 2 || !todo && len(r.Provider) > 1 {
		return fmt.Errorf("provider: one name, or with shape %q two: to write and to read", todoShape)
	}
	aliases := map[string]bool{}
	for _, a := range r.Aliases {
		if a[0] == "" || a[1] == "" || a[0] == a[1] || aliases[a[0]] {
			return fmt.Errorf("aliases: %q: an alias is given once, for a key that is another one", a)
		}
		aliases[a[0]] = true
	}
	return nil
}

func shapesOf[T any](shapes map[string]T) []string { return slices.Sorted(maps.Keys(shapes)) }
