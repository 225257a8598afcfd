package history

import (
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A toolResult is a host's message with what a tool has given back.
type toolResult struct {
	// tool is the host's name.
	tool    string
	content content
	failed  bool
	// rows are those of the host's todo list, nil if it tells none or some that providers have no words for.
	rows []profile.Todo
}

// result adds a tool's result. It is left out with its call.
func (b *builder) result(m jsonspan.Node) {
	tool, named := jsonvalue.Text(jsonvalue.Member(m, "toolName"))
	ofTodo := named && b.isTodo(tool)
	var r toolResult
	if ofTodo {
		r.rows = b.learn(m)
	}
	id, ok := jsonvalue.Text(jsonvalue.Member(m, "toolCallId"))
	if !ok {
		return
	}
	asked, called := b.calls[id]
	if !named {
		tool = asked.tool
	}
	if asked.dropped || b.tools.Excluded(tool) {
		return
	}
	r.tool = tool
	if done, ok := b.cfg.Outcomes[id]; ok {
		r.content, r.failed = content{{Type: Text, Text: done.Text}}, done.Failed
	} else {
		r.content = readContent(jsonvalue.Member(m, "content"))
		r.failed = string(jsonvalue.Member(m, "isError").Raw()) == "true"
	}
	f := asked.fold
	if ofTodo && !called {
		f = b.orphan(id)
	}
	if f != nil {
		b.merge(f, &r)
		return
	}
	b.add(id, tool, b.output(r.content, r.failed))
}

// add adds the message of a result, for which tool is the host's name.
func (b *builder) add(id, tool string, out *Output) {
	b.out = append(b.out, Message{Role: RoleTool, Content: []Part{{
		Type: ToolResult, ToolCallID: id, ToolName: b.tools.ProviderName(tool), Output: out,
	}}})
	b.afterTool = true
}

// learn takes the rows of the host's todo list from a result of its tool.
func (b *builder) learn(m jsonspan.Node) []profile.Todo {
	rows, kind := b.tools.ResultTodos(m.Raw())
	if kind != profile.NoTodoResult {
		b.tell(rows)
	}
	return rows
}

// orphan returns the fold of a result whose call is not there, nil if it is not of one.
func (b *builder) orphan(id string) *fold {
	head, ok := profile.FanOutHead(id)
	if !ok {
		return nil
	}
	if f := b.heads[head]; f != nil {
		return f
	}
	return b.begin(head)
}

// errorMark says of a result with images what its type cannot.
const errorMark = "The tool has failed. This is what it gave back:"

// output makes an output of what a tool has given back: a text, or a list if there are images.
func (b *builder) output(c content, failed bool) *Output {
	switch {
	case c.hasImage():
		if failed && !b.cfg.Reference {
			c = append(content{{Type: Text, Text: errorMark}}, c...)
		}
		return &Output{Type: OutputContent, Content: c}
	case failed:
		return &Output{Type: OutputErrorText, Text: c.text()}
	}
	return &Output{Type: OutputText, Text: c.text()}
}
