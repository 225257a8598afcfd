package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// editCase says what version 2 answers about a payload, with the prompt N and one message X: where the
// prompt is, and the edits for the message. "v1" stands for an answer that leaves it to version 1. See
// shorthand in shapes_test.go.
type editCase struct {
	api, role, payload string
	promptAt           string // "" for none
	edits              string // one per line
	removed            string // with no messages; "" for no edits
}

func (c editCase) check(t *testing.T) {
	t.Helper()
	w := twinFor(t, c.api, c.role)
	for _, ask := range []struct {
		messages []edit.Message
		want     string
	}{{[]edit.Message{{ID: "x", Content: "X"}}, c.edits}, {nil, c.removed}} {
		a, err := w.ask(t, []byte(shorthand.Replace(c.payload)), "N", ask.messages)
		if ask.want == "v1" {
			assert.Error(t, err, c.payload)
			continue
		}
		if !assert.NoError(t, err, c.payload) {
			continue
		}
		if c.promptAt == "" {
			assert.Nil(t, a.PromptAt, c.payload)
			assert.Empty(t, a.Prompt, c.payload)
		} else {
			assert.Equal(t, c.promptAt, a.PromptAt.String(), c.payload)
			assert.Equal(t, []edit.Edit{edit.Set(a.PromptAt, []byte(`"N"`))}, a.Prompt, c.payload)
		}
		var got []string
		for _, e := range a.Messages {
			got = append(got, strings.TrimSpace(string(e.Op)+" "+e.At.String()+" "+string(e.Value)))
		}
		assert.Equal(t, shorthand.Replace(ask.want), strings.Join(got, "\n"), c.payload)
	}
}

// Texts that are longer than the clip of 80 bytes, in characters of two bytes and of one.
var (
	longText = "P" + strings.Repeat("é", 50)
	longer   = strings.NewReplacer(`P`, longText, `<a>`, `<pi_developer_prompt_message id=\"a\">\n`+strings.Repeat("1é", 40)+`\n</pi_developer_prompt_message>`,
		`<o>`, `<pi_system_prompt_developer_message id=\"o\">\n`+strings.Repeat("1é", 40)+`\n</pi_system_prompt_developer_message>`)
)

func TestEditsOpenAI(t *testing.T) {
	dev, sys := `{"role":"developer","content":"{X}"}`, `{"role":"system","content":"{X}"}`
	insert := func(at, value string) string { return "insert " + at + " " + value }
	for _, c := range []editCase{
		// The example of ABI.md.
		{codex, "", `{"instructions":"You are a coding agent.","input":[{"role":"developer","content":"<a>"},{"role":"user","content":"q"}]}`,
			`["instructions"]`, "remove [\"input\",0]\n" + insert(`["input",0]`, dev), `remove ["input",0]`},
		{codex, "", `{"instructions":"","input":[]}`, `["instructions"]`, insert(`["input",0]`, dev), ""},
		{codex, "", `{"input":[{"role":"developer","content":"P"},{"role":"user","content":"q"}]}`, `["input",0,"content"]`, insert(`["input",1]`, dev), ""},
		{codex, "", `{"input":[{"role":"user","content":"q"},{"role":"developer","content":"P"}]}`, ``, insert(`["input",0]`, dev), ""},
		{codex, "", `{"input":[{"role":"system","content":"<a>"},{"role":"developer","content":"P"}]}`, `["input",1,"content"]`, insert(`["input",2]`, dev), ""},
		{codex, "", `{"input":[{"role":"developer","content":"<o>"},null,{"role":"developer","content":"<A>"},7,{"role":"developer","content":"P"}]}`, ``,
			"remove [\"input\",0]\nremove [\"input\",2]\n" + insert(`["input",0]`, dev), "remove [\"input\",0]\nremove [\"input\",2]"},
		{codex, "", `{"input":"q"}`, ``, "v1", ""},
		{codex, "", `{"input":"","instructions":"P"}`, `["instructions"]`, `set ["input"] [` + dev + `,{"role":"user","content":""}]`, ""},
		{codex, "", `{"instructions":"P"}`, `["instructions"]`, "", ""},
		{codex, "", `{"input":{},"instructions":null}`, ``, "", ""},
		{completions, "", `{"messages":"q"}`, ``, "", ""},

		// Lists of parts.
		{responses, "", `{"input":[{"role":"developer","content":[{"type":"input_text","text":"<a>"},7,{"type":"input_text","text":"P"},{"text":"<o>"}]},{"role":"system","content":[{"text":"<A>"}]}]}`,
			`["input",0,"content",2,"text"]`, "remove [\"input\",0,\"content\",0]\nremove [\"input\",0,\"content\",3]\nremove [\"input\",1]\n" + insert(`["input",1]`, dev),
			"remove [\"input\",0,\"content\",0]\nremove [\"input\",0,\"content\",3]\nremove [\"input\",1]"},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"odd","text":"P"},{"type":"text","text":"<A>"},"s",7]}]}`,
			`["messages",0,"content",0,"text"]`, "remove [\"messages\",0,\"content\",1]\n" + insert(`["messages",0,"content",1]`, `{"type":"odd","text":"{X}"}`),
			`remove ["messages",0,"content",1]`},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"` + strings.Repeat("t", 81) + `","text":"P"}]}]}`, `["messages",0,"content",0,"text"]`, "v1", ""},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"\ud800","text":"P"}]}]}`, `["messages",0,"content",0,"text"]`, "v1", ""},
		{responses, "no", `{"input":[{"role":"system","content":[{"text":"P"}]}]}`, `["input",0,"content",0,"text"]`,
			insert(`["input",0,"content",1]`, `{"type":"input_text","text":"{X}"}`), ""},
		{completions, "", `{"messages":[{"role":"developer","content":[{"type":"image"}]},{"role":"user"}]}`, ``, insert(`["messages",0]`, sys), ""},

		// Without the developer role.
		{responses, "", `{"input":[{"role":"system","content":"P"}]}`, `["input",0,"content"]`, `append ["input",0,"content"] "\n\n{X}"`, ""},
		{completions, "no", `{"messages":[{"role":"developer","content":"short"}]}`, `["messages",0,"content"]`, `append ["messages",0,"content"] "\n\n{X}"`, ""},
		{completions, "", `{"messages":[{"role":"system","content":"P <(a\">"}]}`, `["messages",0,"content"]`, "v1", ""}, // might be ambiguous
		{completions, "", `{"messages":[{"role":"system","content":"P <[a\">"}]}`, `["messages",0,"content"]`, `append ["messages",0,"content"] "\n\n{X}"`, ""},
		{completions, "", `{"messages":[{"role":"system","content":"q <(a\">"}]}`, `["messages",0,"content"]`, `append ["messages",0,"content"] "\n\n{X}"`, ""},
		{responses, "", `{"input":[{"role":"system","content":"q\n\n<(a\">"}]}`, `["input",0,"content"]`, "v1", ""},
		{completions, "", `{"messages":[{"role":"system","content":"P\n\n<a>"},{"role":"system","content":"P"}]}`, ``, "v1", "v1"},
		{completions, "", `{"messages":[{"role":"system","content":"P"},{"role":"system","content":"P <(a\">"}]}`, `["messages",0,"content"]`, `append ["messages",0,"content"] "\n\n{X}"`, ""},
		{completions, "yes", `{"messages":[{"role":"system","content":"P"}]}`, `["messages",0,"content"]`, insert(`["messages",1]`, dev), ""},
		{completions, "", `{"messages":[{"role":"developer","content":"P"},{"role":"system","content":"<A>"}]}`, `["messages",0,"content"]`,
			"remove [\"messages\",1]\n" + insert(`["messages",1]`, dev), `remove ["messages",1]`},
		{completions, "", `{"messages":[{"role":"system","content":"<a>"},{"role":"user","content":"P"}]}`, ``,
			"remove [\"messages\",0]\n" + insert(`["messages",0]`, sys), `remove ["messages",0]`},

		// Strings with both.
		{codex, "", `{"instructions":"P","input":[{"role":"developer","content":"P\n\n<a>"}]}`, ``, "v1", "v1"},
		{codex, "", `{"instructions":"P","input":[{"role":"developer","content":"<o>\n\n<a>"}]}`, ``, "v1", "v1"},
		{codex, "", `{"instructions":"P","input":[{"role":"user","content":"P\n\n<a>"},{"role":"system","content":"P\n\n<a>"}]}`, `["instructions"]`, insert(`["input",0]`, dev), ""},
		{codex, "", `{"input":[{"role":"developer","content":"P\n\n<a>"}]}`, ``, "v1", "v1"},
		{codex, "", `{"input":[{"role":"system","content":"P\n\n<a>"}]}`, ``, "v1", "v1"},
		{codex, "", `{"instructions":"P\n\n<a>","input":[]}`, `["instructions"]`, insert(`["input",0]`, dev), ""},
		{codex, "", `{"instructions":"P","input":[{"role":"developer","content":"q\n\n<A>"}]}`, `["instructions"]`,
			"set [\"input\",0,\"content\"] \"q\"\n" + insert(`["input",0]`, dev), `set ["input",0,"content"] "q"`}, // short enough to be known
		{codex, "", `{"instructions":"P","input":[{"role":"developer","content":"\ud800\n\n<A>"}]}`, ``, "v1", "v1"},
	} {
		c.payload = longer.Replace(c.payload)
		c.check(t)
	}
}

func TestEditsAnthropic(t *testing.T) {
	x := `{"type":"text","text":"{X}"}`
	for _, c := range []editCase{
		// The example of ABI.md.
		{anthropics, "", `{"system":[{"type":"text","text":"You are helpful.","cache_control":{}}, {"type":"text","text":"<a>"}]}`,
			`["system",0,"text"]`, "remove [\"system\",1]\ninsert [\"system\",1] " + x, `remove ["system",1]`},
		{anthropics, "", `{"system":[{"type":"text","text":"P"},{"type":"text","text":"ID"},{"type":"image"}]}`, `["system",0,"text"]`, `insert ["system",1] ` + x, ""},
		{anthropics, "", `{"system":[{"type":"text","text":"ID"},{"text":"P"}]}`, ``, `insert ["system",2] ` + x, ""},
		{anthropics, "", `{"system":[]}`, ``, `insert ["system",0] ` + x, ""},
		{anthropics, "", `{"system":[{"type":"text","text":"<a>"},{"type":"text","text":"<o>"}]}`, ``,
			"remove [\"system\",0]\nremove [\"system\",1]\ninsert [\"system\",2] " + x, `remove ["system"]`},
		{anthropics, "", `{"system":[{"type":"text","text":"<a>"},7]}`, ``, "remove [\"system\",0]\ninsert [\"system\",2] " + x, `remove ["system",0]`},
		{anthropics, "", `{"system":null}`, ``, `set ["system"] [` + x + `]`, ""},
		{anthropics, "", `{"a":1}`, ``, `set ["system"] [` + x + `]`, ""},
		{anthropics, "", `{"system":7}`, ``, "", ""},
		{anthropics, "", `{"system":"<a>"}`, ``, `set ["system"] [` + x + `]`, `remove ["system"]`},
		{anthropics, "", `{"system":"ID"}`, ``, `set ["system"] [{"type":"text","text":"ID"},` + x + `]`, ""},
		{anthropics, "", `{"system":"P"}`, `["system"]`, "v1", ""},
		{anthropics, "", `{"system":"N"}`, `["system"]`, "v1", ""}, // the edits are the same, but the string would go
		{anthropics, "", `{"system":""}`, `["system"]`, "v1", ""},
		{anthropics, "", `{"system":"P\n\n<a>"}`, ``, "v1", "v1"},
		{anthropics, "", `{"system":[{"type":"text","text":"P\n\n<a>"}]}`, ``, "v1", "v1"},
		{anthropics, "", `{"system":[{"type":"text","text":"q\n\n<A>"}]}`, `["system",0,"text"]`, `insert ["system",1] ` + x, ""},
	} {
		c.payload = longer.Replace(c.payload)
		c.check(t)
	}
}

func TestEditsGoogle(t *testing.T) {
	x := `{"text":"{X}"}`
	for _, c := range []editCase{
		{googles, "", `{"config":{"systemInstruction":"P"}}`, `["config","systemInstruction"]`, `append ["config","systemInstruction"] "\n\n{X}"`, ""},
		{googles, "", `{"config":{"systemInstruction":"P <(a\">"}}`, `["config","systemInstruction"]`, "v1", ""},
		{googles, "", `{"system_instruction":"P"}`, `["system_instruction"]`, `append ["system_instruction"] "\n\n{X}"`, ""},
		{googles, "", `{"system_instruction":"P <(a\">"}`, `["system_instruction"]`, "v1", ""},
		{googles, "", `{"systemInstruction":"P <(a\">"}`, `["systemInstruction"]`, "v1", ""},
		{googles, "", `{"config":{"systemInstruction":""}}`, `["config","systemInstruction"]`, "v1", ""},
		{googles, "", `{"config":{"systemInstruction":"<a>"}}`, ``, `set ["config","systemInstruction"] "{X}"`, `remove ["config","systemInstruction"]`},
		{googles, "", `{"config":{"systemInstruction":"P\n\n<a>"}}`, ``, "v1", "v1"},
		{googles, "", `{"config":{},"systemInstruction":"P"}`, ``, `set ["config","systemInstruction"] "{X}"`, ""},
		{googles, "", `{"config":{"systemInstruction":{"parts":[7,{"text":"<a>"},{"text":"P"}]}}}`, `["config","systemInstruction","parts",2,"text"]`,
			"remove [\"config\",\"systemInstruction\",\"parts\",1]\ninsert [\"config\",\"systemInstruction\",\"parts\",3] " + x, `remove ["config","systemInstruction","parts",1]`},
		{googles, "", `{"config":{"systemInstruction":["P",{"text":"Q"},"<A>"]}}`, `["config","systemInstruction",0]`,
			"remove [\"config\",\"systemInstruction\",2]\ninsert [\"config\",\"systemInstruction\",1] " + x, `remove ["config","systemInstruction",2]`},
		{googles, "", `{"config":{"systemInstruction":[{"inlineData":{}}]}}`, ``, `insert ["config","systemInstruction",1] ` + x, ""},
		{googles, "", `{}`, ``, `set ["systemInstruction"] {"parts":[` + x + `]}`, ""},
		{googles, "", `{"config":7,"systemInstruction":null,"system_instruction":"P"}`, ``, `set ["systemInstruction"] {"parts":[` + x + `]}`, ""},
		{googles, "", `{"system_instruction":{"parts":[{"text":"P"}]}}`, `["system_instruction","parts",0,"text"]`, `insert ["system_instruction","parts",1] ` + x, ""},
		{googles, "", `{"system_instruction":["<a>"]}`, ``, "remove [\"system_instruction\",0]\ninsert [\"system_instruction\",1] " + x, `remove ["system_instruction"]`},
		{googles, "", `{"system_instruction":{"text":"P"}}`, `["system_instruction","text"]`, "v1", ""},
		{googles, "", `{"systemInstruction":{"text":"<a>"}}`, ``, `set ["systemInstruction"] [` + x + `]`, `remove ["systemInstruction"]`},
		{googles, "", `{"systemInstruction":{"parts":null,"text":"P"}}`, ``, "", ""},
	} {
		c.payload = longer.Replace(c.payload)
		c.check(t)
	}
}

// A prompt that would not be found again moves the place of the messages, so edits cannot be right with
// and without it.
func TestEditsDependOnThePrompt(t *testing.T) {
	message := []edit.Message{{ID: "x", Content: "X"}}
	for payload, prompts := range map[string]map[string]bool{
		`{"input":[{"role":"developer","content":"P"},{"role":"developer","content":"Q"}]}`: {
			"N": true, "P": true, "": false, "N\n\n" + tails[0]: false, tails[0]: false, `<pi_developer_prompt_message id="`: true,
		},
		`{"instructions":"P","input":[{"role":"developer","content":"Q"}]}`: {"N": true, "": false, tails[0]: true, "N\n\n" + tails[0]: true},
		`{"input":[{"role":"user","content":"P"}]}`:                         {"N": true, "": true, tails[0]: true},
		// Without the instructions it would matter what is in front of the tail.
		longer.Replace(`{"instructions":"P","input":[{"role":"system","content":"P\n\n<a>"}]}`): {"N": true, "": false},
	} {
		for prompt, answered := range prompts {
			_, err := twinFor(t, codex, "").ask(t, []byte(payload), prompt, message)
			assert.Equal(t, answered, err == nil, "%s with %q", payload, prompt)
		}
	}
}

func TestTakesAway(t *testing.T) {
	at := edit.Top("a").Element(1).Member("b")
	for _, from := range []edit.Address{at, at[:2], at[:1]} {
		assert.True(t, takesAway(edit.Remove(from), at))
		assert.True(t, takesAway(edit.Set(from, nil), at))
		assert.False(t, takesAway(edit.Insert(from, nil), at))
		assert.False(t, takesAway(edit.Append(from, nil), at))
	}
	for _, from := range []edit.Address{at.Member("c"), edit.Top("a").Element(0), edit.Top("b"), edit.Top("a").Element(1).Member("c")} {
		assert.False(t, takesAway(edit.Remove(from), at))
	}
}

func TestEditsReferenceIsVersion1(t *testing.T) {
	_, err := editsFor(codex, "reference", "", &edit.Request{})
	require.Equal(t, edit.UseV1("the reference's behaviour is that of version 1"), err)
}
