package history

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestResults(t *testing.T) {
	runPromptCases(t, configOf(t, "omp"), toolsOf("ask"), []promptCase{
		{"text", jsonList(gave("c", "ls", "x")), jsonList(tool("c", "ls", "text", "x"))},
		{"name without arguments", jsonList(gave("c", "ask", "x")), jsonList(tool("c", "question", "text", "x"))},
		{"failed", jsonList(failedResult(gave("c", "ls", "x"))), jsonList(tool("c", "ls", "error-text", "x"))},
		{"failed is true alone", `[{"role":"toolResult","toolCallId":"c","toolName":"ls","content":"x","isError":"true"}]`, jsonList(tool("c", "ls", "text", "x"))},
		{"texts", `[{"role":"toolResult","toolCallId":"c","toolName":"ls","content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":""},{"type":"text","text":"b"}]}]`,
			jsonList(tool("c", "ls", "text", "a\\n\\nb"))},
		{"no content", `[{"role":"toolResult","toolCallId":"c","toolName":"ls"},{"role":"toolResult","toolCallId":"d","toolName":"ls","content":[]},{"role":"toolResult","toolCallId":"e","toolName":"ls","content":7}]`,
			jsonList(tool("c", "ls", "text", ""), tool("d", "ls", "text", ""), tool("e", "ls", "text", ""))},
		{"no name", `[{"role":"toolResult","toolCallId":"c","content":"x"}]`, jsonList(tool("c", "", "text", "x"))},
		{"no id", `[{"role":"toolResult","toolName":"ls","content":"x"},{"role":"toolResult","toolCallId":7,"toolName":"ls","content":"x"}]`, `[]`},
		{"texts of results are not restated", jsonList(gave("c", "ls", "use `ask`")), jsonList(tool("c", "ls", "text", "use `ask`"))},
	})
}

func TestResultsWithImages(t *testing.T) {
	const messages = `[{"role":"toolResult","toolCallId":"c","toolName":"ls","isError":true,"content":[{"type":"text","text":""},{"type":"image","data":"","mimeType":"image/png"}]}]`
	item := `{"type":"text","text":""},{"type":"file-data","data":"","mediaType":"image/png"}`
	want := func(items string) string {
		return `[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"ls","output":{"type":"content","value":[` + items + `]}}]}]`
	}
	c := configOf(t, "pi")
	assert.JSONEq(t, want(`{"type":"text","text":"`+errorMark+`"},`+item), promptOf(t, c, nil, messages))
	c.Reference = true
	assert.JSONEq(t, want(item), promptOf(t, c, nil, messages))
}

func TestExcludedTools(t *testing.T) {
	c := configOf(t, "omp")
	c.Exclude = []string{"plan", "ask"}
	call := func(id, name string) string {
		return `{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":{}}`
	}
	stays := func(id, name string) string {
		return `{"type":"tool-call","toolCallId":"` + id + `","toolName":"` + name + `","input":{}}`
	}
	runPromptCases(t, c, toolsOf("plan", "ask", "ls"), []promptCase{
		{"calls and results by name and id", jsonList(asked(call("a", "plan"), call("b", "ls")), gave("a", "other", "x"), gave("b", "ls", "y"), gave("z", "plan", "z")),
			jsonList(calls(stays("b", "ls")), tool("b", "ls", "text", "y"))},
		{"an answer of which nothing is left", jsonList(asked(call("a", "plan"))), `[]`},
		{"by the name of the result alone", jsonList(asked(call("b", "ls")), gave("b", "plan", "y")), jsonList(calls(stays("b", "ls")))},
		{"the id is used again", jsonList(asked(call("0", "plan")), gave("0", "plan", "x"), asked(call("0", "ls")), gave("0", "ls", "y")),
			jsonList(calls(stays("0", "ls")), tool("0", "ls", "text", "y"))},
		{"names in prompts are those that are seen", `[{"role":"developer","content":"` + "`ask`" + `"}]`, `[{"role":"system","content":"` + "`ask`" + `"}]`},
	})
	assert.Equal(t, []string{"ls"}, optionsFor(t, c, toolsOf("plan", "ask", "ls"), `[]`).ToolNames())
}

func TestOutcomes(t *testing.T) {
	c := configOf(t, "omp")
	c.Outcomes = map[string]Outcome{"c": {Text: "done"}, "d": {Text: "stopped", Failed: true}}
	runPromptCases(t, c, toolsOf("task"), []promptCase{
		{"receipts", jsonList(gave("c", "task", "job 1"), failedResult(gave("c", "task", "job 1")), gave("d", "task", "job 2"), gave("e", "task", "job 3")),
			jsonList(tool("c", "task", "text", "done"), tool("c", "task", "text", "done"), tool("d", "task", "error-text", "stopped"), tool("e", "task", "text", "job 3"))},
		{"not the image", `[{"role":"toolResult","toolCallId":"c","toolName":"task","content":[{"type":"image","data":"","mimeType":"x"}]}]`, jsonList(tool("c", "task", "text", "done"))},
	})
	assert.Equal(t, Outcome{}, JoinOutcomes())
	assert.Equal(t, Outcome{Text: "a\n\n\n\nb", Failed: true}, JoinOutcomes(Outcome{Text: "a"}, Outcome{Failed: true}, Outcome{Text: "b"}))
}
