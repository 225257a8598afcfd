package history

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/host/profile"
)

// Todos returns the rows of the host's todo list before a call: those that the newest result of its tool
// has reported, in a form that providers know. It returns nil if no result has, or the newest one in a
// form that they do not. Results are looked at from the newest one on, and no further than needed.
func Todos(t *profile.Toolset, messages []json.RawMessage) []profile.Todo {
	if _, ok := t.TodoTool(); !ok {
		return nil
	}
	for _, m := range slices.Backward(messages) {
		if rows, kind := t.ResultTodos(m); kind != profile.NoTodoResult {
			return rows
		}
	}
	return nil
}
