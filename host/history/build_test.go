package history

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUserMessages(t *testing.T) {
	runPromptCases(t, configOf(t, "omp"), toolsOf("ask"), []promptCase{
		{"text", `[{"role":"user","content":"use ` + "`ask`" + `"}]`, `[{"role":"user","content":[{"type":"text","text":"use ` + "`ask`" + `"}]}]`},
		{"parts in order", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"QQ==","mimeType":"image/png"},{"type":"text","text":""}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"file","data":"QQ==","mediaType":"image/png"},{"type":"text","text":""}]}]`},
		{"hostile parts", `[{"role":"user","content":[null,5,"x",[],{},{"type":"text"},{"type":"text","text":5},{"type":["text"],"text":"a"},
			{"type":"image","data":5,"mimeType":"image/png"},{"type":"image","data":"QQ=="},{"type":"video","data":"x","mimeType":"y"}]}]`,
			`[{"role":"user","content":[]}]`},
		{"hostile content", `[{"role":"user"},{"role":"user","content":null},{"role":"user","content":{"x":{"type":"text","text":"a"}}},{"role":"user","content":7}]`,
			`[{"role":"user","content":[]},{"role":"user","content":[]},{"role":"user","content":[]},{"role":"user","content":[]}]`},
		{"no roles", `[{"content":"a"},{"role":"system","content":"b"},{"role":"bashExecution","content":"c"},{"role":["user"],"content":"d"},null,"user",[]]`, `[]`},
		{"half a surrogate pair", `[{"role":"user","content":"a\ud83e"}]`, `[{"role":"user","content":[{"type":"text","text":"a\ud83e"}]}]`},
	})
}

const wake = `<system-notice>\nBACKGROUND Job j1 is done; Resume Your work using \u0060ask\u0060`

func TestDeveloperMessages(t *testing.T) {
	restated := "<system-notice>\\nBACKGROUND Job j1 is done; Resume Your work using `question`"
	runPromptCases(t, configOf(t, "omp"), toolsOf("ask"), []promptCase{
		{"text", `[{"role":"developer","content":"use \u0060ask\u0060"}]`, "[{\"role\":\"system\",\"content\":\"use `question`\"}]"},
		{"texts without images", `[{"role":"developer","content":[{"type":"text","text":"a"},{"type":"image","data":"QQ==","mimeType":"image/png"},{"type":"text","text":"b"}]}]`,
			`[{"role":"system","content":"a\nb"}]`},
		{"no text", `[{"role":"developer","content":""},{"role":"developer","content":[{"type":"text","text":""}]},{"role":"developer"}]`, `[]`},
		{"white space is text", `[{"role":"developer","content":" "}]`, `[{"role":"system","content":" "}]`},
		{"wake notice keeps images and words", `[{"role":"developer","attribution":"agent","content":[{"type":"text","text":"` + wake + `"},{"type":"image","data":"QQ==","mimeType":"image/png"}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"` + wake + `"},{"type":"file","data":"QQ==","mediaType":"image/png"}]}]`},
		{"of another", `[{"role":"developer","attribution":"user","content":"` + wake + `"}]`, `[{"role":"system","content":"` + restated + `"}]`},
		{"attributed to nobody", `[{"role":"developer","attribution":["agent"],"content":"` + wake + `"}]`, `[{"role":"system","content":"` + restated + `"}]`},
		{"not in front", `[{"role":"developer","attribution":"agent","content":"\n` + wake + `"}]`, `[{"role":"system","content":"\n` + restated + `"}]`},
		{"tag in capitals", `[{"role":"developer","attribution":"agent","content":"<SYSTEM-NOTICE>background job, resume your work using"}]`,
			`[{"role":"system","content":"<SYSTEM-NOTICE>background job, resume your work using"}]`},
		{"half of it", `[{"role":"developer","attribution":"agent","content":"<system-notice>background job"},
			{"role":"developer","attribution":"agent","content":"<system-notice>resume your work using"}]`,
			`[{"role":"system","content":"<system-notice>background job"},{"role":"system","content":"<system-notice>resume your work using"}]`},
		{"broken across texts", `[{"role":"developer","attribution":"agent","content":[{"type":"text","text":"<system-notice>background"},{"type":"text","text":"job, resume your work using"}]}]`,
			`[{"role":"system","content":"<system-notice>background\njob, resume your work using"}]`},
	})
	runPromptCases(t, configOf(t, "pi"), nil, []promptCase{
		{"no wake notices on pi", `[{"role":"developer","attribution":"agent","content":"` + wake + `"}]`, `[{"role":"system","content":"` + wake + `"}]`},
	})
}

const (
	noteText = "look at `find`"
	toolStep = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{}}]}`
	answered = `{"role":"toolResult","toolCallId":"c","toolName":"ls","content":"x"}`
)

func note(at any, text string) string {
	raw, _ := json.Marshal(map[string]any{"role": "user", "timestamp": at, "content": text})
	return string(raw)
}

func hidden(at any, content any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"role": "custom", "display": false, "timestamp": at, "content": content})
	return raw
}

func TestHiddenNotes(t *testing.T) {
	c := configOf(t, "pi")
	c.Notes = &Notes{}
	c.Notes.Remember(hidden(7, noteText), hidden(8.5, []any{map[string]any{"type": "text", "text": "a"}, map[string]any{"type": "text", "text": "b"}}))
	const call = `{"type":"tool-call","toolCallId":"c","toolName":"ls","input":{}}`
	step := `{"role":"assistant","content":[` + call + `]}`
	result := `{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"ls","output":{"type":"text","value":"x"}}]}`
	system := "{\"role\":\"system\",\"content\":\"look at `glob`\"}"
	user := "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"look at `find`\"}]}"
	plain := `{"role":"assistant","content":[{"type":"text","text":"x"}]}`
	tools := toolsOf("find", "ls")
	runPromptCases(t, c, tools, []promptCase{
		{"after a result", `[` + toolStep + `,` + answered + `,` + note(7, noteText) + `]`, `[` + step + `,` + result + `,` + system + `]`},
		{"after a call", `[` + toolStep + `,` + note(7, noteText) + `]`, `[` + step + `,` + system + `]`},
		{"after another note and a developer", `[` + toolStep + `,` + note(8.5, "a\nb") + `,{"role":"developer","content":"d"},` + note(7, noteText) + `]`,
			`[` + step + `,{"role":"system","content":"a\nb"},{"role":"system","content":"d"},` + system + `]`},
		{"after the user", `[` + toolStep + `,` + note(1, "x") + `,` + note(7, noteText) + `]`, `[` + step + `,{"role":"user","content":[{"type":"text","text":"x"}]},` + user + `]`},
		{"after an answer", `[` + answered + `,` + plain + `,` + note(7, noteText) + `]`, `[` + result + `,` + plain + `,` + user + `]`},
		{"after an answer of which nothing is left", `[` + answered + `,{"role":"assistant","content":[]},` + note(7, noteText) + `]`, `[` + result + `,` + system + `]`},
		{"in front", `[` + note(7, noteText) + `]`, `[` + user + `]`},
		{"other time", `[` + answered + `,` + note(7.5, noteText) + `]`, `[` + result + `,` + user + `]`},
		{"no time", `[` + answered + `,` + note("7", noteText) + `]`, `[` + result + `,` + user + `]`},
		{"other text", `[` + answered + `,` + note(7, noteText+" ") + `]`, `[` + result + `,{"role":"user","content":[{"type":"text","text":"look at ` + "`find` " + `"}]}]`},
		{"with an image", `[` + answered + `,{"role":"user","timestamp":7,"content":[{"type":"text","text":"` + noteText + `"},{"type":"image","data":"","mimeType":"a"}]}]`,
			`[` + result + `,{"role":"user","content":[{"type":"text","text":"` + noteText + `"},{"type":"file","data":"","mediaType":"a"}]}]`},
	})
	omp := configOf(t, "omp")
	omp.Notes = c.Notes
	assert.JSONEq(t, `[`+result+`,`+user+`]`, promptOf(t, omp, tools, `[`+answered+`,`+note(7, noteText)+`]`), "omp has no hidden notes")
	c.Notes = nil
	assert.JSONEq(t, `[`+result+`,`+user+`]`, promptOf(t, c, tools, `[`+answered+`,`+note(7, noteText)+`]`))
}

// A call that the provider has run itself is no step of a tool: its answer goes on.
func TestNotesAfterProviderExecutedCalls(t *testing.T) {
	c := configOf(t, "pi")
	c.Notes = &Notes{}
	c.Notes.Remember(hidden(7, "n"))
	got := optionsFor(t, c, toolsOf("find"), `[{"role":"assistant","api":"acme-api","provider":"acme","content":[],
		"providerExecuted":[{"at":0,"toolCallId":"c","toolName":"search","input":{}}]},`+note(7, "n")+`]`)
	assert.Equal(t, RoleUser, got.Prompt[1].Role)
}

func TestNotesRemember(t *testing.T) {
	var n Notes
	n.Remember(
		json.RawMessage(`{"role":"custom","display":true,"timestamp":1,"content":"a"}`),
		json.RawMessage(`{"role":"custom","timestamp":1,"content":"b"}`),
		json.RawMessage(`{"role":"custom","display":null,"timestamp":1,"content":"c"}`),
		json.RawMessage(`{"role":"user","display":false,"timestamp":1,"content":"d"}`),
		json.RawMessage(`{"role":"custom","display":false,"content":"e"}`),
		json.RawMessage(`{"role":"custom","display":false,"timestamp":1,"content":""}`),
		json.RawMessage(`{"role":"custom","display":false,"timestamp":1,"content":[{"type":"text","text":"f"},{"type":"image","data":"","mimeType":"a"}]}`),
		json.RawMessage(`{`), json.RawMessage(`null`), nil,
	)
	assert.Zero(t, n.known.order.Len())
	n.Remember(json.RawMessage(`{"role":"custom","display":false,"timestamp":1e3,"content":"g"}`))
	assert.True(t, n.has("1000 g"))
}

func TestNotesForgetTheOldest(t *testing.T) {
	var n Notes
	for i := range maxNotes {
		n.Remember(hidden(i, "n"))
	}
	n.Remember(hidden(0, "n"), hidden(1, "n")) // known already: no younger
	assert.True(t, n.has("0 n"))
	n.Remember(hidden(maxNotes, "n"))
	assert.False(t, n.has("0 n"))
	assert.True(t, n.has("1 n"))
	assert.True(t, n.has(fmt.Sprint(maxNotes)+" n"))
	assert.Equal(t, maxNotes, n.known.order.Len())
	assert.Len(t, n.known.at, maxNotes)
}
