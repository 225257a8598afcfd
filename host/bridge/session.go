package bridge

import (
	"slices"

	"github.com/pintle-wasm/pintle/host/profile"
)

// HostTools are the tools that a host registers for the providers of a configuration: those of each
// [profile.PrivateTools] whose package is configured, or whose variable is 1 in the environment.
func HostTools(c *Config, env Environment) []profile.PrivateTool {
	var tools []profile.PrivateTool
	for _, tool := range profile.PrivateTools() {
		configured := slices.ContainsFunc(c.Providers, func(e Entry) bool {
			return known(e.Package).Name == tool.Package
		})
		if configured || tool.Variable != "" && env.get(tool.Variable) == "1" {
			tools = append(tools, tool)
		}
	}
	return tools
}

// Activate returns the tools that are to be active when a session starts: those that are, and behind
// them the host's [profile.Profile].SessionTools and the host tools, as far as the host knows them.
// changed says whether that is any more.
func Activate(
	p *profile.Profile, active, known []string, tools []profile.PrivateTool,
) (all []string, changed bool) {
	names := slices.Clone(p.SessionTools)
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	all = slices.Clone(active)
	for _, name := range names {
		if slices.Contains(known, name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all, len(all) > len(active)
}
