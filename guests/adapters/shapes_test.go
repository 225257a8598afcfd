package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// In the tables below <A>, <B> and <O> stand for messages already in a payload, O for one of the older
// generation, {X} for the message that is placed, and <( for an opening. Payloads are compared byte for
// byte.
var shorthand = strings.NewReplacer(
	`<A>`, `<pi_developer_prompt_message id=\"a\">\n1\n</pi_developer_prompt_message>`,
	`<B>`, `<pi_developer_prompt_message id=\"b\">\n2\n</pi_developer_prompt_message>`,
	`<O>`, `<pi_system_prompt_developer_message id=\"o\">\n3\n</pi_system_prompt_developer_message>`,
	`{X}`, `<pi_developer_prompt_message id=\"x\">\nX\n</pi_developer_prompt_message>`,
	`<(`, `<pi_developer_prompt_message id=\"`,
	`<[`, `<pi_system_prompt_developer_message id=\"`,
	`ID`, identity,
)

type shapeCase struct {
	api, role, payload string
	read               string // "-" for absent, "" to leave it out
	system             string // with the prompt N; "=" unchanged, "" to leave it out
	placed             string // with one message X; likewise
	removed            string // with no messages; likewise
}

func (c shapeCase) check(t *testing.T) {
	t.Helper()
	p := placeFor(c.api, "", c.role)
	payload := shorthand.Replace(c.payload)
	if c.read != "" {
		text, ok := p.read([]byte(payload))
		if c.read == "-" {
			assert.False(t, ok, "%s reads %q", c.payload, text)
		} else {
			want := strings.ReplaceAll(strings.ReplaceAll(shorthand.Replace(c.read), `\n`, "\n"), `\"`, `"`)
			assert.Equal(t, want, text, c.payload)
			assert.True(t, ok, c.payload)
		}
	}
	run := func(what, want string, do func([]byte) []byte) {
		t.Helper()
		if want == "" {
			return
		}
		if want == "=" {
			_, unchanged := apply(t, []byte(payload), do)
			assert.True(t, unchanged, "%s: %s", what, c.payload)
			return
		}
		got, _ := apply(t, []byte(payload), do)
		assert.Equal(t, shorthand.Replace(want), string(got), "%s: %s", what, c.payload)
		_, unchanged := apply(t, got, do)
		assert.True(t, unchanged, "%s twice: %s", what, c.payload)
	}
	run("system", c.system, func(b []byte) []byte { return p.replaceSystem(b, "N") })
	run("placed", c.placed, func(b []byte) []byte { return p.replaceDeveloper(b, []Message{{"x", "X"}}) })
	run("removed", c.removed, func(b []byte) []byte { return p.replaceDeveloper(b, nil) })
}

const (
	codex       = "openai-codex-responses"
	responses   = "openai-responses"
	completions = "openai-completions"
	anthropics  = "anthropic-messages"
	googles     = "google-generative-ai"
)

func TestOpenAIShapes(t *testing.T) {
	dev, sys := `{"role":"developer","content":"{X}"}`, `{"role":"system","content":"{X}"}`
	for _, c := range []shapeCase{
		// Where the prompt is looked for.
		{codex, "", `{"input":[{"role":"user","content":"q"},{"role":"developer","content":"P"}]}`, "-",
			`{"input":[{"role":"user","content":"q"},{"role":"developer","content":"P"}],"instructions":"N"}`,
			`{"input":[` + dev + `,{"role":"user","content":"q"},{"role":"developer","content":"P"}]}`, "="},
		{codex, "", `{"input":[null,{"role":"developer","content":"P"}]}`, "-", "", `{"input":[` + dev + `,null,{"role":"developer","content":"P"}]}`, "="},
		{codex, "", `{"input":[{"role":"system","content":"P"}]}`, "P", `{"input":[{"role":"system","content":"N"}]}`,
			`{"input":[{"role":"system","content":"P"},` + dev + `]}`, "="},
		{codex, "no", `{"input":[{"role":"system","content":"P"}]}`, "", "", `{"input":[{"role":"system","content":"P"},` + dev + `]}`, ""},
		{codex, "", `{"input":[{"role":"system","content":"P\n\n<A>"}]}`, "P", `{"input":[{"role":"system","content":"N\n\n<A>"}]}`,
			`{"input":[{"role":"system","content":"P\n\n<A>"},` + dev + `]}`, "="}, // system is no managed role of Codex
		{codex, "", `{"input":[{"role":"system","content":"<A>"}]}`, "-", "", `{"input":[` + dev + `,{"role":"system","content":"<A>"}]}`, "="},
		{completions, "", `{"messages":[{"role":"system","content":""},{"role":"system","content":null},{"role":"developer"},{"role":"system","content":[]},{"role":"developer","content":"P"}]}`,
			"P", `{"messages":[{"role":"system","content":""},{"role":"system","content":null},{"role":"developer"},{"role":"system","content":[]},{"role":"developer","content":"N"}]}`,
			`{"messages":[{"role":"system","content":""},{"role":"system","content":null},{"role":"developer"},{"role":"system","content":[]},{"role":"developer","content":"P"},` + dev + `]}`, "="},
		{completions, "", `{"instructions":"I","messages":[{"role":"system","content":"P"}]}`, "P", `{"instructions":"I","messages":[{"role":"system","content":"N"}]}`, "", ""},
		{responses, "", `{"instructions":"","input":[]}`, "", `{"instructions":"N","input":[]}`, `{"instructions":"","input":[` + dev + `]}`, "="},
		{responses, "", `{"instructions":5,"input":[]}`, "-", `{"instructions":"N","input":[]}`, "", "="},
		{responses, "", `{"instructions":null}`, "-", `{"instructions":"N"}`, "=", "="},
		{completions, "", `{"messages":"s"}`, "-", "=", "=", "="},
		{codex, "", `{"input":{"role":"developer"}}`, "-", `{"input":{"role":"developer"},"instructions":"N"}`, "=", "="},
		{codex, "", `{"model":"m"}`, "-", `{"model":"m","instructions":"N"}`, "=", "="},
		{codex, "", `{}`, "-", `{"instructions":"N"}`, "=", "="},

		// A string as input.
		{responses, "", `{"input":"q \ud800","n":1e2}`, "-", `{"input":"q \ud800","n":1e2,"instructions":"N"}`,
			`{"input":[` + dev + `,{"role":"user","content":"q \ud800"}],"n":1e2}`, "="},
		{responses, "no", `{"input":"q","instructions":"P"}`, "P", `{"input":"q","instructions":"N"}`,
			`{"input":[` + sys + `,{"role":"user","content":"q"}],"instructions":"P"}`, "="},
		{responses, "", `{"input":"<A>"}`, "-", "", `{"input":[` + dev + `,{"role":"user","content":"<A>"}]}`, "="},

		// Whose role is accepted.
		{responses, "", `{"instructions":"I","input":[{"role":"system","content":"P"}]}`, "I", "", `{"instructions":"I","input":[` + dev + `,{"role":"system","content":"P"}]}`, ""},
		{responses, "no", `{"input":[]}`, "", `{"input":[{"role":"system","content":"N"}]}`, `{"input":[` + sys + `]}`, "="},
		{responses, "no", `{"input":[{"role":"developer","content":"P"}]}`, "", "", `{"input":[{"role":"developer","content":"P\n\n{X}"}]}`, "="},
		{completions, "", `{"messages":[]}`, "-", `{"messages":[{"role":"system","content":"N"}]}`, `{"messages":[` + sys + `]}`, "="},
		{completions, "yes", `{"messages":[]}`, "-", `{"messages":[{"role":"developer","content":"N"}]}`, `{"messages":[` + dev + `]}`, "="},
		{completions, "yes", `{"messages":[{"role":"system","content":"P"}]}`, "P", "", `{"messages":[{"role":"system","content":"P"},` + dev + `]}`, "="},

		// Cleaning.
		{completions, "", `{"messages":[{"role":"system","content":"P"},{"role":"user","content":"<A>"},{"role":"developer","content":"late\n\n<A>"},{"role":"assistant","content":"x\n\n<A>"},{"role":"system","content":"<O>\n\n<B>"}]}`,
			"P", "", `{"messages":[{"role":"system","content":"P\n\n{X}"},{"role":"user","content":"<A>"},{"role":"developer","content":"late"},{"role":"assistant","content":"x\n\n<A>"}]}`,
			`{"messages":[{"role":"system","content":"P"},{"role":"user","content":"<A>"},{"role":"developer","content":"late"},{"role":"assistant","content":"x\n\n<A>"}]}`},
		{responses, "", `{"input":[{"role":"developer","content":[{"type":"input_text","text":"<A>"},{"type":"input_text","text":"P","z":0},{"type":"input_text","text":"<O>"}]},{"role":"developer","content":[{"text":"<B>"}]}]}`,
			"P", `{"input":[{"role":"developer","content":[{"type":"input_text","text":"<A>"},{"type":"input_text","text":"N","z":0},{"type":"input_text","text":"<O>"}]},{"role":"developer","content":[{"text":"<B>"}]}]}`,
			`{"input":[{"role":"developer","content":[{"type":"input_text","text":"P","z":0}]},` + dev + `]}`,
			`{"input":[{"role":"developer","content":[{"type":"input_text","text":"P","z":0}]}]}`},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"image"},{"type":"text","text":"<A>"}]}]}`, "-", "",
			`{"messages":[` + sys + `,{"role":"system","content":[{"type":"image"}]}]}`, `{"messages":[{"role":"system","content":[{"type":"image"}]}]}`},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"odd","text":"P"},{"type":"text","text":"<A>"},"s",7]}]}`, "P", "",
			`{"messages":[{"role":"system","content":[{"type":"odd","text":"P"},{"type":"odd","text":"{X}"},"s",7]}]}`,
			`{"messages":[{"role":"system","content":[{"type":"odd","text":"P"},"s",7]}]}`},
		{responses, "no", `{"input":[{"role":"system","content":[{"text":"P"}]}]}`, "P", "",
			`{"input":[{"role":"system","content":[{"text":"P"},{"type":"input_text","text":"{X}"}]}]}`, "="},
		{completions, "", `{"messages":[{"role":"system","content":[{"type":"text","text":"P\n\n<A>"}]}]}`, `P\n\n<(a\">\n1\n</pi_developer_prompt_message>`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"N"}]}]}`, "", "="}, // tails are cut from string contents only
		{completions, "", `{"messages":[{"role":"system","content":"\n\n<A>"}]}`, "-", "", `{"messages":[` + sys + `,{"role":"system","content":"\n\n<A>"}]}`, "="},

		// Tails.
		{completions, "", `{"messages":[{"role":"system","content":"P\n\n\n<A>\n\n<O>"}]}`, `P\n`, `{"messages":[{"role":"system","content":"N\n\n<A>\n\n<O>"}]}`,
			`{"messages":[{"role":"system","content":"P\n\n\n{X}"}]}`, `{"messages":[{"role":"system","content":"P\n"}]}`},
		{completions, "", `{"messages":[{"role":"system","content":"P\n\n<(a</pi_system_prompt_developer_message>"}]}`, `P\n\n<(a</pi_system_prompt_developer_message>`, "", "", "="},
		{completions, "", `{"messages":[{"role":"system","content":"P \ud800\u00e9\n\n\u003cpi_developer_prompt_message id=\"a\">\n\u0031\n</pi_developer_prompt_message>"}]}`, "P \ufffdé", "",
			`{"messages":[{"role":"system","content":"P \ud800\u00e9\n\n{X}"}]}`, `{"messages":[{"role":"system","content":"P \ud800\u00e9"}]}`},
		{completions, "", `{"messages":[{"role":"system","content":"P\n\n\u003cpi_developer_prompt_message id=\u0022x\">\nX\n</pi_developer_prompt_message>"}]}`, "P", "", "=", ""},
		{responses, "no", `{"input":[{"role":"developer","content":"Say <(q.\n\n<(q"}]}`, "", `{"input":[{"role":"developer","content":"N"}]}`,
			`{"input":[{"role":"developer","content":[{"type":"input_text","text":"Say <(q.\n\n<(q"},{"type":"input_text","text":"{X}"}]}]}`, "="},

		// The rest of the payload.
		{codex, "", "{ \"a\" : 1.0 ,\n \"input\" : [ {\"role\": \"developer\" , \"content\" :\"P\" } , {\"x\":\"\\ud800\"} ] , \"b\":1E5}", "P",
			"{ \"a\" : 1.0 ,\n \"input\" : [ {\"role\": \"developer\" , \"content\" :\"N\" } , {\"x\":\"\\ud800\"} ] , \"b\":1E5}",
			"{ \"a\" : 1.0 ,\n \"input\" : [ {\"role\": \"developer\" , \"content\" :\"P\" }," + dev + " , {\"x\":\"\\ud800\"} ] , \"b\":1E5}", "="},
		{codex, "", `{"\u0069nput":[{"r\u006fle":"dev\u0065loper","content":"P"}]}`, "P", `{"\u0069nput":[{"r\u006fle":"dev\u0065loper","content":"N"}]}`, "", "="},

		// Doubt.
		{codex, "", `{"instructions":"a","input":[],"instructions":"b"}`, "-", "=", "=", "="},
		{codex, "", `{"input":[],"\u0069nput":[]}`, "-", "=", "=", "="},
		{codex, "", `{"input":[{"role":"user","role":"developer","content":"P"}]}`, "-", "=", "=", "="},
		{codex, "", `{"input":[{"role":"developer","content":"P","content":"Q"}]}`, "-", "=", "=", "="},
		{codex, "", `{"input":[{"role":"developer","content":[{"text":"P","text":"Q"}]}]}`, "-", "=", "=", "="},
		{codex, "", `{"z":1,"z":2,"input":[{"role":"developer","content":"P"},{"role":"user","content":1,"content":2}]}`, "P",
			`{"z":1,"z":2,"input":[{"role":"developer","content":"N"},{"role":"user","content":1,"content":2}]}`, "", "="},
		{codex, "", `{"input":[{"role":"developer","content":"P"}]`, "-", "=", "=", "="},
		{codex, "", ``, "-", "=", "=", "="},
		{codex, "", `[{"instructions":"a"}]`, "-", "=", "=", "="},
	} {
		c.check(t)
	}
}

// A prompt that has a segment of its own, put in front of a tail, stays apart from it.
func TestAmbiguousPromptInFrontOfATail(t *testing.T) {
	for api, shapes := range map[string][2]string{
		completions: {`{"messages":[{"role":"system","content":"P\n\n<A>"}]}`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"New\n\n<B>"},{"type":"text","text":"<A>"}]}]}`},
		googles: {`{"config":{"systemInstruction":"P\n\n<A>"}}`,
			`{"config":{"systemInstruction":{"parts":[{"text":"New\n\n<B>"},{"text":"<A>"}]}}}`},
	} {
		p := placeFor(api, "", "")
		got, _ := apply(t, []byte(shorthand.Replace(shapes[0])), func(b []byte) []byte {
			return p.replaceSystem(b, "New"+blank+segment(Message{"b", "2"}))
		})
		assert.Equal(t, shorthand.Replace(shapes[1]), string(got), api)
	}
}

func TestAnthropicShapes(t *testing.T) {
	x := `{"type":"text","text":"{X}"}`
	n := `{"type":"text","text":"N"}`
	id := `{"type":"text","text":"ID"}`
	for _, c := range []shapeCase{
		{anthropics, "", `{"system":null,"m":1}`, "-", `{"system":[` + n + `],"m":1}`, `{"system":[` + x + `],"m":1}`, "="},
		{anthropics, "", `{}`, "-", `{"system":[` + n + `]}`, `{"system":[` + x + `]}`, "="},
		{anthropics, "", `{"system":7}`, "-", "=", "=", "="},
		{anthropics, "", `{"system":{"type":"text","text":"P"}}`, "-", "=", "=", "="},
		{anthropics, "", `{"system":""}`, "", `{"system":"N"}`, `{"system":[` + x + `]}`, "="},
		{anthropics, "", `{"a":1,"system":"<A>\n\n<O>","b":2}`, "-", `{"a":1,"system":[` + n + `,{"type":"text","text":"<A>\n\n<O>"}],"b":2}`, `{"a":1,"system":[` + x + `],"b":2}`, `{"a":1,"b":2}`},
		{anthropics, "", `{"system":"P\n\n<A>"}`, `P\n\n<(a\">\n1\n</pi_developer_prompt_message>`, `{"system":"N"}`, `{"system":[{"type":"text","text":"P\n\n<A>"},` + x + `]}`, "="},
		{anthropics, "", `{"system":"ID"}`, "-", `{"system":[` + id + `,` + n + `]}`, `{"system":[` + id + `,` + x + `]}`, "="},
		{anthropics, "", `{"system":"P \ud800"}`, "P \ufffd", "", `{"system":[{"type":"text","text":"P \ud800"},` + x + `]}`, "="},
		{anthropics, "", `{"system":[]}`, "-", `{"system":[` + n + `]}`, `{"system":[` + x + `]}`, "="},
		{anthropics, "", `{"a":1,"system":[{"type":"text","text":"<A>"},{"type":"text","text":"<O>"}]}`, "-",
			`{"a":1,"system":[` + n + `,{"type":"text","text":"<A>"},{"type":"text","text":"<O>"}]}`, `{"a":1,"system":[` + x + `]}`, `{"a":1}`},
		{anthropics, "", `{"system":[{"type":"text","text":"A"},{"type":"text","text":"P"},{"type":"text","text":""},{"type":"image","text":"I"},"s",null]}`, "P",
			`{"system":[{"type":"text","text":"A"},{"type":"text","text":"N"},{"type":"text","text":""},{"type":"image","text":"I"},"s",null]}`,
			`{"system":[{"type":"text","text":"A"},{"type":"text","text":"P"},` + x + `,{"type":"text","text":""},{"type":"image","text":"I"},"s",null]}`, "="},
		{anthropics, "", `{"system":[` + id + `,{"type":"text","text":"<A>"},` + id + `,{"type":"z"}]}`, "-",
			`{"system":[` + id + `,{"type":"text","text":"<A>"},` + id + `,` + n + `,{"type":"z"}]}`,
			`{"system":[` + id + `,` + id + `,{"type":"z"},` + x + `]}`, `{"system":[` + id + `,` + id + `,{"type":"z"}]}`},
		{anthropics, "", `{"system":[{"type":"text","text":"P"},` + id + `]}`, "P", `{"system":[{"type":"text","text":"N"},` + id + `]}`,
			`{"system":[{"type":"text","text":"P"},` + x + `,` + id + `]}`, "="},
		{anthropics, "", `{"system":[{"text":"P"}]}`, "-", `{"system":[` + n + `,{"text":"P"}]}`, `{"system":[{"text":"P"},` + x + `]}`, "="},
		{anthropics, "", `{"system":"a","system":"b"}`, "-", "=", "=", "="},
		{anthropics, "", `{"system":[{"type":"text","text":"a","text":"b"}]}`, "-", "=", "=", "="},
		{anthropics, "", `{"messages":[{"role":"user","role":"x"}],"system":"P"}`, "P", `{"messages":[{"role":"user","role":"x"}],"system":"N"}`, "", "="},
	} {
		c.check(t)
	}
}

func TestGoogleShapes(t *testing.T) {
	x, n := `{"text":"{X}"}`, `{"text":"N"}`
	for _, c := range []shapeCase{
		// Which container and which key.
		{googles, "", `{"config":{}}`, "-", `{"config":{"systemInstruction":"N"}}`, `{"config":{"systemInstruction":"{X}"}}`, "="},
		{googles, "", `{"config":{"systemInstruction":null,"t":1}}`, "-", `{"config":{"systemInstruction":"N","t":1}}`, `{"config":{"systemInstruction":"{X}","t":1}}`, "="},
		{googles, "", `{"config":null,"systemInstruction":"P"}`, "P", `{"config":null,"systemInstruction":"N"}`, `{"config":null,"systemInstruction":"P\n\n{X}"}`, "="},
		{googles, "", `{"config":{"system_instruction":"P"}}`, "-", `{"config":{"system_instruction":"P","systemInstruction":"N"}}`, "", "="},
		{googles, "", `{"config":{},"systemInstruction":"P"}`, "-", `{"config":{"systemInstruction":"N"},"systemInstruction":"P"}`, "", "="},
		{googles, "", `{"system_instruction":"P","systemInstruction":{"parts":[]}}`, "-", `{"system_instruction":"P","systemInstruction":{"parts":[` + n + `]}}`, `{"system_instruction":"P","systemInstruction":{"parts":[` + x + `]}}`, "="},
		{googles, "", `{"system_instruction":null}`, "-", `{"system_instruction":{"parts":[` + n + `]}}`, `{"system_instruction":{"parts":[` + x + `]}}`, "="},
		{googles, "", `{}`, "-", `{"systemInstruction":{"parts":[` + n + `]}}`, `{"systemInstruction":{"parts":[` + x + `]}}`, "="},
		// Strings.
		{googles, "", `{"config":{"systemInstruction":""}}`, "", `{"config":{"systemInstruction":"N"}}`, `{"config":{"systemInstruction":"{X}"}}`, "="},
		{googles, "", `{"config":{"systemInstruction":"\n\n<A>"}}`, "-", `{"config":{"systemInstruction":"N\n\n<A>"}}`, `{"config":{"systemInstruction":"{X}"}}`, `{"config":{}}`},
		{googles, "", `{"config":{"a":1,"systemInstruction":"<A>\n\n<B>"}}`, "-", `{"config":{"a":1,"systemInstruction":"N\n\n<A>\n\n<B>"}}`, `{"config":{"a":1,"systemInstruction":"{X}"}}`, `{"config":{"a":1}}`},
		{googles, "", `{"config":{"systemInstruction":"P \ud800\n\n<A>"}}`, "P \ufffd", "", `{"config":{"systemInstruction":"P \ud800\n\n{X}"}}`, `{"config":{"systemInstruction":"P \ud800"}}`},
		{googles, "", `{"config":{"systemInstruction":"<(q"}}`, `<(q`, `{"config":{"systemInstruction":"N"}}`, `{"config":{"systemInstruction":{"parts":[{"text":"<(q"},` + x + `]}}}`, "="},
		// Parts.
		{googles, "", `{"config":{"systemInstruction":["P",{"text":"Q"},"<A>",{"text":"<O>"},7]}}`, "P", `{"config":{"systemInstruction":["N",{"text":"Q"},"<A>",{"text":"<O>"},7]}}`,
			`{"config":{"systemInstruction":["P",` + x + `,{"text":"Q"},7]}}`, `{"config":{"systemInstruction":["P",{"text":"Q"},7]}}`},
		{googles, "", `{"config":{"systemInstruction":[{"text":""},{"inlineData":{}},{"text":"<A>"}]}}`, "-", `{"config":{"systemInstruction":[` + n + `,{"text":""},{"inlineData":{}},{"text":"<A>"}]}}`,
			`{"config":{"systemInstruction":[{"text":""},{"inlineData":{}},` + x + `]}}`, `{"config":{"systemInstruction":[{"text":""},{"inlineData":{}}]}}`},
		{googles, "", `{"config":{"systemInstruction":["<A>"]}}`, "-", `{"config":{"systemInstruction":[` + n + `,"<A>"]}}`, `{"config":{"systemInstruction":[` + x + `]}}`, `{"config":{}}`},
		{googles, "", `{"a":1,"systemInstruction":{"role":"user","parts":[{"text":"<A>"}]},"b":2}`, "-", "", `{"a":1,"systemInstruction":{"role":"user","parts":[` + x + `]},"b":2}`, `{"a":1,"b":2}`},
		{googles, "", `{"systemInstruction":{"parts":[],"text":"T"}}`, "-", `{"systemInstruction":{"parts":[` + n + `],"text":"T"}}`, `{"systemInstruction":{"parts":[` + x + `],"text":"T"}}`, "="},
		{googles, "", `{"systemInstruction":[]}`, "-", `{"systemInstruction":[` + n + `]}`, `{"systemInstruction":[` + x + `]}`, "="},
		// A single part.
		{googles, "", `{"systemInstruction":{"text":"P","thought":false}}`, "P", `{"systemInstruction":{"text":"N","thought":false}}`, `{"systemInstruction":[{"text":"P","thought":false},` + x + `]}`, "="},
		{googles, "", `{"systemInstruction":{"text":"<A>"}}`, "-", `{"systemInstruction":[` + n + `,{"text":"<A>"}]}`, `{"systemInstruction":[` + x + `]}`, `{}`},
		{googles, "", `{"systemInstruction":{"text":""}}`, "-", `{"systemInstruction":[` + n + `,{"text":""}]}`, `{"systemInstruction":[{"text":""},` + x + `]}`, "="},
		// Not understood.
		{googles, "", `{"systemInstruction":{"parts":"P"}}`, "-", "=", "=", "="},
		{googles, "", `{"systemInstruction":{"parts":null,"text":"P"}}`, "-", "=", "=", "="},
		{googles, "", `{"systemInstruction":{"text":7}}`, "-", "=", "=", "="},
		{googles, "", `{"systemInstruction":true}`, "-", "=", "=", "="},
		// Doubt.
		{googles, "", `{"config":{},"config":{}}`, "-", "=", "=", "="},
		{googles, "", `{"config":{"systemInstruction":"a","systemInstruction":"b"}}`, "-", "=", "=", "="},
		{googles, "", `{"systemInstruction":{"parts":[{"text":"a","text":"b"}]}}`, "-", "=", "=", "="},
	} {
		c.check(t)
	}
}

func TestReplaceWithDifficultTexts(t *testing.T) {
	for _, c := range []struct{ api, payload, text, want string }{
		// An empty text: the tail alone.
		{completions, `{"messages":[{"role":"system","content":"P\n\n<A>"}]}`, ``, `{"messages":[{"role":"system","content":"<A>"}]}`},
		{completions, `{"messages":[{"role":"system","content":"P"}]}`, ``, `{"messages":[{"role":"system","content":""}]}`},
		{googles, `{"config":{"systemInstruction":"P\n\n<A>"}}`, ``, `{"config":{"systemInstruction":"<A>"}}`},
		{codex, `{"instructions":"P"}`, ``, `{"instructions":""}`},
		{codex, `{}`, ``, `{"instructions":""}`},
		{anthropics, `{"system":"P"}`, ``, `{"system":""}`},
		{googles, `{"config":{}}`, ``, `{"config":{"systemInstruction":""}}`},
		// Nothing is added that would not be found again.
		{completions, `{"messages":[]}`, ``, `{"messages":[]}`},
		{anthropics, `{"system":[]}`, ``, `{"system":[]}`},
		{anthropics, `{"system":"<A>"}`, `ID`, `{"system":"<A>"}`},
		{googles, `{"systemInstruction":[]}`, `<A>`, `{"systemInstruction":[]}`},
		// A text that a tail could not be told from.
		{completions, `{"messages":[{"role":"system","content":"P\n\n<A>","name":"n"}]}`, `<(q`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"<(q"},{"type":"text","text":"<A>"}],"name":"n"}]}`},
		{responses, `{"input":[{"role":"system","content":"P\n\n<O>\n\n<A>"}]}`, `Q\n\n<(q`,
			`{"input":[{"role":"system","content":[{"type":"input_text","text":"Q\n\n<(q"},{"type":"input_text","text":"<O>\n\n<A>"}]}]}`},
		{googles, `{"config":{"systemInstruction":"P\n\n<A>"}}`, `<(q`, `{"config":{"systemInstruction":{"parts":[{"text":"<(q"},{"text":"<A>"}]}}}`},
		{completions, `{"messages":[{"role":"system","content":"P"}]}`, `<(q`, `{"messages":[{"role":"system","content":"<(q"}]}`},
		{completions, `{"messages":[{"role":"system","content":"P\n\n<O>"}]}`, `<[q`,
			`{"messages":[{"role":"system","content":[{"type":"text","text":"<[q"},{"type":"text","text":"<O>"}]}]}`},
		{completions, `{"messages":[{"role":"system","content":"P\n\n<A>"}]}`, `<[q`, `{"messages":[{"role":"system","content":"<[q\n\n<A>"}]}`},
	} {
		p := placeFor(c.api, "", "")
		text := strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(shorthand.Replace(c.text))
		do := func(b []byte) []byte { return p.replaceSystem(b, text) }
		got, _ := apply(t, []byte(shorthand.Replace(c.payload)), do)
		assert.Equal(t, shorthand.Replace(c.want), string(got), "%s %s", c.payload, c.text)
		_, unchanged := apply(t, got, do)
		assert.True(t, unchanged, "twice: %s %s", c.payload, c.text)
	}
}

func TestReferenceShapes(t *testing.T) {
	for _, c := range []struct{ api, payload, read, system string }{
		{codex, `{"input":[]}`, "-", `{"input":[],"instructions":"N"}`},
		{codex, `{"instructions":"a","instructions":"b"}`, "-", "="},
		{codex, `{"instructions":`, "-", "="},
		{responses, `{"instructions":null,"input":[{"role":"system","content":"P"}]}`, "P", `{"instructions":"N","input":[{"role":"system","content":"P"}]}`},
		{responses, `{"instructions":"","input":[{"role":"system","content":"P"}]}`, "", `{"instructions":"N","input":[{"role":"system","content":"P"}]}`},
		{completions, `{"messages":[{"role":"user","content":"q"},{"role":"system","content":[]},{"role":"system","content":"P"}]}`, "-",
			`{"messages":[{"role":"user","content":"q"},{"role":"system","content":[]},{"role":"system","content":"N"}]}`},
		{completions, `{"messages":[null,"x",{"role":"user","content":"q"},{"role":"developer","content":"P"}]}`, "P",
			`{"messages":[{"role":"system","content":"N"},null,"x",{"role":"user","content":"q"},{"role":"developer","content":"P"}]}`},
		{completions, `{"messages":"s"}`, "-", "="},
		{completions, `[]`, "-", "="},
		{completions, `{"messages":[{"role":"system","role":"user"}]}`, "-", "="},
	} {
		p := placeFor(c.api, "reference", "")
		text, ok := p.read([]byte(c.payload))
		assert.Equal(t, c.read != "-", ok, c.payload)
		if ok {
			assert.Equal(t, c.read, text, c.payload)
		}
		got, unchanged := apply(t, []byte(c.payload), func(b []byte) []byte { return p.replaceSystem(b, "N") })
		if assert.Equal(t, c.system == "=", unchanged, c.payload); !unchanged {
			assert.Equal(t, c.system, string(got), c.payload)
		}
	}
}

func TestPlaceFor(t *testing.T) {
	assert.Nil(t, placeFor("bedrock-converse-stream", "", ""))
	assert.Nil(t, placeFor("", "reference", ""))
	assert.IsType(t, codexReference{}, placeFor(codex, "reference", ""))
	assert.Equal(t, sound{anthropic{}}, placeFor(anthropics, "reference", ""))
	assert.Equal(t, sound{google{}}, placeFor(googles, "reference", ""))
	assert.IsType(t, sound{}, placeFor(codex, "something else", ""))
}
