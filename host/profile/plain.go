package profile

// Plain is the host's name of a tool that a provider calls, if its calls are the same on both sides but for
// that name: then [Toolset.ToHost] would return the one call with its arguments as they are.
func (t *Toolset) Plain(provider string) (host string, ok bool) {
	if provider == taskName && t.subagent != nil || provider == questionName && t.question != "" {
		return "", false
	}
	host = t.HostName(provider)
	return host, t.rule(host) == nil
}
