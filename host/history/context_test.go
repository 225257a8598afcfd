package history

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestParseContext(t *testing.T) {
	for in, want := range map[string]Context{
		`{}`: {},
		`{"systemPrompt":null,"tools":null,"messages":null}`: {},
		`{"systemPrompt":7,"tools":{},"messages":"x"}`:       {},
		`{"systemPrompt":"","tools":[],"messages":[]}`:       {SystemPrompt: []string{""}, Tools: []profile.Tool{}},
		`{"systemPrompt":["a",null,3,["b"],"c"]}`:            {SystemPrompt: []string{"a", "c"}},
		`{"systemPrompt":[]}`:                                {SystemPrompt: []string{}},
		`{"systemPrompt":"a","systemPrompt":"b"}`:            {SystemPrompt: []string{"b"}},
		`{"tools":[null,"read",{},{"name":5},{"name":"a","description":7,"parameters":null,"more":1},
			{"name":"b","description":"B","parameters":{"type":"object"}}]}`: {Tools: []profile.Tool{
			{Name: "a"}, {Name: "b", Description: "B", Parameters: json.RawMessage(`{"type":"object"}`)},
		}},
		`{"messages":[{"role":"user"}, null, 5 ]}`: {Messages: []json.RawMessage{
			json.RawMessage(`{"role":"user"}`), json.RawMessage(`null`), json.RawMessage(`5`),
		}},
	} {
		c, err := ParseContext([]byte(in))
		require.NoError(t, err, in)
		assert.Equal(t, &want, c, in)
	}
}

func TestParseContextRefuses(t *testing.T) {
	for _, in := range []string{``, `[]`, `null`, `"x"`, `{"messages":[}`, `{} {}`,
		`{"messages":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`} {
		_, err := ParseContext([]byte(in))
		assert.ErrorContains(t, err, "host context: ", "%.40s", in)
	}
	var syntax *jsonspan.SyntaxError
	_, err := ParseContext([]byte(`{"a"}`))
	assert.True(t, errors.As(err, &syntax))
}

// Each of the two fields that is missing is rebuilt from the system messages, whatever the other one is.
func TestContextIsRebuilt(t *testing.T) {
	const messages = `"messages":[{"role":"system","content":"P","toolsAdded":[{"name":"find"}]},{"role":"user","content":"q"}]`
	for in, want := range map[string]struct {
		prompt string
		tools  []string
	}{
		`{` + messages + `}`:                                              {`[{"role":"system","content":"P"},U]`, []string{"glob"}},
		`{"systemPrompt":"S",` + messages + `}`:                           {`[{"role":"system","content":"S"},U]`, []string{"glob"}},
		`{"systemPrompt":"",` + messages + `}`:                            {`[U]`, []string{"glob"}},
		`{"tools":[{"name":"read"}],` + messages + `}`:                    {`[{"role":"system","content":"P"},U]`, []string{"read"}},
		`{"tools":[],` + messages + `}`:                                   {`[{"role":"system","content":"P"},U]`, nil},
		`{"systemPrompt":"S","tools":[{"name":"read"}],` + messages + `}`: {`[{"role":"system","content":"S"},U]`, []string{"read"}},
		`{"systemPrompt":[],"tools":[],` + messages + `}`:                 {`[U]`, nil},
	} {
		c, err := ParseContext([]byte(in))
		require.NoError(t, err)
		o, err := configOf(t, "pi").CallOptions(c, Call{})
		require.NoError(t, err)
		user := `{"role":"user","content":[{"type":"text","text":"q"}]}`
		assert.JSONEq(t, strings.ReplaceAll(want.prompt, "U", user), asJSON(t, o), in)
		assert.Equal(t, want.tools, o.ToolNames(), in)
	}
}

func TestTranscript(t *testing.T) {
	for _, tc := range []struct {
		name, messages, prompt string
		tools                  []string
	}{
		{"nothing", `[]`, "", nil},
		{"texts in order, without empty ones", `[{"role":"system","content":"a"},{"role":"user","content":"u"},
			{"role":"system","content":""},{"role":"system","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]`,
			"a\n\nb\nc", nil},
		{"white space is a text but not a section", `[{"role":"system","content":" ","sections":{"x":"\ufeff\n","y":"Y"}}]`, " \n\nY", nil},
		{"a section keeps its place", `[{"role":"system","sections":{"x":"1","y":"2"}},{"role":"system","sections":{"x":"3"}}]`, "3\n\n2", nil},
		{"a blank section keeps its place", `[{"role":"system","sections":{"x":" ","y":"2"}},{"role":"system","sections":{"x":"3"}}]`, "3\n\n2", nil},
		{"null takes the place away", `[{"role":"system","sections":{"x":"1","y":"2"}},{"role":"system","sections":{"x":null,"z":null}},
			{"role":"system","sections":{"x":"3"}}]`, "2\n\n3", nil},
		{"other values change nothing", `[{"role":"system","sections":{"x":"1","y":7}},{"role":"system","sections":{"x":["z"],"y":{}}},
			{"role":"system","sections":"x"},{"role":"system","sections":["x"]}]`, "1", nil},
		{"texts before sections", `[{"role":"system","sections":{"x":"1"}},{"role":"system","content":"a"}]`, "a\n\n1", nil},
		{"removed before added", `[{"role":"system","toolsAdded":[{"name":"a"},{"name":"b"}]},
			{"role":"system","toolsAdded":[{"name":"a","description":"new"}],"toolsRemoved":[{"name":"a"},{"name":"c"}]}]`, "", []string{"b", "a:new"}},
		{"replaced in place", `[{"role":"system","toolsAdded":[{"name":"a"},{"name":"b"},{"name":"a","description":"new"}]}]`, "", []string{"a:new", "b"}},
		{"removed", `[{"role":"system","toolsAdded":[{"name":"a"}]},{"role":"system","toolsRemoved":[{"name":"a"}]}]`, "", nil},
		{"hostile", `[null,5,"x",[],{"role":"system"},{"role":["system"]},{"role":"system","content":5,"toolsAdded":"x","toolsRemoved":{"name":"a"}},
			{"role":"system","toolsAdded":[null,[],{"name":null}],"toolsRemoved":[null,"a",{}]}]`, "", nil},
		{"the last of equal keys counts, escaped or not", `[{"role":"user","\u0072ole":"system","content":"a"},{"role":"system","role":"user","content":"b"}]`, "a", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Context
			require.NoError(t, json.Unmarshal([]byte(tc.messages), &c.Messages))
			nodes, err := c.scan()
			require.NoError(t, err)
			prompt, tools := c.resolve(nodes)
			assert.Equal(t, tc.prompt, prompt)
			var names []string
			for _, tool := range tools {
				name := tool.Name
				if tool.Description != "" {
					name += ":" + tool.Description
				}
				names = append(names, name)
			}
			assert.Equal(t, tc.tools, names)
		})
	}
}

func TestMessagesOfGoValues(t *testing.T) {
	c := &Context{SystemPrompt: []string{"", "a", "", "b"}, Tools: toolsOf("read"), Messages: []json.RawMessage{
		UserMessage("say \"hi\"\n"), ToolResultMessage("c1", "read", "\xed\xa0\x80", true),
	}}
	o, err := configOf(t, "omp").CallOptions(c, Call{})
	require.NoError(t, err)
	assert.Equal(t, `[{"role":"system","content":"a\n\nb"},`+
		`{"role":"user","content":[{"type":"text","text":"say \"hi\"\n"}]},`+
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"error-text","value":"\ud800"}}]}]`,
		asJSON(t, o))
}
