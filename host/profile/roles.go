package profile

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

// Roles are the tools of a call that mean something to the bridge itself. They depend on which tools are
// live and on their schemas, not on the profile alone.
type Roles struct {
	// Subagent is nil if no tool delegates work.
	Subagent *SubagentRole
	// Question is the host's tool that asks the user, "" for none. Providers see it as "question".
	Question string
	// Terminal is the host's tool that ends delegated work, "" if there is none or it wants more than the
	// bridge can give. Providers do not see it.
	Terminal string
	// InputProfiles are the live host tools whose input providers see in another shape or by other names,
	// and the coordination tool, in order of UTF-16 code units.
	InputProfiles []string
}

// A SubagentRole is the tool that delegates work. Providers see it as "task".
type SubagentRole struct {
	// HostTool is the host's name of the tool.
	HostTool string
	// Agents are the host's agents, as far as the tool's schema and then its description name them.
	Agents []string
	// Complete says that Agents are all that there are.
	Complete bool
	// Aliases are the names by which providers see live host tools that had to give way to "task".
	Aliases map[string]string
	// Coordination is the host's tool that talks to delegated work, "" unless it is live.
	Coordination string
}

// Roles returns the roles. The caller may change them.
func (t *Toolset) Roles() Roles {
	r := Roles{Question: t.question, Terminal: t.terminal, InputProfiles: make([]string, 0, len(t.rules)+1)}
	if t.subagent != nil {
		s := *t.subagent
		s.Agents = slices.Clone(s.Agents)
		s.Aliases = map[string]string{}
		for host, provider := range t.subagent.Aliases {
			s.Aliases[host] = provider
		}
		r.Subagent = &s
	}
	for tool := range t.rules {
		r.InputProfiles = append(r.InputProfiles, tool)
	}
	if t.coordination != "" && t.rules[t.coordination] == nil {
		r.InputProfiles = append(r.InputProfiles, t.coordination)
	}
	slices.SortFunc(r.InputProfiles, ecma.CompareUnits)
	return r
}

func (t *Toolset) bindRoles(live map[string]*Tool) {
	tools := &t.profile.tools
	if tools.Coordination != "" && live[tools.Coordination] != nil {
		t.coordination = tools.Coordination
	}
	if tools.Question != "" && live[tools.Question] != nil {
		t.question = tools.Question
	}
	if tools.Terminal != nil && tools.Terminal.fits(live[tools.Terminal.Tool]) {
		t.terminal = tools.Terminal.Tool
	}
	if tools.Subagent != nil && live[tools.Subagent.Tool] != nil {
		t.bindSubagent(live)
	}
}
