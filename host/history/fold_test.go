package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/profile"
)

func op(id, arguments string) string {
	return `{"type":"toolCall","id":"` + id + `","name":"todo","arguments":` + arguments + `}`
}

func asked(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

// gave is a result of a tool, with rows "content status" if there are any.
func gave(id, tool, text string, rows ...string) string {
	details := ""
	if rows != nil {
		tasks := []string{}
		for _, row := range rows {
			content, status, _ := strings.Cut(row, " ")
			tasks = append(tasks, `{"content":"`+content+`","status":"`+status+`"}`)
		}
		details = `,"details":{"phases":[{"tasks":[` + strings.Join(tasks, ",") + `]}]}`
	}
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"` + tool + `","content":"` + text + `"` + details + `}`
}

func failedResult(message string) string {
	return strings.Replace(message, `"content"`, `"isError":true,"content"`, 1)
}

func wrote(id string, rows ...string) string {
	todos := []string{}
	for _, row := range rows {
		content, status, _ := strings.Cut(row, " ")
		todos = append(todos, `{"content":"`+content+`","status":"`+status+`"}`)
	}
	return `{"type":"tool-call","toolCallId":"` + id + `","toolName":"todowrite","input":{"todos":[` + strings.Join(todos, ",") + `]}}`
}

func calls(parts ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(parts, ",") + `]}`
}

func tool(id, name, kind, text string) string {
	return `{"role":"tool","content":[{"type":"tool-result","toolCallId":"` + id + `","toolName":"` + name +
		`","output":{"type":"` + kind + `","value":"` + text + `"}}]}`
}

func jsonList(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// empty is a result whose only block is empty.
func empty(id string) string {
	return strings.Replace(gave(id, "todo", ""), `"content":""`, `"content":[{"type":"text","text":""}]`, 1)
}

func TestFolding(t *testing.T) {
	initA := op("c#0", `{"op":"init","items":["A","B"]}`)
	readX := `{"type":"toolCall","id":"x","name":"ls","arguments":{}}`
	lsX := `{"type":"tool-call","toolCallId":"x","toolName":"ls","input":{}}`
	runPromptCases(t, configOf(t, "omp"), toolsOf("todo", "ls"), []promptCase{
		{"at the place of the first", jsonList(asked(initA, readX, op("c#1", `{"op":"done","task":"A"}`)), gave("x", "ls", "X"), gave("c#1", "todo", "1"), gave("c#0", "todo", "0")),
			jsonList(calls(wrote("c", "A completed", "B pending"), lsX), tool("x", "ls", "text", "X"), tool("c", "todowrite", "text", "1\\n0"))},
		{"two heads in one message", jsonList(asked(initA, op("d#0", `{"op":"init","items":["D"]}`), op("c#1", `{"op":"rm"}`)), gave("d#0", "todo", "d"), gave("c#0", "todo", "c")),
			jsonList(calls(wrote("c"), wrote("d", "D in_progress")), tool("d", "todowrite", "text", "d"), tool("c", "todowrite", "text", "c"))},
		{"one head in two messages", jsonList(asked(initA), gave("c#0", "todo", "1"), asked(op("c#0", `{"op":"init","items":["C"]}`)), gave("c#0", "todo", "2")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "text", "1"), calls(wrote("c", "C in_progress")), tool("c", "todowrite", "text", "2"))},
		{"a result without its call is of the newest with its head", jsonList(asked(initA), gave("c#0", "todo", "1"), asked(op("c#0", `{"op":"init","items":["C"]}`)), gave("c#0", "todo", "2"), gave("c#5", "todo", "3")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "text", "1"), calls(wrote("c", "C in_progress")), tool("c", "todowrite", "text", "2\\n3"))},
		{"on known rows", jsonList(gave("z", "todo", "z", "A in_progress", "B pending"), asked(op("c#0", `{"op":"done","task":"A"}`)), gave("c#0", "todo", "0", "A completed", "B in_progress")),
			jsonList(tool("z", "todowrite", "text", "z"), calls(wrote("c", "A completed", "B pending")), tool("c", "todowrite", "text", "0"))},
		{"on no rows that are known", jsonList(gave("z", "todo", "z", []string{}...), `{"role":"toolResult","toolCallId":"z","toolName":"todo","content":"y","details":{"phases":[]}}`,
			asked(op("c#0", `{"op":"done","task":"A"}`)), gave("c#0", "todo", "0", "B pending")),
			jsonList(tool("z", "todowrite", "text", "z"), tool("z", "todowrite", "text", "y"), calls(wrote("c", "A completed")), tool("c", "todowrite", "text", "0"))},
		{"rows that cannot be said", jsonList(gave("y", "todo", "y", "A pending"), gave("z", "todo", "z", "A blocked"), asked(op("c#0", `{"op":"done","task":"A"}`)),
			gave("c#0", "todo", "0", "A blocked")),
			jsonList(tool("y", "todowrite", "text", "y"), tool("z", "todowrite", "text", "z"), calls(wrote("c")), tool("c", "todowrite", "text", "0"))},
		{"failed results tell nothing", jsonList(failedResult(gave("z", "todo", "z", "Z pending")), asked(op("c#0", `{"op":"done","task":"A"}`)),
			failedResult(gave("c#0", "todo", "0", "A pending"))),
			jsonList(tool("z", "todowrite", "error-text", "z"), calls(wrote("c")), tool("c", "todowrite", "error-text", "0"))},
		{"the group's last rows", jsonList(asked(op("c#0", `{"op":"done","task":"A"}`), op("c#1", `{"op":"view"}`)), gave("c#0", "todo", "0", "A completed"), gave("c#1", "todo", "1", "A completed", "B pending")),
			jsonList(calls(wrote("c", "A completed", "B pending")), tool("c", "todowrite", "text", "0\\n1"))},
		{"the group's last rows that can be said", jsonList(asked(op("c#0", `{"op":"done","task":"A"}`), op("c#1", `{"op":"view"}`)), gave("c#0", "todo", "0", "A completed"), gave("c#1", "todo", "1", "A blocked"),
			asked(op("d#0", `{"op":"done","task":"D"}`)), gave("d#0", "todo", "d")),
			jsonList(calls(wrote("c", "A completed")), tool("c", "todowrite", "text", "0\\n1"), calls(wrote("d")), tool("d", "todowrite", "text", "d"))},
		{"rows of others do not stand in", jsonList(asked(op("c#0", `{"op":"done","task":"A"}`)), gave("d#0", "todo", "d", "D pending"), gave("c#0", "todo", "0")),
			jsonList(calls(wrote("c")), tool("d", "todowrite", "text", "d"), tool("c", "todowrite", "text", "0"))},
		{"an init needs no rows", jsonList(gave("z", "todo", "z", "Z pending"), asked(op("c#0", `{"op":"done","task":"Z"}`), op("c#1", `{"op":"init","items":["A"]}`)), gave("c#1", "todo", "0", "B pending")),
			jsonList(tool("z", "todowrite", "text", "z"), calls(wrote("c", "A in_progress")), tool("c", "todowrite", "text", "0"))},
		{"silent", jsonList(asked(initA, op("c#1", `{"op":"view"}`)), gave("c#0", "todo", ""), gave("c#1", "todo", "")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "text", "The todo list has been updated."))},
		{"silent in blocks", jsonList(asked(initA, op("c#1", `{"op":"view"}`)), empty("c#0"), empty("c#1")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "text", "The todo list has been updated."))},
		{"one of them silent in blocks", jsonList(asked(initA, op("c#1", `{"op":"view"}`)), empty("c#0"), gave("c#1", "todo", "1")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "text", "1"))},
		{"silent failure", jsonList(asked(initA, op("c#1", `{"op":"view"}`)), failedResult(gave("c#0", "todo", "")), gave("c#1", "todo", "")),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "error-text", "The todo list could not be updated."))},
		{"one of them failed, one silent", jsonList(asked(initA), gave("c#0", "todo", ""), gave("c#1", "todo", "a"), failedResult(gave("c#2", "todo", "b"))),
			jsonList(calls(wrote("c", "A in_progress", "B pending")), tool("c", "todowrite", "error-text", "a\\nb"))},
		{"unanswered", jsonList(asked(initA)), jsonList(calls(wrote("c", "A in_progress", "B pending")))},
		{"results whose calls are gone", jsonList(gave("c#0", "todo", "0"), gave("d", "todo", "d"), gave("c#1", "todo", "1"), gave("c#x", "todo", "x")),
			jsonList(tool("c", "todowrite", "text", "0\\n1"), tool("d", "todowrite", "text", "d"), tool("c#x", "todowrite", "text", "x"))},
		{"other ids are left alone", jsonList(asked(op("#1", `{"op":"rm"}`), op("a#", `{"op":"rm"}`), op("a#1b", `{"op":"rm"}`)), gave("#1", "todo", "1")),
			jsonList(calls(wrote("#1"), wrote("a#"), wrote("a#1b")), tool("#1", "todowrite", "text", "1"))},
		{"other tools are left alone", jsonList(`{"role":"assistant","content":[{"type":"toolCall","id":"r#0","name":"ls","arguments":{}}]}`, gave("r#0", "ls", "x")),
			jsonList(calls(strings.Replace(lsX, `"x"`, `"r#0"`, 1)), tool("r#0", "ls", "text", "x"))},
		{"a result follows its call, not its name", jsonList(asked(initA, `{"type":"toolCall","id":"r#0","name":"ls","arguments":{}}`), gave("r#0", "todo", "r"), gave("c#0", "ls", "c")),
			jsonList(calls(wrote("c", "A in_progress", "B pending"), strings.Replace(lsX, `"x"`, `"r#0"`, 1)), tool("r#0", "todowrite", "text", "r"), tool("c", "ls", "text", "c"))},
		{"without a name it is its call's", jsonList(asked(initA, readX), `{"role":"toolResult","toolCallId":"x","content":"X"}`, `{"role":"toolResult","toolCallId":"c#0","content":"0","toolName":null}`),
			jsonList(calls(wrote("c", "A in_progress", "B pending"), lsX), tool("x", "ls", "text", "X"), tool("c", "todowrite", "text", "0"))},
	})
	runPromptCases(t, configOf(t, "omp"), toolsOf("ls"), []promptCase{
		{"calls without a name", jsonList(asked(`{"type":"toolCall","id":"c#0","name":"","arguments":{}}`), gave("c#0", "", "x")),
			jsonList(calls(`{"type":"tool-call","toolCallId":"c#0","toolName":"","input":{}}`), tool("c#0", "", "text", "x"))},
		{"not live", jsonList(asked(op("c#0", `{"op":"rm"}`)), gave("c#0", "todo", "x"), gave("d#0", "todo", "y")),
			jsonList(calls(`{"type":"tool-call","toolCallId":"c#0","toolName":"todo","input":{"op":"rm"}}`), tool("c#0", "todo", "text", "x"), tool("d#0", "todo", "text", "y"))},
	})
}

func TestFoldingKeepsImages(t *testing.T) {
	got := promptOf(t, configOf(t, "omp"), toolsOf("todo"), jsonList(gave("c#0", "todo", "0"),
		`{"role":"toolResult","toolCallId":"c#1","toolName":"todo","isError":true,"content":[{"type":"image","data":"QQ==","mimeType":"image/png"}]}`))
	assert.JSONEq(t, `[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"todowrite","output":{"type":"content","value":[
		{"type":"text","text":"`+errorMark+`"},{"type":"text","text":"0"},{"type":"file-data","data":"QQ==","mediaType":"image/png"}]}}]}]`, got)
}

func TestFoldedCallsTakeTheFirstSignature(t *testing.T) {
	signed := func(id, signature string) string {
		return `{"type":"toolCall","id":"` + id + `","name":"todo","arguments":{"op":"init","items":["A"]},"thoughtSignature":"` + signature + `"}`
	}
	c := configOf(t, "omp")
	messages := own(jsonList(signed("c#0", `{\"a\":{\"s\":1}}`), signed("c#1", `{\"a\":{\"s\":2}}`), op("d#0", `{"op":"rm"}`), signed("d#1", `{\"a\":{}}`)), ``)
	want := strings.TrimSuffix(wrote("c", "A in_progress"), "}") + `,"providerOptions":{"a":{"s":1}}}`
	assert.JSONEq(t, parts(jsonList(want, wrote("d", "A in_progress"))), promptOf(t, c, toolsOf("todo"), messages))
	c.Reference = true
	assert.JSONEq(t, parts(jsonList(wrote("c", "A in_progress"), wrote("d", "A in_progress"))), promptOf(t, c, toolsOf("todo"), messages))
}

// Long lists that nothing tells anew are not written again and again; short ones are.
func TestFoldingStaysLinear(t *testing.T) {
	history := func(rows, folds int, tells bool) string {
		list := make([]string, rows)
		for i := range list {
			list[i] = fmt.Sprintf("R%d pending", i)
		}
		messages := []string{gave("z", "todo", "z", list...)}
		for i := range folds {
			messages = append(messages, asked(op(fmt.Sprintf("c%d#0", i), `{"op":"done","task":"R0"}`)))
			if tells {
				messages = append(messages, gave(fmt.Sprintf("c%d#0", i), "todo", "z", list...))
			}
		}
		return jsonList(messages...)
	}
	for _, tc := range []struct {
		rows, folds int
		tells       bool
	}{{100, 400, false}, {2000, 40, true}, {2000, 400, false}} {
		o := optionsFor(t, configOf(t, "omp"), toolsOf("todo"), history(tc.rows, tc.folds, tc.tells))
		written := 0
		for _, m := range o.Prompt {
			if m.Role == RoleAssistant {
				written += strings.Count(string(m.Content[0].Input), `"status"`)
			}
		}
		switch {
		case tc.tells || tc.rows <= 100:
			assert.Equal(t, tc.rows*tc.folds, written)
		default:
			assert.Equal(t, 4*tc.rows, written)
		}
	}
}

// A few long rows are a long list too.
func TestFoldingOfLongRowsStaysLinear(t *testing.T) {
	row := strings.Repeat("r", 100_000)
	messages := []string{gave("z", "todo", "z", row+" pending")}
	for i := range 400 {
		messages = append(messages, asked(op(fmt.Sprintf("c%d#0", i), `{"op":"view"}`)))
	}
	written := 0
	for _, m := range optionsFor(t, configOf(t, "omp"), toolsOf("todo"), jsonList(messages...)).Prompt {
		if m.Role == RoleAssistant {
			written += strings.Count(string(m.Content[0].Input), row)
		}
	}
	assert.Equal(t, 4, written)
}

func TestTodos(t *testing.T) {
	p, _ := profile.Named("omp")
	live := p.Bind(toolsOf("todo"), profile.Options{})
	list := func(messages ...string) (raw []json.RawMessage) {
		for _, m := range messages {
			raw = append(raw, json.RawMessage(m))
		}
		return raw
	}
	rows := []profile.Todo{{Content: "A", Status: "in_progress"}, {Content: "B", Status: "cancelled"}}
	told := gave("z", "todo", "z", "A in_progress", "B abandoned")
	for _, tc := range []struct {
		name     string
		messages []json.RawMessage
		want     []profile.Todo
	}{
		{"none", nil, nil},
		{"the newest", list(gave("y", "todo", "y", "Y pending"), told, `{"role":"user","content":"x"}`, gave("x", "ls", "x", "X pending")), rows},
		{"failed ones are passed over", list(told, failedResult(gave("y", "todo", "y", "Y pending")), gave("x", "todo", "no details")), rows},
		{"rows that cannot be said", list(told, gave("y", "todo", "y", "Y blocked"), gave("x", "todo", "x")), nil},
		{"an empty list is known", list(told, `{"role":"toolResult","toolName":"todo","details":{"phases":[]}}`), []profile.Todo{}},
		{"what is no JSON says nothing", list(told, `{`, `null`, `5`), rows},
	} {
		assert.Equal(t, tc.want, Todos(live, tc.messages), tc.name)
	}
	assert.Nil(t, Todos(p.Bind(toolsOf("ls"), profile.Options{}), list(told)))
	assert.Nil(t, Todos(p.Bind(toolsOf("todo"), profile.Options{Exclude: []string{"todo"}}), list(told)))
}
