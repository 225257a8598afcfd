package conformance

import (
	"context"

	"github.com/pintle-wasm/pintle/host/profile"
)

func catalogCases() Suite {
	return Suite{
		"toolsets":      {run: toolsetCase},
		"tools-catalog": {run: catalogCase},
		"tool-choice":   {run: choiceCase},
	}
}

// boundTools binds the tools that a case gives, or names with "toolset".
func boundTools(c *testCase) (*profile.Toolset, error) {
	p, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	tools := toolsOf(c.input.Get("tools"))
	if name := c.input.Get("toolset"); name.present() {
		if tools, err = hostTools(c, name.text); err != nil {
			return nil, err
		}
	}
	return p.Bind(tools, profile.Options{
		Exclude: c.input.Get("excludedToolNames").strs(), Reference: c.reference,
	}), nil
}

func toolsetCase(_ context.Context, c *testCase) (any, error) {
	t, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	roles := t.Roles()
	var subagent any
	if s := roles.Subagent; s != nil {
		subagent = fields{
			"hostTool", s.HostTool, "agents", append([]string{}, s.Agents...), "complete", s.Complete,
			"aliases", s.Aliases, "coordination", orNull(s.Coordination),
		}
	}
	return fields{"catalog", declarations(t.Catalog()), "roles", fields{
		"subagent", subagent, "question", orNull(roles.Question), "terminal", orNull(roles.Terminal),
		"inputProfiles", roles.InputProfiles,
	}}, nil
}

func catalogCase(_ context.Context, c *testCase) (any, error) {
	t, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	return declarations(t.Catalog()), nil
}

func choiceCase(_ context.Context, c *testCase) (any, error) {
	t, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	if choice := t.Choice(c.input.Get("toolChoice").raw); choice != nil {
		return choice, nil
	}
	return nil, nil
}

func declarations(catalog []profile.Declaration) any {
	if catalog == nil {
		return nil
	}
	list := make([]any, len(catalog))
	for i, d := range catalog {
		list[i] = fields{"name", d.Name, "description", d.Description, "inputSchema", d.InputSchema}
	}
	return list
}
