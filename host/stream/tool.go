package stream

// A tool is one that may be called.
type tool struct {
	// name is the provider's, and host the host's whatever the arguments are.
	name, host string
	// plain: the arguments are the same on both sides.
	plain bool
}

// tool returns the tool that a provider calls, nil if the model was not offered it.
func (t *Translator) tool(name string) *tool {
	if last := t.lastTool; last != nil && last.name == name {
		return last
	}
	if t.allowed == nil {
		t.allowed = map[string]*tool{}
		for _, name := range t.cfg.Allow {
			t.allow(name)
		}
		if t.cfg.Allow == nil && t.cfg.Toolset != nil && !t.cfg.Unchecked {
			for _, d := range t.cfg.Toolset.Catalog() {
				t.allow(d.Name)
			}
		}
	}
	found := t.allowed[name]
	if found == nil && t.cfg.Unchecked {
		found = t.allow(t.arena.copy(name))
	}
	t.lastTool = found
	return found
}

func (t *Translator) allow(name string) *tool {
	a := &tool{name: name, host: name, plain: true}
	if tools := t.cfg.Toolset; tools != nil {
		a.host = tools.HostName(name)
		_, a.plain = tools.Plain(name)
	}
	t.allowed[name] = a
	return a
}

// nameDangling names the blocks whose call has not come: a host can then say what was cut off. Blocks of
// calls that turned out to be the provider's stay without a name.
func (t *Translator) nameDangling() {
	for at, b := range t.m.Content {
		if b.announced == nil || b.called {
			continue
		}
		if _, theirs := t.theirs[b.ID]; theirs {
			continue
		}
		b = t.own(at)
		b.Name = b.announced.host
		if t.answer.ArgumentErrors {
			b.ArgumentsError = "The answer has ended before the call was complete. It was not made."
		}
	}
}
