package profile

import "strconv"

// The names by which providers know the roles.
const (
	taskName     = "task"
	questionName = "question"
)

// bindNames finds the names that differ, both ways. The way back is looked for in this order: the roles, what
// had to give way to one, renamed tools.
func (t *Toolset) bindNames() {
	t.provider, t.host = map[string]string{}, map[string]string{}
	put := func(host, provider string) {
		if _, ok := t.provider[host]; !ok {
			t.provider[host] = provider
		}
		if _, ok := t.host[provider]; !ok {
			t.host[provider] = host
		}
	}
	if t.subagent != nil {
		put(t.subagent.HostTool, taskName)
	}
	if t.question != "" {
		put(t.question, questionName)
	}
	if t.subagent != nil {
		for host, alias := range t.subagent.Aliases {
			put(host, alias)
		}
	}
	for i := range t.profile.tools.Rules {
		r := t.rule(t.profile.tools.Rules[i].Tool)
		if r == nil {
			continue
		}
		for _, name := range r.Provider {
			put(r.Tool, name)
		}
	}
}

// giveWay finds a name for a live tool that is called as providers call a role.
func (t *Toolset) giveWay(live map[string]*Tool) string {
	advertised := map[string]bool{}
	for _, r := range t.rules {
		for _, name := range r.Provider {
			advertised[name] = true
		}
	}
	first := t.profile.Name + "_host_" + taskName
	name := first
	for n := 2; live[name] != nil || advertised[name]; n++ {
		name = first + "_" + strconv.Itoa(n)
	}
	return name
}

// HostName is the host's name of a tool that a provider calls by the name that was advertised; the name
// itself where nothing else is known.
func (t *Toolset) HostName(provider string) string {
	if host, ok := t.host[provider]; ok {
		return host
	}
	return provider
}

// ProviderName is the name by which a provider sees a tool of the host, live or not; the first name of a
// tool that is seen as two.
func (t *Toolset) ProviderName(host string) string {
	if provider, ok := t.provider[host]; ok {
		return provider
	}
	return host
}

// Renames are the live tools of the host that a provider sees by another name, and that name: what
// changes where the host's own text names its tools (section "Prompt assembly"). The caller may change it.
func (t *Toolset) Renames() map[string]string {
	renames := make(map[string]string, len(t.provider))
	for host, provider := range t.provider {
		if host != provider {
			renames[host] = provider
		}
	}
	return renames
}
