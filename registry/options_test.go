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

// JavaScript's undefined is null in a list.
func TestPromptOptionsWithNullInLists(t *testing.T) {
	in := `{"selectedTools":["a",null,"b"],"promptGuidelines":[null],"toolSnippets":{"a":null,"b":"x"},"skills":[null],"contextFiles":[null]}`
	var o PromptOptions
	require.NoError(t, json.Unmarshal([]byte(in), &o))
	assert.Equal(t, PromptOptions{SelectedTools: []string{"a", "b"}, PromptGuidelines: []string{}, ToolSnippets: map[string]string{"b": "x"},
		Skills: []Skill{{}}, ContextFiles: []ContextFile{{}}}, o)
}

// What somebody has put into a host's options costs that alone.
func TestReadPromptOptions(t *testing.T) {
	o, wrong := ReadPromptOptions([]byte(`{"cwd":"/w","customPrompt":5,"contextFiles":[{"path":"a","content":"A"},{"path":1}],` +
		`"skills":[{"name":"\ud83d"}],"toolSnippets":{"a":"1","b":2},"hiddenTools":[1e400]}`))
	assert.Equal(t, PromptOptions{CWD: "/w", Skills: []Skill{{Name: "\xed\xa0\xbd"}},
		Extra: map[string]json.RawMessage{"hiddenTools": json.RawMessage("[1e400]")}}, o)
	var fields []string
	for _, err := range wrong {
		var misfit *json.UnmarshalTypeError
		require.ErrorAs(t, err, &misfit)
		fields = append(fields, misfit.Field)
	}
	assert.Equal(t, []string{"contextFiles.path", "customPrompt", "toolSnippets.b"}, fields)

	for _, in := range []string{`{}`, `null`, `{"cwd":null}`} {
		o, wrong = ReadPromptOptions([]byte(in))
		assert.Equal(t, PromptOptions{}, o)
		assert.Empty(t, wrong)
	}
	o, wrong = ReadPromptOptions([]byte(`["cwd"]`))
	assert.Equal(t, PromptOptions{}, o)
	assert.Len(t, wrong, 1)
}

func TestPromptOptionsWrongTypes(t *testing.T) {
	for in, field := range map[string]string{
		`[]`:                            "options",
		`{"customPrompt":5}`:            "options.customPrompt",
		`{"contextFiles":[{"path":1}]}`: "options.contextFiles.path",
		`{"contextFiles":{}}`:           "options.contextFiles",
		`{"skills":["x"]}`:              "options.skills",
		`{"selectedTools":["a",1]}`:     "options.selectedTools",
		`{"selectedTools":"a"}`:         "options.selectedTools",
		`{"toolSnippets":{"a":1}}`:      "options.toolSnippets.a",
		`{"toolSnippets":{"b":1,"a":1,"d":1,"c":1,"f":1,"e":1}}`: "options.toolSnippets.a",
		`{"toolSnippets":[]}`:                     "options.toolSnippets",
		`{"skills":[{"name":"a","filePath":{}}]}`: "options.skills.filePath",
	} {
		var o struct {
			Options PromptOptions `json:"options"`
		}
		var wrong *json.UnmarshalTypeError
		if assert.ErrorAs(t, json.Unmarshal([]byte(`{"options":`+in+`}`), &o), &wrong, in) {
			assert.Equal(t, field, wrong.Field, in)
		}
	}
}
