package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
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
	for w.Next() {
		at := w.Value()
		content, status := pair(list[at.From:at.To], "content", "status")
		if text := ecma.Trim(jsonvalue.StringOf(content)); text != "" {
			rows = append(rows, Todo{text, providerStatus(status)})
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

// pair returns two members of an object, nil where there is none. It is the way to read many small
// objects of which little is wanted.
func pair(object []byte, first, second string) (a, b json.RawMessage) {
	if !isObject(object) {
		return nil, nil
	}
	jsonspan.Members(object, func(key, value []byte) {
		switch {
		case keyIs(key, first):
			a = value
		case keyIs(key, second):
			b = value
		}
	})
	return a, b
}

func keyIs(raw []byte, key string) bool {
	if inside := raw[1 : len(raw)-1]; string(inside) == key {
		return true
	}
	for _, c := range raw {
		if c == '\\' {
			text, _ := wtf8.Unquote(raw)
			return text == key
		}
	}
	return false
}

// A todoOp is an operation on one row.
type todoOp struct{ op, task string }

// difference finds the operations that make the wanted rows of those that are known. It is false where
// operations cannot do it: they neither add rows nor move them, and set none back to pending but the
// active one.
func difference(known, wanted []Todo) ([]todoOp, bool) {
	if len(known) == 0 || len(wanted) == 0 || !distinct(known) || !distinct(wanted) {
		return nil, false
	}
	var ops, changes []todoOp
	start, activeRows, demoted := "", 0, false
	next := 0
	for _, row := range known {
		if next == len(wanted) || wanted[next].Content != row.Content {
			ops = append(ops, todoOp{"rm", row.Content})
			continue
		}
		want := wanted[next]
		next++
		if want.Status == active {
			activeRows++
		}
		switch {
		case want.Status == row.Status:
		case want.Status == completed:
			changes = append(changes, todoOp{"done", want.Content})
		case want.Status == cancelled:
			changes = append(changes, todoOp{"drop", want.Content})
		case want.Status == active:
			start = want.Content
		case row.Status == active:
			demoted = true
		default:
			return nil, false
		}
	}
	// Starting a row is what sets the active one back.
	if next < len(wanted) || activeRows > 1 || demoted && start == "" {
		return nil, false
	}
	ops = append(ops, changes...)
	if start != "" {
		ops = append(ops, todoOp{"start", start})
	}
	if len(ops) == 0 {
		ops = append(ops, todoOp{op: "view"})
	}
	return ops, true
}

func distinct(rows []Todo) bool {
	seen := make(map[string]struct{}, len(rows))
	for _, row := range rows {
		seen[row.Content] = struct{}{}
	}
	return len(seen) == len(rows)
}

// wholeList makes the operations that begin a list anew.
func wholeList(rows []Todo) []json.RawMessage {
	if len(rows) == 0 {
		return appendOps(nil, nil, []todoOp{{op: "rm"}})
	}
	var ops []todoOp
	start, anyClosed := "", false
	for _, row := range rows {
		switch row.Status {
		case completed:
			ops, anyClosed = append(ops, todoOp{"done", row.Content}), true
		case cancelled:
			ops, anyClosed = append(ops, todoOp{"drop", row.Content}), true
		case active:
			if start == "" {
				start = row.Content
			}
		}
	}
	out := append(make([]byte, 0, 32*len(rows)), `{"op":"init","items":[`...)
	if anyClosed {
		out = appendItems(out, rows, func(Todo) bool { return true })
		if start != "" {
			ops = append(ops, todoOp{"start", start})
		}
	} else { // the host makes the first row the active one
		out = appendItems(out, rows, func(t Todo) bool { return t.Status == active })
		out = appendItems(out, rows, func(t Todo) bool { return t.Status != active })
	}
	out = append(out, ']', '}')
	return appendOps(out, []int{len(out)}, ops)
}

func appendItems(out []byte, rows []Todo, which func(Todo) bool) []byte {
	for _, row := range rows {
		if !which(row) {
			continue
		}
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = wtf8.AppendQuote(out, row.Content)
	}
	return out
}

// appendOps writes operations as JSON behind those in out, of which ends says where each ends. They share
// one piece of memory.
func appendOps(out []byte, ends []int, ops []todoOp) []json.RawMessage {
	for _, op := range ops {
		w := jsonvalue.Begin(out)
		w.Text("op", op.op)
		if op.task != "" {
			w.Text("task", op.task)
		}
		out = w.End()
		ends = append(ends, len(out))
	}
	list := make([]json.RawMessage, len(ends))
	from := 0
	for i, end := range ends {
		list[i] = out[from:end:end]
		from = end
	}
	return list
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
			items, _ := pair(phase, "items", "")
			rows = appendPending(rows, items)
		}
	}
	if len(rows) > 0 {
		rows[0].Status = active
	}
	return rows
}

func appendPending(rows []Todo, items json.RawMessage) []Todo {
	list, _ := ordered.Elements(items)
	for _, item := range list {
		if content := ecma.Trim(jsonvalue.StringOf(item)); content != "" {
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
