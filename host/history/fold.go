package history

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// folding is the state in which operations on a todo list become the one call that the provider made.
type folding struct {
	// heads are the newest folds by the id of the provider's call.
	heads map[string]*fold
	all   []*fold
	// known are the host's rows as the newest result told them, nil for none, and size is what they take.
	known []profile.Todo
	size  int
	// told is what all rows take that results have told, and written what long lists have taken in calls.
	told, written int
}

// A fold is one call of the provider that the host has run as several operations.
type fold struct {
	head string
	// ops are the arguments of the operations; there are none if only results are left of the call. message and
	// part are where the call is in the prompt.
	ops           []json.RawMessage
	message, part int
	// known are the rows that the host had before the call, and reported those of the last of its results that
	// has some.
	known, reported []profile.Todo

	// result is the place of the result in the prompt once there is one.
	result   int
	answered bool
	content  content
	failed   bool
}

// operation adds one operation to the fold of its message.
func (a *answer) operation(head string, n jsonspan.Node, arguments json.RawMessage) *fold {
	f := a.folds[head]
	if f == nil {
		f = a.begin(head)
		f.message, f.part, f.known = len(a.out), len(a.parts), a.rows()
		a.parts = append(a.parts, Part{
			Type: ToolCall, ToolCallID: head, ToolName: a.tools.ProviderName(a.todo),
			ProviderOptions: a.signed(n, "thoughtSignature"),
		})
		if a.folds == nil {
			a.folds = map[string]*fold{}
		}
		a.folds[head] = f
	}
	f.ops = append(f.ops, arguments)
	return f
}

// isTodo says whether a tool of the host is the one whose operations are folded. A stored call may have no
// name, if its answer was cut off.
func (b *builder) isTodo(tool string) bool { return b.todo != "" && tool == b.todo }

// tell takes the rows that a result tells, nil for those that providers have no words for.
func (f *folding) tell(rows []profile.Todo) {
	f.known, f.size = rows, 0
	for _, row := range rows {
		f.size += len(`{"content":"","status":""},`) + len(row.Content) + len(row.Status)
	}
	f.told += f.size
}

// rows are the known rows for one more fold. A list is written anew for every fold, so that a long one that
// nothing tells anew would make the prompt grow with the square of the history. No host's history is like
// that: each result tells the whole list.
func (f *folding) rows() []profile.Todo {
	const short, often = 8 << 10, 4
	if f.size > short {
		if f.written+f.size > often*f.told {
			return nil
		}
		f.written += f.size
	}
	return f.known
}

// begin opens a fold. Providers use their ids again, so an earlier fold with the same head is another one.
func (b *builder) begin(head string) *fold {
	f := &fold{head: head}
	b.heads[head] = f
	b.all = append(b.all, f)
	return f
}

// merge adds one result to that of the fold.
func (b *builder) merge(f *fold, r *toolResult) {
	if !f.answered {
		f.answered, f.result = true, len(b.out)
		b.add(f.head, r.tool, nil)
	}
	if r.rows != nil {
		f.reported = r.rows
	}
	if r.content.text() != "" || r.content.hasImage() {
		f.content = append(f.content, r.content...)
	}
	f.failed = f.failed || r.failed
}

// finish writes the calls and results, which are whole now.
func (b *builder) finish() {
	for _, f := range b.all {
		if f.ops != nil {
			b.out[f.message].Content[f.part].Input = profile.FoldTodos(f.ops, f.known, f.reported)
		}
		if !f.answered {
			continue
		}
		if f.content == nil {
			f.content = content{{Type: Text, Text: silence(f.failed)}}
		}
		b.out[f.result].Content[0].Output = b.output(f.content, f.failed)
	}
}

// silence is what is said of operations that have said nothing themselves.
func silence(failed bool) string {
	if failed {
		return "The todo list could not be updated."
	}
	return "The todo list has been updated."
}
