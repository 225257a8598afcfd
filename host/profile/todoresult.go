package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A TodoResult is what a host message says about the todo list.
type TodoResult uint8

const (
	// NoTodoResult: nothing. What was said before stands.
	NoTodoResult TodoResult = iota
	// UnknownTodos: rows that providers have no word for. What was said before does not stand.
	UnknownTodos
	// KnownTodos: rows.
	KnownTodos
)

// ResultTodos reads the rows of the todo list from a host message: a result, not an error, of the live
// todo tool that lists phases in its details. rows is not nil where the kind is KnownTodos, though it may
// be empty, and nil otherwise.
//
// The rows known before a message are those of the newest message before it whose kind is not
// NoTodoResult. To follow a conversation, set what is known to rows at every such message.
func (t *Toolset) ResultTodos(message json.RawMessage) (rows []Todo, kind TodoResult) {
	tool, ok := t.TodoTool()
	if !ok {
		return nil, NoTodoResult
	}
	var members [4][]byte
	jsonvalue.PickInto(members[:], message, "role", "toolName", "isError", "details")
	role, name, isError, details := members[0], members[1], members[2], members[3]
	if jsonvalue.StringOf(role) != "toolResult" || jsonvalue.StringOf(name) != tool || isTrue(isError) {
		return nil, NoTodoResult
	}
	phases := jsonvalue.Pick(details, "phases")[0]
	w := jsonspan.Walk(phases)
	if w.Kind() != jsonspan.Array {
		return nil, NoTodoResult
	}
	rows = []Todo{}
	for w.Next() {
		tasks := jsonvalue.Pick(w.Raw(), "tasks")[0]
		if rows, ok = appendTasks(rows, tasks); !ok {
			return nil, UnknownTodos
		}
	}
	return rows, KnownTodos
}

// appendTasks adds the tasks of one phase.
func appendTasks(rows []Todo, tasks json.RawMessage) ([]Todo, bool) {
	w := jsonspan.Walk(tasks)
	if w.Kind() != jsonspan.Array {
		return nil, false
	}
	var members [2][]byte
	for w.Next() {
		jsonvalue.PickInto(members[:], w.Raw(), "content", "status")
		row := Todo{Content: ecma.Trim(jsonvalue.StringOf(members[0]))}
		switch name := jsonvalue.StringOf(members[1]); name {
		case pending, active, completed:
			row.Status = name
		case "abandoned":
			row.Status = cancelled
		default:
			return nil, false
		}
		if row.Content == "" {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, true
}
