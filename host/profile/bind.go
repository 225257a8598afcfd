package profile

import (
	"slices"
	"sync"
)

// bound is what a profile and the live tools make of each other.
type bound struct {
	// rules are those of live tools.
	rules map[string]*rule
	// subagent is the role of the tool that delegates work, nil unless that tool is live.
	subagent *SubagentRole
	// batch: that tool takes a list of tasks and a context, and needs both.
	batch bool
	// question is the tool that asks the user, coordination the one that talks to delegated work, and terminal
	// the one that ends delegated work: host names, "" unless they are live and fit.
	question, coordination, terminal string
	// provider are the names by which a provider sees live tools, where they differ; the first one of tools
	// that have two. host is the way back for all names that are advertised and differ.
	provider, host map[string]string
}

// Bind makes a toolset of the tools that are live in one call of a model. Tools may have the same name;
// then the first one counts where a name stands for a tool. The tools are not changed, and must not be
// changed while the toolset is used.
func (p *Profile) Bind(tools []Tool, o Options) *Toolset {
	t := &Toolset{profile: p, reference: o.Reference, excluded: make(map[string]bool, len(o.Exclude))}
	for _, name := range o.Exclude {
		t.excluded[name] = true
	}
	live := make(map[string]*Tool, len(tools))
	for _, tool := range tools {
		if t.excluded[tool.Name] {
			continue
		}
		t.tools = append(t.tools, tool)
	}
	for i := range t.tools {
		if tool := &t.tools[i]; live[tool.Name] == nil {
			live[tool.Name] = tool
		}
	}
	t.bindRules(live)
	t.bindRoles(live)
	t.bindNames()
	t.catalog = sync.OnceValue(t.declare)
	return t
}

func (t *Toolset) bindRules(live map[string]*Tool) {
	rules := t.profile.tools.Rules
	t.rules = make(map[string]*rule, len(rules))
	for i := range rules {
		if live[rules[i].Tool] != nil {
			t.rules[rules[i].Tool] = &rules[i]
		}
	}
}

// rule is the rule of a live tool of the host, nil if there is none.
func (t *Toolset) rule(host string) *rule { return t.rules[host] }

// Profile is the host's profile.
func (t *Toolset) Profile() *Profile { return t.profile }

// Tools are the live tools of the host, without those that were excluded, in the order in which they were
// given.
func (t *Toolset) Tools() []Tool { return slices.Clone(t.tools) }

// Excluded says whether a tool of the host was excluded when the toolset was bound, live or not.
func (t *Toolset) Excluded(host string) bool { return t.excluded[host] }
