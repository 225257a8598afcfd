package history

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

func TestCallOptionsErrors(t *testing.T) {
	_, err := (&Config{}).CallOptions(&Context{}, Call{})
	assert.EqualError(t, err, "call options: the configuration has no host profile")
	c := configOf(t, "pi")
	c.Version = "v5"
	_, err = c.CallOptions(&Context{}, Call{})
	assert.EqualError(t, err, `call options: unknown specification version "v5": the versions are v2, v3 and v4`)
	c.Version = ""
	_, err = c.CallOptions(&Context{Messages: []json.RawMessage{UserMessage(""), []byte(`{`)}}, Call{})
	assert.ErrorContains(t, err, "call options: host message 1: ")
}

func TestCallOptionsUnset(t *testing.T) {
	o, err := configOf(t, "pi").CallOptions(&Context{}, Call{SessionID: "s", ToolChoice: json.RawMessage(`"auto"`)})
	require.NoError(t, err)
	assert.Equal(t, `{"prompt":[]}`, string(o.AppendJSON(nil)))
	assert.Nil(t, o.ToolNames())
	assert.NotNil(t, o.Toolset)
	assert.Equal(t, V3, o.Version)
}

func TestCallOptionsWhole(t *testing.T) {
	c := configOf(t, "pi")
	c.Version = V4
	o, err := c.CallOptions(&Context{SystemPrompt: []string{"Use `find`."}, Tools: toolsOf("find", "ls")}, Call{
		SessionID: "s-1", Headers: map[string]string{"b": "2", "A": "1"},
		ToolChoice: json.RawMessage(`{"type":"tool","name":"find"}`),
	})
	require.NoError(t, err)
	o.ProviderOptions = json.RawMessage(`{"acme":{"effort":"high"}}`)
	assert.Equal(t, `{"prompt":[{"role":"system","content":"Use `+"`glob`"+`."}],`+
		`"tools":[{"type":"function","name":"glob","description":"","inputSchema":{"type":"object","properties":{}}},`+
		`{"type":"function","name":"ls","description":"","inputSchema":{"type":"object","properties":{}}}],`+
		`"toolChoice":{"type":"tool","toolName":"glob"},`+
		`"headers":{"A":"1","b":"2","x-opencode-session-id":"s-1"},`+
		`"providerOptions":{"acme":{"effort":"high"}}}`, string(o.AppendJSON(nil)))
}

// What belongs to the caller may be changed without changing what was put in.
func TestCallOptionsAreTheCallers(t *testing.T) {
	headers := map[string]string{"a": "b"}
	c := configOf(t, "pi")
	o, err := c.CallOptions(&Context{Tools: toolsOf("ls"), SystemPrompt: []string{}}, Call{SessionID: "s", Headers: headers})
	require.NoError(t, err)
	o.Tools[0].Name = "changed"
	o.Headers["c"] = "d"
	assert.Equal(t, map[string]string{"a": "b"}, headers)
	assert.Equal(t, "ls", o.Toolset.Catalog()[0].Name)
}

func TestVersions(t *testing.T) {
	const messages = `[{"role":"user","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}]},
		{"role":"assistant","content":[{"type":"image","data":"Qg==","mimeType":"image/gif"}]},
		{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"t"},{"type":"image","data":"Qw==","mimeType":"image/png"}]}]`
	for version, want := range map[Version][2]string{
		V2: {`"QQ=="`, `{"type":"media","data":"Qw==","mediaType":"image/png"}`},
		V3: {`"QQ=="`, `{"type":"file-data","data":"Qw==","mediaType":"image/png"}`},
		"": {`"QQ=="`, `{"type":"file-data","data":"Qw==","mediaType":"image/png"}`},
		V4: {`{"type":"data","data":"QQ=="}`, `{"type":"file","data":{"type":"data","data":"Qw=="},"mediaType":"image/png"}`},
	} {
		c := configOf(t, "omp")
		c.Version = version
		got := promptOf(t, c, nil, messages)
		assistant := `"Qg=="`
		if version == V4 {
			assistant = `{"type":"data","data":"Qg=="}`
		}
		assert.JSONEq(t, `[{"role":"user","content":[{"type":"file","data":`+want[0]+`,"mediaType":"image/png"}]},
			{"role":"assistant","content":[{"type":"file","data":`+assistant+`,"mediaType":"image/gif"}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"read","output":{"type":"content","value":[
				{"type":"text","text":"t"},`+want[1]+`]}}]}]`, got, version)
		c.Version, c.Reference = V3, true
		reference := promptOf(t, c, nil, messages)
		c.Version = version
		assert.Equal(t, reference, promptOf(t, c, nil, messages), "the reference knows version 3 only")
	}
}

// Values that are made without what they need are still JSON.
func TestAppendJSONOfIncompleteValues(t *testing.T) {
	for _, m := range []Message{
		{}, {Role: RoleUser}, {Role: RoleAssistant, Content: []Part{{}, {Type: "custom"}, {Type: ToolCall}, {Type: ToolResult}}},
		{Role: RoleTool, Content: []Part{{Type: ToolResult, Output: &Output{}}, {Type: ToolResult, Output: &Output{Type: OutputJSON}},
			{Type: ToolResult, Output: &Output{Type: OutputContent}}}},
	} {
		assert.True(t, json.Valid(m.AppendJSON(nil, V3)), "%s", m.AppendJSON(nil, V3))
	}
	o := CallOptions{Tools: []profile.Declaration{{}}}
	assert.True(t, json.Valid(o.AppendJSON(nil)), "%s", o.AppendJSON(nil))
}

// Nesting costs no stack, wherever it is.
func TestDeepContexts(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 4990) + strings.Repeat(`]}`, 4990)
	quoted, err := json.Marshal(`{"a":` + deep + `}`)
	require.NoError(t, err)
	for _, message := range []string{
		`{"role":"user","content":[` + deep + `]}`,
		`{"role":"system","sections":` + deep + `,"toolsAdded":[` + deep + `]}`,
		`{"role":"toolResult","toolCallId":"c#0","toolName":"todo","content":` + deep + `,"details":` + deep + `}`,
		`{"role":"assistant","api":"acme-api","provider":"acme","content":[{"type":"text","text":"x","textSignature":` + string(quoted) + `},
			{"type":"toolCall","id":"c#0","name":"todo","arguments":` + deep + `},{"type":"toolCall","id":"d","name":"ask","arguments":{"questions":[` + deep + `]}}],
			"providerExecuted":[{"at":0,"toolCallId":"x","toolName":"y","input":` + deep + `,"result":` + deep + `}]}`,
	} {
		c, err := ParseContext([]byte(`{"tools":[{"name":"todo","parameters":` + deep + `},{"name":"ask"}],"messages":[` + message + `]}`))
		require.NoError(t, err)
		o, err := configOf(t, "omp").CallOptions(c, Call{})
		require.NoError(t, err)
		require.True(t, json.Valid(o.AppendJSON(nil)))
	}
}
