package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A todoOp is an operation on one row.
type todoOp struct{ op, task string }

// difference finds the operations that make the wanted rows of those that are known. It is false where
// operations cannot do it: they neither add rows nor move them, and set none back to pending but the
// active one. No known row may be like another: then no wanted row is, as each is found at a place of its own
// among them.
func difference(known, wanted []Todo) ([]todoOp, bool) {
	if len(known) == 0 || len(wanted) == 0 || !distinct(known) {
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
