package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPromptOptionsKeepUnknownKeys(t *testing.T) {
	in := `{"cwd":"/w","customPrompt":"A <b> \ud83d","contextFiles":[{"path":"/w/AGENTS.md","content":"R & \ud83d"}],` +
		`"skills":[{"name":"tides","description":"d","disableModelInvocation":true,"source":{"n":1.50}}],` +
		`"selectedTools":["read"],"toolSnippets":{"a":"1","b":"2"},"promptGuidelines":[],"hiddenTools":["x"],"big":12345678901234567890}`
	var o PromptOptions
	require.NoError(t, json.Unmarshal([]byte(in), &o))
	assert.Equal(t, "A <b> \xed\xa0\xbd", o.CustomPrompt)
	assert.Empty(t, o.AppendSystemPrompt)
	assert.Equal(t, []ContextFile{{"/w/AGENTS.md", "R & \xed\xa0\xbd"}}, o.ContextFiles)
	assert.Equal(t, "tides", o.Skills[0].Name)
	assert.True(t, o.Skills[0].DisableModelInvocation)
	assert.JSONEq(t, `{"n":1.50}`, string(o.Skills[0].Extra["source"]))
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, o.ToolSnippets)
	assert.NotNil(t, o.PromptGuidelines)
	assert.Len(t, o.Extra, 2)

	out, err := o.MarshalJSON()
	require.NoError(t, err)
	assert.JSONEq(t, in, string(out))
	assert.Contains(t, string(out), `"big":12345678901234567890`)
	assert.Contains(t, string(out), `A <b> \ud83d`)
	var again PromptOptions
	require.NoError(t, json.Unmarshal(out, &again))
	again.Skills[0].Extra["source"] = o.Skills[0].Extra["source"] // spacing may differ
	assert.Equal(t, o, again)
}

func TestPromptOptionsAbsence(t *testing.T) {
	for _, in := range []string{`{}`, `null`, `{"cwd":null,"contextFiles":null,"selectedTools":null,"toolSnippets":null,"skills":null}`} {
		var o PromptOptions
		require.NoError(t, json.Unmarshal([]byte(in), &o))
		assert.Equal(t, PromptOptions{}, o)
		out, err := json.Marshal(o)
		require.NoError(t, err)
		assert.Equal(t, `{}`, string(out))
	}
}

func TestPromptOptionsWrongTypes(t *testing.T) {
	for in, key := range map[string]string{
		`[]`:                                      "systemPromptOptions",
		`{"customPrompt":5}`:                      "customPrompt",
		`{"contextFiles":[{"path":1}]}`:           "path",
		`{"contextFiles":{}}`:                     "contextFiles",
		`{"skills":["x"]}`:                        "skill",
		`{"selectedTools":["a",null]}`:            "selectedTools",
		`{"selectedTools":"a"}`:                   "selectedTools",
		`{"toolSnippets":{"a":1}}`:                "toolSnippets.a",
		`{"toolSnippets":[]}`:                     "toolSnippets",
		`{"skills":[{"name":"a","filePath":{}}]}`: "filePath",
	} {
		var o PromptOptions
		assert.ErrorContains(t, json.Unmarshal([]byte(in), &o), key, in)
	}
}
