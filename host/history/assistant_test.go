package history

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// own is an answer of the model that is called, with content and other members.
func own(content, more string) string {
	return `[{"role":"assistant","api":"acme-api","provider":"acme","content":` + content + more + `}]`
}

func parts(list string) string { return `[{"role":"assistant","content":` + list + `}]` }

func TestAnswers(t *testing.T) {
	runPromptCases(t, configOf(t, "omp"), toolsOf("ls"), []promptCase{
		{"parts in order", own(`[{"type":"thinking","thinking":"t"},{"type":"text","text":""},{"type":"image","data":"QQ==","mimeType":"image/png"},
			{"type":"toolCall","id":"c","name":"ls","arguments":{"a":1}}]`, `,"stopReason":"error","errorMessage":"x"`),
			parts(`[{"type":"reasoning","text":"t"},{"type":"text","text":""},{"type":"file","data":"QQ==","mediaType":"image/png"},
			{"type":"tool-call","toolCallId":"c","toolName":"ls","input":{"a":1}}]`)},
		{"nothing left", own(`[{"type":"redactedThinking","data":"x"},{"type":"fallback"},{"type":"server-tool","text":"x"},null,7,"x",[],{},
			{"type":"text","text":null},{"type":"thinking","thinking":{}},{"type":"image"},{"type":"toolCall","id":5,"name":"ls"},{"type":"toolCall","id":"c","name":null}]`, ``), `[]`},
		{"no content", `[{"role":"assistant"},{"role":"assistant","content":null},{"role":"assistant","content":""},{"role":"assistant","content":{"x":{"type":"text","text":"a"}}}]`, `[]`},
		{"a text", `[{"role":"assistant","content":"hi"}]`, parts(`[{"type":"text","text":"hi"}]`)},
		{"arguments", own(`[{"type":"toolCall","id":"1","name":"ls"},{"type":"toolCall","id":"2","name":"ls","arguments":null},
			{"type":"toolCall","id":"3","name":"ls","arguments":[1]},{"type":"toolCall","id":"4","name":"ls","arguments":"x"}]`, ``),
			parts(`[{"type":"tool-call","toolCallId":"1","toolName":"ls","input":{}},{"type":"tool-call","toolCallId":"2","toolName":"ls","input":{}},
			{"type":"tool-call","toolCallId":"3","toolName":"ls","input":[1]},{"type":"tool-call","toolCallId":"4","toolName":"ls","input":"x"}]`)},
	})
}

func TestSignatures(t *testing.T) {
	const map1, options1 = `"{\"a\":{\"s\":\"x\"},\"b\":{}}"`, `{"a":{"s":"x"},"b":{}}`
	all := func(signature string) string {
		return `[{"type":"text","text":"a","textSignature":` + signature + `},{"type":"thinking","thinking":"b","thinkingSignature":` + signature + `},
			{"type":"toolCall","id":"c","name":"ls","arguments":{},"thoughtSignature":` + signature + `}]`
	}
	bare := parts(`[{"type":"text","text":"a"},{"type":"reasoning","text":"b"},{"type":"tool-call","toolCallId":"c","toolName":"ls","input":{}}]`)
	given := func(options string) string {
		return parts(`[{"type":"text","text":"a","providerOptions":` + options + `},{"type":"reasoning","text":"b","providerOptions":` + options + `},
			{"type":"tool-call","toolCallId":"c","toolName":"ls","input":{},"providerOptions":` + options + `}]`)
	}
	c := configOf(t, "pi")
	runPromptCases(t, c, toolsOf("ls"), []promptCase{
		{"own", own(all(map1), ``), given(options1)},
		{"own, of another model", own(all(map1), `,"model":"other"`), given(options1)},
		{"other api", `[{"role":"assistant","api":"other","provider":"acme","content":` + all(map1) + `}]`, bare},
		{"other provider", `[{"role":"assistant","api":"acme-api","provider":"ACME","content":` + all(map1) + `}]`, bare},
		{"no names", `[{"role":"assistant","content":` + all(map1) + `}]`, bare},
		{"plain", own(all(`"sig"`), ``), bare},
		{"not an object", own(all(`"[{}]"`), ``), bare},
		{"not only objects", own(all(`"{\"a\":{},\"b\":[]}"`), ``), bare},
		{"not all JSON", own(all(`"{\"a\":{}} x"`), ``), bare},
		{"not a text", own(all(`{"a":{}}`), ``), bare},
		{"each of its own field", own(`[{"type":"text","text":"a","thinkingSignature":`+map1+`},{"type":"thinking","thinking":"b","textSignature":`+map1+`},
			{"type":"toolCall","id":"c","name":"ls","arguments":{},"textSignature":`+map1+`}]`, ``), bare},
		{"the last of equal keys", own(all(`"{\"a\":1,\"a\":{\"n\":12345678901234567890}}"`), ``), given(`{"a":{"n":12345678901234567890}}`)},
		{"half a surrogate pair", own(all(`"{\"a\":{\"s\":\"\ud800\"}}"`), ``), given(`{"a":{"s":"\ud800"}}`)},
	})
	c.Reference = true
	assert.JSONEq(t, bare, promptOf(t, c, toolsOf("ls"), own(all(map1), ``)))
}

// Without names in the configuration nothing is the model's own but what has empty names.
func TestSignaturesNeedNames(t *testing.T) {
	c := configOf(t, "pi")
	c.API, c.Provider = "", ""
	got := promptOf(t, c, nil, `[{"role":"assistant","content":[{"type":"text","text":"a","textSignature":"{\"a\":{}}"}]}]`)
	assert.JSONEq(t, parts(`[{"type":"text","text":"a"}]`), got)
}

func TestThoughtsWithoutTheirSignature(t *testing.T) {
	x, none := parts(`[{"type":"text","text":"x"}]`), ""
	for _, tc := range []struct{ thinking, own, foreign string }{
		{`"thinking":"t"`, `"t"`, `"t"`},
		{`"thinking":""`, `""`, `""`},
		{`"thinking":"","thinkingSignature":""`, `""`, `""`},
		{`"thinking":"","thinkingSignature":"sig"`, none, none},
		{`"thinking":"","thinkingSignature":"{\"a\":{}}"`, `"","providerOptions":{"a":{}}`, none},
		{`"thinking":"t","thinkingSignature":"sig"`, `"t"`, `"t"`},
		{`"thinking":"","redacted":true`, none, none},
		{`"thinking":"t","redacted":true,"thinkingSignature":"sig"`, none, none},
		{`"thinking":"","redacted":true,"thinkingSignature":"{\"a\":{\"redactedData\":\"x\"}}"`, `"","providerOptions":{"a":{"redactedData":"x"}}`, none},
		{`"thinking":"","redacted":"true"`, `""`, `""`},
	} {
		content := `[{"type":"thinking",` + tc.thinking + `},{"type":"text","text":"x"}]`
		want := func(text string) string {
			if text == none {
				return x
			}
			return parts(`[{"type":"reasoning","text":` + text + `},{"type":"text","text":"x"}]`)
		}
		c := configOf(t, "pi")
		assert.JSONEq(t, want(tc.own), promptOf(t, c, nil, own(content, ``)), tc.thinking)
		assert.JSONEq(t, want(tc.foreign), promptOf(t, c, nil, `[{"role":"assistant","content":`+content+`}]`), tc.thinking)
		c.Reference = true
		kept := optionsFor(t, c, nil, own(content, ``)).Prompt[0].Content
		assert.Len(t, kept, 2, tc.thinking)
		assert.Nil(t, kept[0].ProviderOptions, tc.thinking)
	}
}

func TestProviderExecutedCalls(t *testing.T) {
	call := func(id, input string) string {
		return `{"type":"tool-call","toolCallId":"` + id + `","toolName":"web_search","input":` + input + `,"providerExecuted":true}`
	}
	result := func(id, value string) string {
		return `{"type":"tool-result","toolCallId":"` + id + `","toolName":"web_search","output":{"type":"json","value":` + value + `},"providerExecuted":true}`
	}
	const text = `[{"type":"text","text":"a"},{"type":"unknown"},{"type":"text","text":"b"}]`
	a, b := `{"type":"text","text":"a"}`, `{"type":"text","text":"b"}`
	entry := func(at, id, more string) string {
		return `{"at":` + at + `,"toolCallId":"` + id + `","toolName":"web_search"` + more + `}`
	}
	c := configOf(t, "omp")
	c.Exclude = []string{"web_search"}
	executed := func(list string) string { return own(text, `,"providerExecuted":`+list) }
	cases := []promptCase{
		{"in front", executed(`[` + entry("0", "1", `,"input":{"q":1},"result":[1]`) + `]`), parts(`[` + call("1", `{"q":1}`) + `,` + result("1", `[1]`) + `,` + a + `,` + b + `]`)},
		{"places count all blocks", executed(`[` + entry("2", "1", ``) + `]`), parts(`[` + a + `,` + call("1", `{}`) + `,` + b + `]`)},
		{"before a block of which nothing is left", executed(`[` + entry("1", "1", ``) + `]`), parts(`[` + a + `,` + call("1", `{}`) + `,` + b + `]`)},
		{"behind", executed(`[` + entry("3", "1", `,"result":null,"isError":true`) + `,` + entry("99", "2", `,"input":null`) + `]`),
			parts(`[` + a + `,` + b + `,` + call("1", `{}`) + `,` + result("1", `null`) + `,` + call("2", `null`) + `]`)},
		{"several at one place, others out of order", executed(`[` + entry("3", "4", ``) + `,` + entry("0", "1", ``) + `,` + entry("2", "3", ``) + `,` + entry("0", "2", ``) + `]`),
			parts(`[` + call("1", `{}`) + `,` + call("2", `{}`) + `,` + a + `,` + call("3", `{}`) + `,` + b + `,` + call("4", `{}`) + `]`)},
		{"hostile", executed(`[null,5,[],{},` + entry(`"0"`, "1", ``) + `,` + entry("0.5", "2", ``) + `,{"at":0,"toolCallId":5,"toolName":"x"},{"at":0,"toolCallId":"x"},` + entry("-1", "3", ``) + `]`),
			parts(`[` + call("3", `{}`) + `,` + a + `,` + b + `]`)},
		{"no list", executed(`{"0":` + entry("0", "1", ``) + `}`), parts(`[` + a + `,` + b + `]`)},
		{"alone", own(`[]`, `,"providerExecuted":[`+entry("0", "1", ``)+`]`), parts(`[` + call("1", `{}`) + `]`)},
		{"before a text that is the content", own(`"a"`, `,"providerExecuted":[`+entry("0", "1", ``)+`,`+entry("1", "2", ``)+`]`), parts(`[` + call("1", `{}`) + `,` + a + `,` + call("2", `{}`) + `]`)},
		{"of another", `[{"role":"assistant","api":"acme-api","provider":"p","content":` + text + `,"providerExecuted":[` + entry("0", "1", ``) + `]}]`, parts(`[` + a + `,` + b + `]`)},
		{"alone, of another", `[{"role":"assistant","api":"x","provider":"acme","content":[],"providerExecuted":[` + entry("0", "1", ``) + `]}]`, `[]`},
	}
	runPromptCases(t, c, nil, cases)
	c.Reference = true
	assert.JSONEq(t, parts(`[`+a+`,`+b+`]`), promptOf(t, c, nil, cases[0].messages))
}
