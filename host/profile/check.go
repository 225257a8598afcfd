package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// What a table can name in these places.
var (
	thinkingForms = []string{"efforts", "levelMap"}
	dynamicForms  = []string{"fetchDynamicModels", "refreshModels"}
)

// hostName is what names of tools are made from.
var hostName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// check finds what would go wrong later. The error is a *fault.
func (p *Profile) check() error {
	if !hostName.MatchString(p.Name) {
		return wrong("name", "must be a lower-case letter and then letters, digits, _ and -, not %q", p.Name)
	}
	if err := folder("paths.folder", p.Paths.Folder); err != nil {
		return err
	}
	for i, name := range p.Paths.Config {
		if err := folder(fmt.Sprintf("paths.config[%d]", i), name); err != nil {
			return err
		}
	}
	return cmp.Or(
		known("models.thinking", p.Models.Thinking, thinkingForms),
		known("models.dynamic", p.Models.Dynamic, dynamicForms),
		p.checkActions(), p.tools.checkRoles(), p.tools.checkRules(),
	)
}

// folder says that a name is that of a folder below another one, on every system.
func folder(path, name string) error {
	odd := func(r rune) bool { return r == '\\' || r == ':' || r < ' ' }
	if name == "." || strings.HasPrefix(name, "~") || !fs.ValidPath(name) || strings.ContainsFunc(name, odd) {
		return wrong(path, `expected a folder in the user's home and in projects, such as ".reef", not %q`, name)
	}
	return nil
}

// known says that a value is one of those that there are, or none.
func known(path, value string, values []string) error {
	if value != "" && !slices.Contains(values, value) {
		return wrong(path, "unknown %s", instead(value, values))
	}
	return nil
}

func (t *tools) checkRoles() error {
	if s := t.Subagent; s != nil {
		if s.Tool == "" {
			return wrong("tools.subagent.tool", "is empty, expected the host's tool that delegates work")
		}
		aliases := map[string]bool{}
		for i, a := range s.Agents {
			if a.Alias == "" || aliases[a.Alias] || a.Host != nil && *a.Host == "" {
				return wrong(fmt.Sprintf("tools.subagent.agents[%d]", i),
					"agent %q: an alias is given once and neither it nor the host's name is empty", a.Alias)
			}
			aliases[a.Alias] = true
		}
		if !object(s.Adds) {
			return wrong("tools.subagent.adds", "expected an object, not %s", shortened(s.Adds))
		}
	}
	if s := t.Terminal; s != nil {
		switch {
		case s.Tool == "":
			return wrong("tools.terminal.tool", "is empty, expected the host's tool that ends delegated work")
		case s.Input == nil:
			return wrong("tools.terminal.input", "is missing, expected an object: what the tool is called with")
		case !object(s.Input):
			return wrong("tools.terminal.input", "expected an object, not %s", shortened(s.Input))
		}
	}
	seen := map[string]string{}
	for _, role := range t.roles() {
		if other, ok := seen[role.tool]; ok {
			return wrong(role.path, "tool %q is that of %s too", role.tool, other)
		}
		seen[role.tool] = role.path
	}
	return nil
}

// A role is a tool that providers know by a name of its own, if they see it.
type role struct{ path, tool, provider string }

func (t *tools) roles() (roles []role) {
	if t.Subagent != nil {
		roles = append(roles, role{"tools.subagent.tool", t.Subagent.Tool, taskName})
	}
	if t.Question != "" {
		roles = append(roles, role{"tools.question", t.Question, questionName})
	}
	if t.Terminal != nil {
		roles = append(roles, role{"tools.terminal.tool", t.Terminal.Tool, ""})
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
	advertised, ofRole := map[string]string{}, map[string]string{}
	for _, role := range t.roles() {
		ofRole[role.tool] = role.path
		if role.provider != "" {
			advertised[role.provider] = role.tool
		}
	}
	seen := map[string]bool{}
	list := ""
	for i := range t.Rules {
		r, path := &t.Rules[i], fmt.Sprintf("tools.rules[%d]", i)
		switch {
		case r.Tool == "":
			return wrong(path+".tool", "is empty, expected the host's name of a tool")
		case seen[r.Tool]:
			return wrong(path+".tool", "tool %q has a rule already", r.Tool)
		case ofRole[r.Tool] != "":
			return wrong(path+".tool", "tool %q is that of %s and takes its shape: it has no rule", r.Tool, ofRole[r.Tool])
		}
		seen[r.Tool] = true
		if err := r.check(path); err != nil {
			return err
		}
		for j, name := range r.Provider {
			at := fmt.Sprintf("%s.provider[%d]", path, j)
			if name == "" {
				return wrong(at, "is empty, expected what providers call the tool")
			}
			if other, ok := advertised[name]; ok {
				return wrong(at, "name %q is that of the host's tool %q", name, other)
			}
			advertised[name] = r.Tool
		}
		if r.Schema == todoShape {
			if list != "" {
				return wrong(path+".schema", "a host has one tool of shape %q, and %q is one", todoShape, list)
			}
			list = r.Tool
		}
	}
	return nil
}

func (r *rule) check(path string) error {
	if err := cmp.Or(
		known(path+".schema", r.Schema, shapesOf(schemaShapes)), known(path+".call", r.Call, shapesOf(callShapes)),
		known(path+".history", r.History, shapesOf(historyShapes)),
	); err != nil {
		return err
	}
	todo := r.Schema == todoShape
	if todo != (r.Call == todoShape) || todo != (r.History == todoShape) {
		return wrong(path, "shape %q is that of schema, call and history, or of none of them", todoShape)
	}
	if todo && len(r.Provider) != 2 {
		return wrong(path+".provider", "expected two names with shape %q, to write and to read", todoShape)
	}
	if !todo && len(r.Provider) > 1 {
		return wrong(path+".provider", "expected one name, as only shape %q has two", todoShape)
	}
	aliases := map[string]bool{}
	for i, a := range r.Aliases {
		if at := fmt.Sprintf("%s.aliases[%d]", path, i); a[0] == "" || a[1] == "" {
			return wrong(at, "expected [provider's key, host's key], not an empty one: %q", a)
		} else if aliases[a[0]] {
			return wrong(at, "there is an alias for %q already", a[0])
		}
		aliases[a[0]] = true
	}
	return cmp.Or(r.checkKeys(path), r.checkPartners(path))
}

func shapesOf[T any](shapes map[string]T) []string { return slices.Sorted(maps.Keys(shapes)) }
