package profile

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// bindSubagent makes the role of the live tool that delegates work.
func (t *Toolset) bindSubagent(live map[string]*Tool) {
	tool := live[t.profile.tools.Subagent.Tool]
	found := &names{}
	schemaAgents(found, tool.Parameters)
	complete := len(found.list) > 0
	complete = describedAgents(found, tool.Description) || complete
	t.subagent = &SubagentRole{
		HostTool: tool.Name, Agents: found.list, Complete: complete, Aliases: map[string]string{},
		Coordination: t.coordination,
	}
	if tool.Name != taskName && live[taskName] != nil {
		t.subagent.Aliases[taskName] = t.giveWay(live)
	}
	schema := schemaOf(tool)
	t.batch = schema.has("tasks") && schema.requires("context") && schema.requires("tasks")
}

// agentNames are the names that a provider may give for an agent: the host's, and those that providers
// know for them, in order of UTF-16 code units.
func (t *Toolset) agentNames() []string {
	found := &names{}
	for _, name := range t.subagent.Agents {
		found.add(name)
	}
	for _, a := range t.profile.tools.Subagent.Agents {
		if a.Host == nil && len(t.subagent.Agents) > 0 || a.Host != nil && slices.Contains(t.subagent.Agents, *a.Host) {
			found.add(a.Alias)
		}
	}
	slices.SortFunc(found.list, ecma.CompareUnits)
	return found.list
}

// names is a list without repetitions.
type names struct {
	list []string
	seen map[string]bool
}

func (n *names) add(name string) (added bool) {
	if name == "" || n.seen[name] {
		return false
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[name] = true
	n.list = append(n.list, name)
	return true
}

// schemaAgents finds the values that the properties called agent of a JSON schema may have, wherever they
// are. Lists pass the name of their property on, other keys do not: what is nested in anyOf is not found.
// The depth of the schema costs no Go stack.
func schemaAgents(found *names, schema []byte) {
	plain, err := ordered.Reserialize(nil, schema) // each key once
	if err != nil {
		return
	}
	doc, err := jsonspan.Scan(plain, math.MaxInt)
	if err != nil {
		return
	}
	type place struct {
		at jsonspan.Node
		// name is what the elements of a list are called, "" for members: those have keys.
		name string
		list bool
	}
	open := []place{{at: doc.Root(), list: true}}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p.at.Kind() == jsonspan.Absent {
			continue
		}
		open = append(open, place{at: p.at.Next(), name: p.name, list: p.list})
		if p.at.Kind() < jsonspan.Array {
			continue
		}
		name := p.name
		if !p.list {
			name = p.at.Key()
		}
		if p.at.Kind() == jsonspan.Array {
			open = append(open, place{at: p.at.First(), name: name, list: true})
			continue
		}
		if name == "agent" {
			if enum := jsonvalue.Member(p.at, "enum"); enum.Kind() == jsonspan.Array {
				for v := enum.First(); v.Kind() != jsonspan.Absent; v = v.Next() {
					found.add(jsonvalue.String(v))
				}
			}
			found.add(jsonvalue.String(jsonvalue.Member(p.at, "const")))
		}
		open = append(open, place{at: p.at.First()})
	}
}

// describedAgents finds the agents in the section "Available Agents" of a description, and says whether
// there is one. An agent is a heading of the third level, or an item of a list whose name is in backticks.
func describedAgents(found *names, description string) (section bool) {
	inside := false
	for line := range strings.SplitSeq(description, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch level, title := heading(line); {
		case level == 1 || level == 2:
			inside = strings.EqualFold(title, "available agents")
			section = section || inside
		case !inside:
		case level == 3:
			found.add(agentName(title, false))
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, "*"):
			if apart(line[1:]) {
				found.add(agentName(ecma.Trim(line[1:]), true))
			}
		}
	}
	return section
}

// heading returns the level and the title of a heading in Markdown, level 0 for any other line.
func heading(line string) (level int, title string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if rest != "" && !apart(rest) {
		return 0, ""
	}
	return level, ecma.Trim(rest)
}

// apart says that a text begins with a space.
func apart(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && ecma.IsSpace(r)
}

// agentName returns the name at the beginning of a text, "" if what is there is none.
func agentName(text string, ticks bool) string {
	rest, quoted := strings.CutPrefix(text, "`")
	if ticks && !quoted {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		end = len(rest)
	}
	name, rest := rest[:end], rest[end:]
	if quoted {
		var closed bool
		if rest, closed = strings.CutPrefix(rest, "`"); !closed {
			return ""
		}
	}
	if rest == "" || rest[0] == ':' || rest[0] == '(' || apart(rest) {
		return name
	}
	return ""
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
