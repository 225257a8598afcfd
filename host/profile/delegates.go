package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// usualAgent is the agent of work that is given to no agent in particular, as providers know it, and
// delegatedTask what is said about work that the host has no name for.
const (
	usualAgent    = "general"
	delegatedTask = "Delegated task"
)

// callDelegate makes the host's arguments of "task". Those that have the host's form pass as they are;
// otherwise what the host does not know is dropped.
func callDelegate(v *conversion) {
	prompt := v.args.Get("prompt")
	if !isText(prompt) {
		prompt = nil
		if isText(v.args.Get("task")) {
			return
		}
	}
	role := v.toolset.profile.tools.Subagent
	w := jsonvalue.Begin(nil)
	if prompt != nil {
		w.Raw("task", prompt)
	}
	if agent, _ := v.args.Text("subagent_type"); agent != "" {
		if host, ok := role.hostAgent(agent); ok {
			w.Text("agent", host)
		}
	}
	adds, _ := ordered.ParseObject(role.Adds)
	for key, value := range adds.All() {
		w.Raw(key, value)
	}
	v.built = w.End()
	if !v.toolset.batch {
		return
	}
	context := json.RawMessage(`""`)
	if description, _ := v.args.Text("description"); !ecma.IsBlank(description) {
		context = wtf8.AppendQuote(nil, ecma.Trim(description))
	} else if prompt != nil {
		context = prompt
	}
	batch := jsonvalue.Begin(nil)
	batch.Raw("context", context)
	batch.Raw("tasks", ordered.AppendList(nil, []json.RawMessage{v.built}))
	v.built = batch.End()
}

// hostAgent is the host's name of an agent, and whether the host is to be told one.
func (s *subagent) hostAgent(name string) (string, bool) {
	for _, a := range s.Agents {
		if a.Alias == name {
			if a.Host == nil {
				return "", false
			}
			return *a.Host, true
		}
	}
	return name, true
}

// restateDelegate restates a call that delegates one task.
func restateDelegate(v *conversion) {
	args := v.args
	task, ok := args.Text("task")
	if list, isList := ordered.Elements(args.Get("tasks")); isList && len(list) == 1 && isObject(list[0]) {
		args, _ = ordered.ParseObject(list[0])
		task, ok = args.Text("task")
		if context, _ := v.args.Text("context"); !ecma.IsBlank(context) {
			task = context + "\n\n" + task
		}
	}
	if !ok {
		return
	}
	description, _ := args.Text("name")
	if description == "" {
		description = delegatedTask
	}
	agent, _ := args.Text("agent")
	w := jsonvalue.Begin(nil)
	w.Text("description", description)
	w.Text("prompt", task)
	w.Text("subagent_type", v.toolset.profile.tools.Subagent.providerAgent(agent))
	v.built = w.End()
}

// providerAgent is the name by which providers know an agent.
func (s *subagent) providerAgent(host string) string {
	if host == "" {
		return usualAgent
	}
	for _, a := range s.Agents {
		if a.Host != nil && *a.Host == host {
			return a.Alias
		}
	}
	return host
}
