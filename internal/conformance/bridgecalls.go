package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/profile"
)

func callCases() Suite {
	call := Operation{run: runCallCase}
	return Suite{"tools-call": call, "tools-history": call, "todo": call}
}

func runCallCase(_ context.Context, c *testCase) (any, error) {
	switch op := c.input.Get("op").str(""); op {
	case "call":
		return runToHost(c)
	case "history":
		return runToProvider(c)
	case "reconstruct":
		given := c.input.Get("reconstruct")
		ops := []json.RawMessage{}
		for _, v := range given.Get("operations").items {
			ops = append(ops, v.raw)
		}
		rows, ok := profile.ReplayTodos(ops, todosOf(given.Get("current")))
		if !ok {
			return nil, nil
		}
		return fields{"todos", todoList(rows)}, nil
	case "rows":
		return runTodoRows(c)
	case "fanout-id":
		head, ok := profile.FanOutHead(c.input.Get("fanoutOriginal").str(""))
		if !ok {
			return nil, nil
		}
		return head, nil
	default:
		return nil, fmt.Errorf("no op %q", op)
	}
}

func caseCall(c *testCase) profile.Call {
	return profile.Call{Name: c.input.Get("toolName").str(""), Arguments: c.input.Get("args").raw}
}

func runToHost(c *testCase) (any, error) {
	tools, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	result := tools.ToHost(caseCall(c), todosOf(c.input.Get("hostTodos")))
	calls := make([]any, len(result.Calls))
	for i, call := range result.Calls {
		calls[i] = fields{"toolName", call.Name, "args", call.Arguments}
	}
	return fields{"calls", calls, "fanout", result.FanOut}, nil
}

func runToProvider(c *testCase) (any, error) {
	tools, err := boundTools(c)
	if err != nil {
		return nil, err
	}
	call := tools.ToProvider(caseCall(c))
	return fields{"toolName", call.Name, "args", call.Arguments}, nil
}

// runTodoRows reads a result of the tool that the case is about: todo of omp.
func runTodoRows(c *testCase) (any, error) {
	p, err := profile.Named("omp")
	if err != nil {
		return nil, err
	}
	tools := p.Bind([]profile.Tool{{Name: "todo"}}, profile.Options{Reference: c.reference})
	switch rows, kind := tools.ResultTodos(c.input.Get("rowsFromResult").raw); kind {
	case profile.KnownTodos:
		return fields{"kind", "rows", "rows", todoList(rows)}, nil
	case profile.UnknownTodos:
		return fields{"kind", "not-expressible"}, nil
	}
	return fields{"kind", "not-a-todo-result"}, nil
}

// todosOf reads rows, nil if there is no list.
func todosOf(list Value) []profile.Todo {
	if !list.present() {
		return nil
	}
	rows := make([]profile.Todo, len(list.items))
	for i, row := range list.items {
		rows[i] = profile.Todo{Content: row.Get("content").str(""), Status: row.Get("status").str("")}
	}
	return rows
}

func todoList(rows []profile.Todo) []any {
	list := make([]any, len(rows))
	for i, row := range rows {
		list[i] = fields{"content", row.Content, "status", row.Status}
	}
	return list
}
