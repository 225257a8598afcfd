package guesttest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/registry"
)

func TestParse(t *testing.T) {
	s, err := guesttest.Parse("cases.json", []byte(`[
		{"name": "a", "contribution": "c", "text": "T"},
		{"name": "b", "contribution": "c", "config": {"k": "v", "n": 1.0, "o": {"a": [ 1 ]}, "z": null}, "nothing": true,
		 "context": {"provider": "p", "activeTools": ["x", "y"], "sessionId": "s", "prompt": "", "systemPromptOptions": {"cwd": "/w", "own": 1}}},

		{"name": "c", "contribution": "c", "context": {"prompt": null}, "error": "E"},
		{"name": "d", "adapter": "a", "payload": {"n": 1.0}, "result": [ 1 ]},
		{"name": "e", "adapter": "a", "provider": "p", "api": "i", "base": "", "systemPrompt": "S",
		 "messages": [{"id": "m", "content": "C"}], "payload": null, "unchanged": true},
		{"name": "f", "adapter": "a", "payload": 0}
	]`))
	require.NoError(t, err)
	require.Len(t, s.Cases, 6)
	assert.Equal(t, []int{2, 3, 6, 7, 8, 10}, []int{s.Cases[0].Line, s.Cases[1].Line, s.Cases[2].Line, s.Cases[3].Line, s.Cases[4].Line, s.Cases[5].Line})

	a, b, c, d, e, f := s.Cases[0], s.Cases[1], s.Cases[2], s.Cases[3], s.Cases[4], s.Cases[5]
	assert.Equal(t, guesttest.Context{}, a.Context)
	assert.Equal(t, guesttest.Want{Kind: guesttest.Text, Text: "T"}, a.Want)
	assert.Nil(t, a.Config)
	empty := ""
	assert.Equal(t, guesttest.Context{Provider: "p", ActiveTools: []string{"x", "y"}, SessionID: "s", Prompt: &empty,
		Options: registry.PromptOptions{CWD: "/w", Extra: map[string]json.RawMessage{"own": []byte("1")}}}, b.Context)
	assert.Equal(t, map[string]string{"k": "v", "n": "1.0", "o": `{"a": [ 1 ]}`}, b.Config)
	assert.Equal(t, guesttest.Want{Kind: guesttest.Nothing}, b.Want)
	assert.Nil(t, c.Context.Prompt, "null is like none")
	assert.Equal(t, guesttest.Want{Kind: guesttest.Failure, Text: "E"}, c.Want)
	assert.Equal(t, guesttest.Request{Payload: []byte(`{"n": 1.0}`)}, d.Request)
	assert.Equal(t, guesttest.Want{Kind: guesttest.Payload, Payload: []byte("[ 1 ]")}, d.Want)
	prompt := "S"
	assert.Equal(t, guesttest.Request{Provider: "p", API: "i", Base: &empty, SystemPrompt: &prompt,
		Messages: []registry.Message{{ID: "m", Content: "C"}}, Payload: []byte("null")}, e.Request)
	assert.Equal(t, guesttest.Want{Kind: guesttest.Unchanged}, e.Want)
	assert.Empty(t, f.Want, "what is expected may be left out, for an update to fill in")
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "f.json:1:1: the file is empty: it must have at least []",
		" \n":                      "f.json:2:1: the file is empty: it must have at least []",
		"[\n{\"name\" 1}]":         "f.json:2:9: a colon is missing behind the key",
		"[{\"a\": 1},\n]":          "f.json:2:1: a comma before ]",
		"[{\"ü\": 1,}]":            "f.json:1:10: a comma before }",
		"[{\"a\": 1} {}]":          "f.json:1:11: a comma or ] is missing",
		"[{\"a\": 1 \"b\"}]":       "f.json:1:10: a comma or } is missing",
		"[{\"a\": }]":              "f.json:1:8: a value is missing",
		"[{a: 1}]":                 "f.json:1:3: a key in \"quotes\" is missing",
		"[{'a': 1}]":               "f.json:1:3: a text is put into \"quotes\", not into 'these'",
		"// c\n[]":                 "f.json:1:1: JSON has no comments",
		"[] []":                    "f.json:1:4: there is more behind the end of the list",
		"[\"a":                     "f.json:1:4: the file ends too early: something is not closed",
		"[\"a\nb\"]":               "f.json:1:4: a line break, or a control character, inside of a text",
		"[\"\\'\"]":                "f.json:1:4: after a \\ there can be only",
		"[] # c":                   "f.json:1:4: JSON has no comments",
		"[\"\\x\"]":                "f.json:1:4: after a \\ there can be only",
		"[01]":                     "f.json:1:3: a comma or ] is missing",
		"[1.]":                     "f.json:1:4: this is no number",
		"[tru]":                    "f.json:1:5: this is none of true, false and null",
		"[\"\xe9\"]":               "f.json:1:3: a character that is not UTF-8: save the file as UTF-8",
		strings.Repeat("[", 20000): "f.json:1:",
		"\ufeff[]":                 "f.json:1:1: the file begins with a byte order mark: save it as UTF-8 without one",
		"\n{}":                     "f.json:2: want a list of cases, found an object",
		"[1]":                      "f.json:1: case 1: want an object, found a number",
		"[\n\n{}]":                 "f.json:3: case 1: it names neither a contribution nor an adapter",
		`[{"name":"x","contribution":"c","adapter":"a"}]`:                               `f.json:1: case 1 ("x"): it has both contribution and adapter; want one of them`,
		`[{"contribution":"c"}]`:                                                        `f.json:1: case 1: name is missing`,
		`[{"name":" ","contribution":"c"}]`:                                             `f.json:1: case 1 (" "): name is missing`,
		`[{"name":"x","contribution":""}]`:                                              `f.json:1: case 1 ("x"): contribution is missing`,
		`[{"name":"x","contributon":"c","text":"t"}]`:                                   `f.json:1: case 1 ("x"): unknown key "contributon": did you mean contribution?`,
		"[{\"name\":\"x\",\"contribution\":\"c\",\n\"speed\":1}]":                       `f.json:2: case 1 ("x"): unknown key "speed"; a case of a contribution has config, context, contribution, error, name, nothing, text`,
		`[{"name":"x","contribution":"c","payload":{}}]`:                                `f.json:1: case 1 ("x"): unknown key "payload"; a case of a contribution has config, context, contribution, error, name, nothing, text`,
		`[{"name":"x","adapter":"a"}]`:                                                  `f.json:1: case 1 ("x"): payload is missing`,
		`[{"name":"x","adapter":"a","payload":{},"context":1}]`:                         `f.json:1: case 1 ("x"): unknown key "context"; a case of an adapter has adapter, api, base, `,
		`[{"name":"x","contribution":"c","context":{"tools":[]}}]`:                      `f.json:1: case 1 ("x"): unknown key "tools"; context has activeTools, prompt, provider, sessionId, systemPromptOptions`,
		`[{"name":"x","contribution":"c","context":[]}]`:                                `f.json:1: case 1 ("x"): context: want an object, found a list`,
		`[{"name":"x","contribution":"c","context":{"activeTools":["a",1]}}]`:           `f.json:1: case 1 ("x"): activeTools: want a list of texts, found a number in it`,
		`[{"name":"x","contribution":"c","context":{"activeTools":"a"}}]`:               `f.json:1: case 1 ("x"): activeTools: want a list, found a text`,
		`[{"name":"x","contribution":"c","context":{"prompt":7}}]`:                      `f.json:1: case 1 ("x"): prompt: want a text, found a number`,
		`[{"name":"x","contribution":"c","context":{"systemPromptOptions":{"cwd":1}}}]`: `f.json:1: case 1 ("x"): systemPromptOptions: cwd: want a text, found number`,
		`[{"name":"x","contribution":"c","config":"k=v"}]`:                              `f.json:1: case 1 ("x"): config: want an object, found a text`,
		`[{"name":"x","contribution":"c","text":"t","nothing":true}]`:                   `f.json:1: case 1 ("x"): it has both text and nothing; a case expects one thing`,
		`[{"name":"x","contribution":"c","nothing":false}]`:                             `f.json:1: case 1 ("x"): nothing: want true, found false`,
		`[{"name":"x","contribution":"c","text":null}]`:                                 `f.json:1: case 1 ("x"): text: want a text, found null`,
		`[{"name":"x","contribution":"c","text":"t","text":"t"}]`:                       `f.json:1: case 1 ("x"): the key "text" is there twice`,
		`[{"name":"x","adapter":"a","payload":{},"messages":[{"id":"m"}]}]`:             `f.json:1: case 1 ("x"): messages: want objects with the texts id and content`,
		`[{"name":"x","adapter":"a","payload":{},"messages":{}}]`:                       `f.json:1: case 1 ("x"): messages: want a list, found an object`,
		`[{"name":"x","contribution":"c"},{"name":"x","contribution":"c"}]`:             `f.json:1: case 2 ("x"): the name is that of case 1 already`,
	} {
		_, err := guesttest.Parse("f.json", []byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"name":"x","contribution":"c","context":{"prompt":"p","activeTools":["a"]},"config":{"k":1},"text":"t"}]`))
	f.Add([]byte(`[{"name":"x","adapter":"a","payload":{"a":[1]},"messages":[{"id":"m","content":"c"}],"result":1}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := guesttest.Parse("f.json", text)
		if err != nil {
			return
		}
		for _, c := range s.Cases {
			assert.NotEmpty(t, c.Contribution+c.Adapter)
		}
		same, taken, err := s.Update(nil)
		require.NoError(t, err)
		assert.Empty(t, taken)
		assert.Equal(t, string(text), string(same))
	})
}
