package profile

import "github.com/pintle-wasm/pintle/internal/ecma/ordered"

// ToProvider restates a stored call of the host as a provider would have made it (section "History
// direction"; with the sound rules 9 and 12 of section "Reference gaps and the sound default" unless the
// toolset was bound for the reference). It looks at one call alone: operations on a todo list that belong
// together are the business of [FoldTodos], and whether the tool is excluded that of [Toolset.Excluded].
//
// A call of a tool that is not live, and arguments that are no object or not of the expected form, pass as
// they are, under the provider's name of the tool. Arguments that do not change are the same bytes. The
// cost is linear in their length.
func (t *Toolset) ToProvider(c Call) Call {
	rule := t.rule(c.Name)
	shape := (func(*conversion))(nil)
	switch {
	case t.subagent != nil && c.Name == t.subagent.HostTool:
		rule, shape = nil, restateDelegate
	case t.question != "" && c.Name == t.question:
		rule, shape = nil, restateQuestion
	case rule != nil:
		shape = historyShapes[rule.History]
	}
	name := t.ProviderName(c.Name)
	if shape == nil {
		return Call{name, c.Arguments}
	}
	args, ok := ordered.ParseObject(c.Arguments)
	if !ok {
		return Call{name, c.Arguments}
	}
	v := &conversion{toolset: t, rule: rule, call: c, name: name, args: args}
	shape(v)
	return Call{v.name, v.arguments()}
}

// historyShapes are the shapes that a table may name for the way to the provider.
var historyShapes = map[string]func(*conversion){
	"selector": restateSelector,
	"read":     func(v *conversion) { restateFile(v, "offset", "limit") },
	"write":    func(v *conversion) { restateFile(v, "content") },
	"edits":    restateEdits,
	"replace":  restateReplace,
	"shell":    restateShell,
	"glob":     restateGlob,
	"grep":     restateGrep,
	"aliases":  func(v *conversion) { v.useProviderKeys() },
	todoShape:  restateTodo,
}
