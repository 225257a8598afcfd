package profile

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Calls are what one call of a provider's becomes on the host.
type Calls struct {
	// Calls are the host's calls in order, at least one.
	Calls []Call
	// FanOut says that the calls have ids of their own: the id of the provider's call with "#0", "#1" and so
	// on behind it (see [FanOutHead]). It is set where there are several calls, and where the only one is the
	// difference of a todo list.
	FanOut bool
	// Todo says that the call was one of the todo tool, so that the rows of its list are not known any more.
	Todo bool
}

// ToHost makes the host's calls of a provider's call (section "Call direction"; with the sound rule 12 of
// section "Reference gaps and the sound default" unless the toolset was bound for the reference). known
// are the host's rows of the todo list before the call, nil if they are not known; see
// [Toolset.ResultTodos].
//
// The name is looked for in this order: the tools of the roles ("task", "question"), the name of a tool
// that had to give way, a renamed tool, a live tool. A call by another name, and arguments that are no
// object, pass as they are. Arguments that do not change are the same bytes. The cost is linear in the
// length of the arguments and of known.
func (t *Toolset) ToHost(c Call, known []Todo) Calls {
	host := t.HostName(c.Name)
	rule := t.rule(host)
	todo := rule != nil && rule.Call == todoShape
	shape := (func(*conversion))(nil)
	switch {
	case c.Name == taskName && t.subagent != nil:
		rule, shape, todo = nil, callDelegate, false
	case c.Name == questionName && t.question != "":
		rule, shape, todo = nil, callQuestion, false
	case rule == nil:
		return Calls{Calls: []Call{{host, c.Arguments}}}
	default:
		shape = callShapes[rule.Call]
	}
	args, ok := ordered.ParseObject(c.Arguments)
	if !ok {
		return Calls{Calls: []Call{{host, c.Arguments}}, Todo: todo}
	}
	v := &conversion{toolset: t, rule: rule, call: c, args: args, known: known}
	v.useHostKeys()
	if shape != nil {
		shape(v)
	}
	if v.several == nil {
		return Calls{Calls: []Call{{host, v.arguments()}}, FanOut: v.fanOut, Todo: todo}
	}
	calls := make([]Call, len(v.several))
	for i, arguments := range v.several {
		calls[i] = Call{host, arguments}
	}
	return Calls{Calls: calls, FanOut: v.fanOut || len(calls) > 1, Todo: todo}
}

// todoShape is the shape of a tool that changes a todo list by operations.
const todoShape = "todo"

// callShapes are the shapes that a table may name for the way to the host. The arguments have the host's
// keys already.
var callShapes = map[string]func(*conversion){
	"selector": callSelector,
	"edits":    callEdits,
	"shell":    callShell,
	"glob":     callGlob,
	"grep":     callGrep,
	todoShape:  callTodo,
}

// useHostKeys puts the host's keys in the place of those that providers use. A key that is there already
// wins, be it null, and of several that stand for it the first one of the table does.
func (v *conversion) useHostKeys() {
	if v.rule == nil {
		return
	}
	for _, alias := range v.rule.Aliases {
		v.rename(alias[0], alias[1])
	}
	for _, key := range v.rule.Drop {
		v.remove(key)
	}
}

// useProviderKeys undoes useHostKeys: of several keys that stand for one of the host's, the first one of the
// table takes its place. The host's keys in but stay.
func (v *conversion) useProviderKeys(but ...string) {
	for _, alias := range slices.Backward(v.rule.Aliases) {
		if v.rule.alias(alias[1]) == alias[0] && !slices.Contains(but, alias[1]) {
			v.rename(alias[1], alias[0])
		}
	}
}
