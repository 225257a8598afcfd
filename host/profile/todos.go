package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Todo is a row of a todo list.
type Todo struct {
	// Content is what is to be done: text that is not blank and has no white space around it.
	Content string
	// Status is "pending", "in_progress", "completed" or "cancelled".
	Status string
}

const (
	pending   = "pending"
	active    = "in_progress"
	completed = "completed"
	cancelled = "cancelled"
)

// callTodo makes operations of a list that is given whole. A call that names its operation itself passes
// without what providers add to it.
func callTodo(v *conversion) {
	if v.call.Name == v.rule.Provider[1] {
		v.view()
		return
	}
	op, isOp := v.args.Text("op")
	if op != "" {
		for _, key := range [...]string{"todos", "id", "priority", "merge"} {
			v.remove(key)
		}
		return
	}
	rows, ok := todoRows(v.args.Get("todos"))
	if !ok {
		return
	}
	if !isOp {
		if ops, ok := difference(v.known, rows); ok {
			v.several, v.fanOut = appendOps(nil, nil, ops), true
			return
		}
	}
	v.several = wholeList(rows)
}

// view looks at the list. The arguments of the call win, whatever they are.
func (v *conversion) view() {
	w := jsonvalue.Begin(nil)
	if !v.args.Has("op") {
		w.Raw("op", json.RawMessage(`"view"`))
	}
	for key, value := range v.args.All() {
		w.Raw(key, value)
	}
	v.built = w.End()
}

// todoRows reads the rows of a list, and says whether it is one. What cannot be a row is passed over, and
// a status that is not known is a row to do.
func todoRows(list json.RawMessage) ([]Todo, bool) {
	w := jsonspan.Walk(list)
	if w.Kind() != jsonspan.Array {
		return nil, false
	}
	rows := []Todo{}
	var row [2][]byte
	for w.Next() {
		jsonvalue.PickInto(row[:], w.Raw(), "content", "status")
		if text := ecma.Trim(jsonvalue.StringOf(row[0])); text != "" {
			rows = append(rows, Todo{text, providerStatus(row[1])})
		}
	}
	return rows, true
}

func providerStatus(raw json.RawMessage) string {
	switch string(raw) { // as nearly all are written
	case `"pending"`:
		return pending
	case `"in_progress"`:
		return active
	case `"completed"`:
		return completed
	}
	switch status := jsonvalue.StringOf(raw); status {
	case active, completed, cancelled:
		return status
	case "canceled":
		return cancelled
	}
	return pending
}

// restateTodo restates one operation that is not part of a group.
func restateTodo(v *conversion) {
	op, _ := v.args.Text("op")
	switch op {
	case "view":
		v.name, v.built = v.rule.Provider[1], json.RawMessage(`{}`)
	case "rm":
		if task, _ := v.args.Text("task"); v.toolset.reference || ecma.IsBlank(task) {
			v.built = todoList(nil)
		}
	case "init":
		if rows := initRows(v.args.Get("items"), v.args.Get("list")); len(rows) > 0 {
			v.built = todoList(rows)
		}
	}
}

// initRows are the rows of a list that begins anew: the first one is active.
func initRows(items, phases json.RawMessage) []Todo {
	rows := appendPending(nil, items)
	if len(rows) == 0 {
		list, _ := ordered.Elements(phases)
		for _, phase := range list {
			rows = appendPending(rows, jsonvalue.Pick(phase, "items")[0])
		}
	}
	if len(rows) > 0 {
		rows[0].Status = active
	}
	return rows
}

func appendPending(rows []Todo, items json.RawMessage) []Todo {
	w := jsonspan.Walk(items)
	if w.Kind() != jsonspan.Array {
		return rows
	}
	for w.Next() {
		if content := ecma.Trim(jsonvalue.StringOf(w.Raw())); content != "" {
			rows = append(rows, Todo{content, pending})
		}
	}
	return rows
}

// todoList is a whole list as providers give and get it.
func todoList(rows []Todo) json.RawMessage {
	out := append(make([]byte, 0, 16+64*len(rows)), `{"todos":[`...)
	for i, row := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		w := jsonvalue.Begin(out)
		w.Text("content", row.Content)
		w.Text("status", row.Status)
		out = w.End()
	}
	return append(out, ']', '}')
}
