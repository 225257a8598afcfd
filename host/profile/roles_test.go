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

func subagent(t *testing.T, description, schema string) *profile.SubagentRole {
	t.Helper()
	role := bind(t, "pi", profile.Options{}, profile.Tool{
		Name: "subagent", Description: description, Parameters: json.RawMessage(schema),
	}).Roles().Subagent
	require.NotNil(t, role)
	return role
}

func TestAgentsOfSchemas(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"properties":{"agent":{"enum":["a","b","a",1,null,"",{"enum":["x"]}],"const":"c"}}}`: {"a", "b", "c"},
		`{"agent":{"const":"a","properties":{"agent":{"enum":["b"]}}},"b":[{"agent":{"const":"d"}}]}`: {
			"a", "b", "d"},
		`{"properties":{"agent":[{"enum":["a"]},[{"const":"b"}]]}}`:                             {"a", "b"},
		`{"agent":{"anyOf":[{"const":"a"}],"items":{"const":"b"}}}`:                             nil,
		`{"agent":{"items":{"agent":{"const":"b"}},"enum":"c","const":["d"]}}`:                  {"b"},
		`{"agent":{"const":"a"},"agent":{"const":"b"}}`:                                         {"b"},
		`{"agent":{"enum":["a"],"enum":["b"]}}`:                                                 {"b"},
		`{"\u0061gent":{"enum":["\ud83d\ude00","\ud83d"]}}`:                                     {"😀", "\xed\xa0\xbd"},
		`{"Agent":{"const":"a"},"agents":{"const":"b"}}`:                                        nil,
		`{"x":{"agent":{"const":"x"}},"2":{"agent":{"const":"2"}},"1":{"agent":{"const":"1"}}}`: {"1", "2", "x"},
		`[{"agent":{"const":"a"}}]`:                                                             {"a"},
		`{"agent":{"const":"a"}`:                                                                nil,
		`{"const":"a"}`:                                                                         nil,
	} {
		role := subagent(t, "", schema)
		assert.Equal(t, want, role.Agents, schema)
		assert.Equal(t, len(want) > 0, role.Complete, schema)
	}
}

func TestAgentsOfDescriptions(t *testing.T) {
	for description, want := range map[string][]string{
		"":                           nil,
		"# Available Agents":         {},
		"##\tAvailable  Agents":      nil,
		"##  AVAILABLE agents \t\r":  {},
		"#Available Agents\n### a":   nil,
		" # Available Agents\n### a": nil,
		"# Available Agents #":       nil,
		"# The Available Agents":     nil,
		"# Available Agents\n### a\n### `b`\n### `c\n###d\n#### e\n### \n###\n### f:g\n### h(i)\n### j-_9 k\n### l.m\n### n/": {
			"a", "b", "f", "h", "j-_9"},
		"# Available Agents\n- `a`\n* `b`: x\n- c\n+ `d`\n-`e`\n- `f`(x)\n- `g`x\n- `h`.\n  - `i`\n-  `j` k\n- **`l`**\n- ``m``": {
			"a", "b", "f", "j"},
		"# Available Agents\n- `a`\n#\n- `b`":                                                    {"a"},
		"# Available Agents\n- `a`\n## Other\n- `b`\n# available agents\n- `c`\n- `a`":           {"a", "c"},
		"# Available Agents\n- `a`\n####### x\n- `b`\n### Other\n- `c`\n#x\n- `d`":               {"a", "b", "Other", "c", "d"},
		"- `z`\r\n## Available Agents\r\n### a\r\n- `b`\r\n## x\r\n- `c`\r\n":                    {"a", "b"},
		"# Available Agents\n- `é`\n- `a b`\n- `\ufeff`\n### a\u00a0b\n### a\u2028\n### \u00a0c": {"a", "c"},
	} {
		role := subagent(t, description, "")
		assert.Equal(t, want != nil, role.Complete, description)
		if len(want) == 0 {
			assert.Empty(t, role.Agents, description)
		} else {
			assert.Equal(t, want, role.Agents, description)
		}
	}
}

func TestNamesOfAgents(t *testing.T) {
	assert.Equal(t, []string{"AZ_az-09"}, subagent(t, "# Available Agents\n- `AZ_az-09`\n- `a@`\n- `a[`\n- `a{`\n- `a/`", "").Agents)
}

func TestNothingGivesWayToATaskTool(t *testing.T) {
	tools := bind(t, "omp", profile.Options{}, tool("task", `{}`))
	assert.Empty(t, tools.Roles().Subagent.Aliases)
	assert.Equal(t, "task", tools.ProviderName("task"))
}

func TestAgentsOfBoth(t *testing.T) {
	role := subagent(t, "# Available Agents\n- `b`\n- `c`", `{"agent":{"enum":["a","b"]}}`)
	assert.Equal(t, []string{"a", "b", "c"}, role.Agents)
}

func TestAgentEnum(t *testing.T) {
	for _, c := range []struct{ host, name, description, want string }{
		{"pi", "subagent", "", ""},
		{"pi", "subagent", "# Available Agents", ""},
		{"omp", "task", "# Available Agents", ""},
		{"omp", "task", "# Available Agents\n- `z`", `["general","z"]`},
		{"omp", "task", "# Available Agents\n- `scout`\n- `general`\n- `Z`", `["Z","explore","general","scout"]`},
		{"pi", "subagent", "# Available Agents\n- `worker`\n- `explore`", `["explore","general","worker"]`},
	} {
		list := bind(t, c.host, profile.Options{}, profile.Tool{Name: c.name, Description: c.description}).Catalog()
		require.Len(t, list, 1)
		assert.Equal(t, "task", list[0].Name)
		assert.Equal(t, c.want, string(agentEnum(t, list[0])), c.description)
	}
}

func TestTerminalNeedsASimpleSchema(t *testing.T) {
	for schema, active := range map[string]bool{
		`{"properties":{"type":{},"data":{}}}`:                                  true,
		`{"properties":{"type":7,"data":{"description":7},"more":{}}}`:          true,
		`{"properties":{"type":{},"data":{}},"required":[]}`:                    true,
		`{"properties":{"type":{},"data":{}},"required":null}`:                  false,
		`{"properties":{"type":{},"data":{}},"required":{}}`:                    false,
		`{"properties":{"type":{},"data":{}},"required":[1]}`:                   false,
		`{"properties":{"type":{},"data":{}},"required":["x"]}`:                 false,
		`{"properties":{"type":{},"data":true}}`:                                false,
		`{"properties":{"type":{},"data":null}}`:                                false,
		`{"properties":{"type":{},"data":{"description":"x","type":"object"}}}`: false,
		`{"properties":{"type":{},"data":{},"key":null}}`:                       false,
		`{"properties":{"data":{}}}`:                                            false,
		`{"properties":{"type":{}}}`:                                            false,
		`{"type":{},"data":{}}`:                                                 false,
		`{}`:                                                                    false,
		``:                                                                      false,
	} {
		tools := bind(t, "omp", profile.Options{}, tool("yield", schema))
		call, ok := tools.Terminal()
		assert.Equal(t, active, ok, schema)
		assert.Equal(t, active, tools.Catalog() == nil, schema)
		if active {
			assert.Equal(t, "yield", call.Name)
			assert.JSONEq(t, `{"type":"result"}`, string(call.Arguments))
			assert.Equal(t, "yield", tools.Roles().Terminal)
		}
	}
}

func TestRolesAreTheCallers(t *testing.T) {
	tools := bind(t, "pi", profile.Options{}, tool("task", `{}`), tool("read", `{}`), tool("subagent", `{"agent":{"const":"a"}}`))
	roles := tools.Roles()
	roles.Subagent.Agents[0], roles.Subagent.Aliases["task"], roles.InputProfiles[0] = "x", "x", "x"
	assert.Equal(t, []string{"a"}, tools.Roles().Subagent.Agents)
	assert.Equal(t, "pi_host_task", tools.Roles().Subagent.Aliases["task"])
	assert.Equal(t, []string{"read"}, tools.Roles().InputProfiles)
}

func TestDeepSchemas(t *testing.T) {
	deep := func(n int, open, inner, closed string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closed, n)
	}
	inner := `{"agent":{"const":"a"}}`
	assert.Equal(t, []string{"a"}, subagent(t, "", deep(9000, `{"x":`, inner, `}`)).Agents)
	assert.Equal(t, []string{"a"}, subagent(t, "", `{"agent":`+deep(9000, `[`, `{"const":"a"}`, `]`)+`}`).Agents)
	assert.Empty(t, subagent(t, "", deep(100000, `{"x":`, inner, `}`)).Agents)
	var many []string
	for n := range 20000 {
		many = append(many, fmt.Sprintf("a%d", n))
	}
	list, err := json.Marshal(many)
	require.NoError(t, err)
	assert.Equal(t, many, subagent(t, "# Available Agents\n### "+strings.Join(many, "\n### "), `{"agent":{"enum":`+string(list)+`}}`).Agents)
}
