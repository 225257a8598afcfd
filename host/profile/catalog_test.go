package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

// bind binds tools on a host with the names that each has.
func bind(tb testing.TB, host string, o profile.Options, tools ...profile.Tool) *profile.Toolset {
	tb.Helper()
	p, err := profile.Named(host)
	require.NoError(tb, err)
	return p.Bind(tools, o)
}

// declared is the declaration of the only tool.
func declared(t *testing.T, host, name, schema string) profile.Declaration {
	t.Helper()
	list := bind(t, host, profile.Options{}, tool(name, schema)).Catalog()
	require.Len(t, list, 1)
	return list[0]
}

func TestSchemasOfTheHostChange(t *testing.T) {
	for _, c := range []struct{ host, tool, schema, want string }{
		{"pi", "grep", `{"properties":{"include":{"a":1},"glob":{"b":2}},"required":["include","glob"],"x":[1, 2]}`,
			`{"properties":{"include":{"b":2}},"required":["include"],"x":[1,2]}`},
		{"pi", "grep", `{"required":["glob"]}`, `{"required":["include"]}`},
		{"pi", "grep", `{"properties":[],"required":7}`, `{"properties":[],"required":7}`},
		{"pi", "grep", `{"properties":{"glob":1,"glob":2,"\u0067lob":3}}`, `{"properties":{"include":3}}`},
		{"omp", "grep", `{"properties":{"case":{},"i":{},"caseSensitive":1,"include":2},"required":["i","case"]}`,
			`{"properties":{"caseSensitive":{},"include":{"type":"string"}},"required":["caseSensitive"]}`},
		{"omp", "grep", `{"required":["i"]}`, `{"required":[],"properties":{"include":{"type":"string"}}}`},
		{"omp", "bash", `{"properties":{"timeout":1,"command":2,"working_directory":3,"i":4,"cwd":5,"workdir":6},"$defs":{}}`,
			`{"type":"object","properties":{"command":{"type":"string"},"workdir":{"type":"string"},
			 "timeout":{"type":"number","minimum":0},"working_directory":3},"required":["command"],"additionalProperties":false}`},
		{"omp", "write", `{"required":["content"]}`, `{"type":"object","properties":{"filePath":{"type":"string"},
			"content":{"type":"string"}},"required":["filePath","content"],"additionalProperties":false}`},
		{"omp", "write", `{"required":{"content":1}}`, `{"type":"object","properties":{"filePath":{"type":"string"},
			"content":{"type":"string"}},"required":["filePath"],"additionalProperties":false}`},
		{"pi", "find", `{"a":1e400}`, `{"a":1e400}`},
	} {
		got := string(declared(t, c.host, c.tool, c.schema).InputSchema)
		assert.Equal(t, plain(t, c.want), plain(t, got), "%s %s", c.host, c.tool)
	}
}

// plain is a schema without what the bridge says about properties, members sorted.
func plain(t *testing.T, schema string) string {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(schema))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), schema)
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "description")
			for _, item := range v {
				strip(item)
			}
		case []any:
			for _, item := range v {
				strip(item)
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

func TestOrderOfThePropertiesStays(t *testing.T) {
	d := declared(t, "pi", "grep", `{"properties":{"z":{},"glob":{},"a":{}},"required":["z","glob","a"]}`)
	assert.Equal(t, `{"properties":{"z":{},"include":{},"a":{}},"required":["z","include","a"]}`, string(d.InputSchema))
}

func TestUnknownToolsPassByteForByte(t *testing.T) {
	schema := "{ \"$ref\":\"#/$defs/a\",\n\"type\" : \"object\", \"type\":\"x\", \"\\ud800\":1.50 }"
	assert.Equal(t, schema, string(declared(t, "omp", "mcp", schema).InputSchema))
}

func TestWhatIsNoSchema(t *testing.T) {
	for _, schema := range []string{"", "null", "true", "[]", `"x"`, "{", `{"a":}`, `{} {}`, strings.Repeat(`{"a":`, 20000)} {
		for _, name := range []string{"mcp", "bash", "grep", "write", "task", "yield"} {
			d := declared(t, "omp", name, schema)
			assert.True(t, json.Valid(d.InputSchema), "%s %.20q", name, schema)
		}
		assert.JSONEq(t, `{"type":"object","properties":{}}`, string(declared(t, "omp", "mcp", schema).InputSchema))
	}
}

func TestCatalogIsSortedByCodeUnits(t *testing.T) {
	names := []string{"\uffee", "😀", "\xed\xa0\xbd", "a", "", "Z", "\ue000", "aa", "é"}
	var tools []profile.Tool
	for _, name := range names {
		tools = append(tools, tool(name, `{}`))
	}
	var got []string
	for _, d := range bind(t, "pi", profile.Options{}, tools...).Catalog() {
		got = append(got, d.Name)
	}
	assert.Equal(t, []string{"", "Z", "a", "aa", "é", "\xed\xa0\xbd", "😀", "\ue000", "\uffee"}, got)
}

func TestCatalogIsTheCallers(t *testing.T) {
	tools := bind(t, "pi", profile.Options{}, tool("a", `{}`), tool("b", `{}`))
	tools.Catalog()[0].Name = "changed"
	assert.Equal(t, "a", tools.Catalog()[0].Name)
	tools.Renames()["a"] = "x"
	assert.Empty(t, tools.Renames())
}

func TestNothingToTell(t *testing.T) {
	assert.Nil(t, bind(t, "pi", profile.Options{}).Catalog())
	yield := tool("yield", `{"properties":{"type":{},"data":{}}}`)
	assert.Nil(t, bind(t, "omp", profile.Options{}, yield).Catalog(), "the terminal tool alone")
}

// Tools of the same name stay apart; where a name stands for a tool, the first one is meant.
func TestToolsOfTheSameName(t *testing.T) {
	tools := bind(t, "omp", profile.Options{},
		profile.Tool{Name: "task", Description: "# Available Agents\n- `one`"},
		profile.Tool{Name: "task", Description: "# Available Agents\n- `two`"},
		tool("mcp", `{"a":1}`), tool("mcp", `{"a":2}`),
		tool("yield", `{"required":["x"]}`), tool("yield", `{"properties":{"type":{},"data":{}}}`),
	)
	assert.Equal(t, []string{"one"}, tools.Roles().Subagent.Agents)
	var got []string
	for _, d := range tools.Catalog() {
		got = append(got, d.Name)
	}
	assert.Equal(t, []string{"mcp", "mcp", "task", "task", "yield", "yield"}, got)
	assert.Equal(t, `{"a":1}`, string(tools.Catalog()[0].InputSchema))
}

func TestExcludedToolsAreNowhere(t *testing.T) {
	tools := bind(t, "omp", profile.Options{Exclude: []string{"task", "todo", "none"}},
		tool("task", `{}`), tool("todo", `{}`), tool("ask", `{}`), tool("mcp", `{}`))
	var got []string
	for _, d := range tools.Catalog() {
		got = append(got, d.Name)
	}
	assert.Equal(t, []string{"mcp", "question"}, got)
	assert.Equal(t, profile.Roles{Question: "ask", InputProfiles: []string{}}, tools.Roles())
	assert.Equal(t, "todo", tools.ProviderName("todo"))
	assert.Equal(t, "todowrite", tools.HostName("todowrite"))
	for name, excluded := range map[string]bool{"task": true, "todo": true, "none": true, "ask": false, "": false} {
		assert.Equal(t, excluded, tools.Excluded(name), name)
	}
	_, ok := tools.TodoTool()
	assert.False(t, ok)
}

func TestNamesBothWays(t *testing.T) {
	tools := bind(t, "omp", profile.Options{}, tool("task", `{}`), tool("todo", `{}`), tool("question", `{}`), tool("ask", `{}`))
	for provider, host := range map[string]string{
		"task": "task", "todowrite": "todo", "todoread": "todo", "todo": "todo", "question": "ask", "x": "x",
	} {
		assert.Equal(t, host, tools.HostName(provider), provider)
	}
	for host, provider := range map[string]string{
		"task": "task", "todo": "todowrite", "ask": "question", "question": "question", "x": "x",
	} {
		assert.Equal(t, provider, tools.ProviderName(host), host)
	}
	assert.Equal(t, map[string]string{"todo": "todowrite", "ask": "question"}, tools.Renames())
	both := bind(t, "pi", profile.Options{}, tool("find", `{}`), tool("glob", `{}`))
	assert.Equal(t, "find", both.HostName("glob"), "a renamed tool comes before one of that name")
}

func TestToolsThatGiveWay(t *testing.T) {
	tools := []profile.Tool{tool("subagent", `{}`), tool("task", `{}`), tool("pi_host_task", `{}`)}
	const squatters = 3000
	for n := 2; n < squatters; n++ {
		if n != 1500 {
			tools = append(tools, tool(fmt.Sprintf("pi_host_task_%d", n), `{}`))
		}
	}
	bound := bind(t, "pi", profile.Options{}, tools...)
	assert.Equal(t, map[string]string{"task": "pi_host_task_1500"}, bound.Roles().Subagent.Aliases)
	assert.Equal(t, "task", bound.HostName("pi_host_task_1500"))
	assert.Equal(t, "subagent", bound.HostName("task"))
	assert.Equal(t, map[string]string{"subagent": "task", "task": "pi_host_task_1500"}, bound.Renames())

	excluded := bind(t, "pi", profile.Options{Exclude: []string{"pi_host_task"}}, tools[:3]...)
	assert.Equal(t, "pi_host_task", excluded.ProviderName("task"), "what is not live takes no name")
	excluded = bind(t, "pi", profile.Options{Exclude: []string{"subagent"}}, tools[:3]...)
	assert.Empty(t, excluded.Renames())
}

// A name that another tool is renamed to is taken as well.
func TestGivingWayToRenamedTools(t *testing.T) {
	p, err := profile.Parse(change(t, reef, `"provider": ["read"]`, `"provider": ["reef_host_task"]`))
	require.NoError(t, err)
	tools := p.Bind([]profile.Tool{tool("crew", `{}`), tool("task", `{}`), tool("cat", `{}`)}, profile.Options{})
	assert.Equal(t, "reef_host_task_2", tools.ProviderName("task"))
	assert.Equal(t, "cat", tools.HostName("reef_host_task"))
}

func TestChoice(t *testing.T) {
	tools := bind(t, "omp", profile.Options{}, tool("todo", `{}`), tool("ask", `{}`))
	for choice, want := range map[string]string{
		``: "", `null`: "", `"auto"`: "", `"Any"`: "", `7`: "", `[]`: "", `{`: "", `{"name":""}`: "", `{"name":7}`: "",
		`{"type":"none"}`: "", `{"type":"function","function":{"name":"todo"}}`: "",
		`"none"`: `{"type":"none"}`, `"any"`: `{"type":"required"}`, `"\u0072equired"`: `{"type":"required"}`,
		`{"name":"ask"}`: `{"type":"tool","toolName":"question"}`, `{"type":"x","name":"todo"}`: `{"type":"tool","toolName":"todowrite"}`,
		`{"name":"\ud800<"}`: `{"type":"tool","toolName":"\ud800<"}`,
	} {
		assert.Equal(t, want, string(tools.Choice(json.RawMessage(choice))), choice)
	}
}

// More tools than a sort keeps in order by itself.
func TestToolsOfOneNameKeepTheirOrder(t *testing.T) {
	var tools []profile.Tool
	for i := range 60 {
		tools = append(tools, profile.Tool{Name: []string{"find", "glob", "ls"}[i%3], Description: fmt.Sprint(i)})
	}
	var got []string
	for _, d := range bind(t, "pi", profile.Options{}, tools...).Catalog() {
		got = append(got, d.Name+" "+d.Description)
	}
	var want []string
	for i := range 60 {
		if i%3 < 2 {
			want = append(want, fmt.Sprint("glob ", i))
		}
	}
	for i := 2; i < 60; i += 3 {
		want = append(want, fmt.Sprint("ls ", i))
	}
	assert.Equal(t, want, got)
}
