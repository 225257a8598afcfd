package profile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/profile"
)

func todoResult(phases string) json.RawMessage {
	return json.RawMessage(`{"role":"toolResult","toolName":"todo","isError":false,"details":{"phases":` + phases + `}}`)
}

func TestResultTodos(t *testing.T) {
	tools := onOmp(t)
	for phases, want := range map[string]string{
		`[]`:                          "",
		`[{"tasks":[]},{"tasks":[]}]`: "",
		`[{"name":"P","tasks":[{"content":"\u00a0A ","status":"pending","x":1},{"status":"in_progress","content":"B"}]},` +
			`{"tasks":[{"content":"C","status":"completed"},{"content":"C","status":"abandoned"}]}]`: "A:pending B:in_progress C:completed C:cancelled",
	} {
		got, kind := tools.ResultTodos(todoResult(phases))
		assert.Equal(t, profile.KnownTodos, kind, phases)
		assert.Equal(t, rows(want), got, phases)
	}
	for _, phases := range []string{
		`[{}]`, `[null]`, `[{"tasks":{}}]`, `[[{"tasks":[]}]]`, `[{"tasks":["A"]}]`, `[{"tasks":[{"content":"A"}]}]`,
		`[{"tasks":[{"content":"A","status":"cancelled"}]}]`, `[{"tasks":[{"content":"A","status":"blocked"}]}]`,
		`[{"tasks":[{"content":" ","status":"pending"}]}]`, `[{"tasks":[{"content":1,"status":"pending"}]}]`,
		`[{"tasks":[{"content":"A","status":"pending"}]},{}]`,
	} {
		got, kind := tools.ResultTodos(todoResult(phases))
		assert.Equal(t, profile.UnknownTodos, kind, phases)
		assert.Nil(t, got, phases)
	}
	good := string(todoResult(`[]`))
	none := []string{``, `[]`, `null`, `{`, good + `x`, string(todoResult(`null`)), string(todoResult(`{}`))}
	for _, change := range [][2]string{
		{`"toolResult"`, `"assistant"`}, {`"toolResult"`, `null`}, {`"todo"`, `"read"`}, {`"todo"`, `"todowrite"`},
		{`"isError":false`, `"isError":true`}, {`"details"`, `"more"`}, {`{"phases":[]}`, `[]`},
	} {
		none = append(none, strings.Replace(good, change[0], change[1], 1))
	}
	for _, message := range none {
		got, kind := tools.ResultTodos(json.RawMessage(message))
		assert.Equal(t, profile.NoTodoResult, kind, message)
		assert.Nil(t, got, message)
	}
	_, kind := liveTools(t, "omp", false, "read").ResultTodos(json.RawMessage(good))
	assert.Equal(t, profile.NoTodoResult, kind)
	_, kind = liveTools(t, "pi", false, "todo").ResultTodos(json.RawMessage(good))
	assert.Equal(t, profile.NoTodoResult, kind)
	_, kind = tools.ResultTodos(json.RawMessage(strings.Replace(good, `,"isError":false`, ``, 1)))
	assert.Equal(t, profile.KnownTodos, kind)
}
