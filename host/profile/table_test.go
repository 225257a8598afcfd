package profile_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestEveryTableIsAHost(t *testing.T) {
	files, err := filepath.Glob("tables/*.json")
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		table, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := profile.Parse(table)
		require.NoError(t, err, file)
		assert.Equal(t, strings.TrimSuffix(filepath.Base(file), ".json"), p.Name)
		named, err := profile.Named(p.Name)
		require.NoError(t, err)
		assert.Equal(t, p, named)
		names = append(names, p.Name)
	}
	assert.Equal(t, names, profile.Names())
	assert.Subset(t, names, []string{"omp", "pi"})
}

func TestOrderOfHosts(t *testing.T) {
	var names []string
	for _, p := range profile.Embedded() {
		names = append(names, p.Name)
	}
	assert.ElementsMatch(t, profile.Names(), names, "each host once")
	assert.Equal(t, []string{"omp", "pi"}, names[:2], "omp may have the package of pi too")
}

func TestUnknownHost(t *testing.T) {
	for _, name := range []string{"", "OMP", "../pi", "pi.json"} {
		_, err := profile.Named(name)
		assert.ErrorIs(t, err, profile.ErrUnknownHost)
		assert.ErrorContains(t, err, `["omp" "pi"]`)
	}
}

// change returns the table of a test with one text in the place of another.
func change(t *testing.T, table, old, replacement string) []byte {
	t.Helper()
	require.Equal(t, 1, strings.Count(table, old), old)
	return []byte(strings.Replace(table, old, replacement, 1))
}

func TestTablesThatAreWrong(t *testing.T) {
	for _, c := range []struct{ old, replacement, complaint string }{
		{`"name": "reef"`, `"name": ""`, "line 2: name: must be"},
		{`"name": "reef"`, `"name": "Reef"`, `name: must be a lower-case letter and then letters, digits, _ and -, not "Reef"`},
		{`"folder": ".reef"`, `"folder": ""`, "line 6: paths.folder: expected a folder"},
		{`"package": "@reef/ai"`, `"probe": -1`, `line 3: probe: expected a whole number, 0 or more, not -1`},
		{`"package": "@reef/ai"`, `"probe": 1.5`, `line 3: probe: expected a whole number, 0 or more, not 1.5`},
		{`"package": "@reef/ai"`, `"sessionTools": [1]`, `sessionTools[0]: expected a string, not 1`},
		{`"thinking": "efforts"`, `"thinking": "deep"`, `line 5: models.thinking: unknown "deep", use one of ["efforts" "levelMap"]`},
		{`"dynamic": "refreshModels"`, `"dynamic": "x"`, `use one of ["fetchDynamicModels" "refreshModels"]`},
		{`"answer": {`, `"answer": {"video": true, `, `line 4: answer: unknown key "video", use one of ["images" "redacted"`},
		{`"schema": "edit"`, `"schema": "edits"`, `line 12: tools.rules[1].schema: unknown "edits" (did you mean "edit"?), use one of ["aliases" "edit" "glob"`},
		{`"call": "edits"`, `"call": "edit"`, `line 12: tools.rules[1].call: unknown "edit" (did you mean "edits"?), use one of ["edits" "glob"`},
		{`"history": "edits"`, `"history": "edit"`, `line 12: tools.rules[1].history: unknown "edit" (did you mean "edits"?), use one of ["aliases" "edits" "glob"`},
		{`{"tool": "cat"`, `{"tool": ""`, "line 9: tools.rules[0].tool: is empty"},
		{`{"tool": "cat"`, `{"tool": "sh"`, `line 13: tools.rules[2].tool: tool "sh" has a rule already`},
		{`{"tool": "cat"`, `{"tool": "crew"`, `tools.rules[0].tool: tool "crew" is that of tools.subagent.tool`},
		{`{"tool": "cat"`, `{"tool": "hail"`, `tool "hail" is that of tools.question`},
		{`{"tool": "cat"`, `{"tool": "dock"`, `tool "dock" is that of tools.terminal.tool`},
		{`"provider": ["read"]`, `"provider": ["task"]`, `tools.rules[0].provider[0]: name "task" is that of the host's tool "crew"`},
		{`"provider": ["read"]`, `"provider": ["question"]`, `is that of the host's tool "hail"`},
		{`"provider": ["edit"]`, `"provider": ["read"]`, `line 11: tools.rules[1].provider[0]: name "read" is that of the host's tool "cat"`},
		{`"provider": ["read"]`, `"provider": [""]`, `tools.rules[0].provider[0]: is empty`},
		{`"provider": ["read"]`, `"provider": ["read", "see"]`, "provider: expected one name"},
		{`["todowrite", "todoread"]`, `["todowrite"]`, "line 17: tools.rules[4].provider: expected two names"},
		{`"schema": "todo", `, ``, "of schema, call and history, or of none"},
		{`"call": "todo", `, ``, "of schema, call and history, or of none"},
		{`, "history": "todo"`, ``, "of schema, call and history, or of none"},
		{`["workdir", "cwd"]`, `["workdir", ""]`, "line 13: tools.rules[2].aliases[0]: expected [provider's key, host's key]"},
		{`["workdir", "cwd"]`, `["", "cwd"]`, "aliases[0]: expected [provider's key, host's key]"},
		{`["workdir", "cwd"]`, `["cwd", "cwd"]`, `shape "shell" has "workdir" for providers`},
		{`["workdir", "cwd"]`, `["workdir", "cwd"], ["workdir", "dir"]`, `tools.rules[2].aliases[1]: there is an alias for "workdir" already`},
		{`{"tool": "crew"`, `{"tool": ""`, "line 19: tools.subagent.tool: is empty"},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": ""}`, `tools.subagent.agents[0]: agent ""`},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": "a", "host": ""}`, `tools.subagent.agents[0]: agent "a"`},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": "a"}, {"alias": "a"}`, `agents[1]: agent "a": an alias is given once`},
		{`"adds": {"quiet": true}`, `"adds": [1]`, "tools.subagent.adds: expected an object, not [1]"},
		{`"input": {"state": "done"}`, `"input": "done"`, `line 22: tools.terminal.input: expected an object, not "done"`},
		{`"input": {"state": "done"}, `, ``, "line 22: tools.terminal.input: is missing, expected an object"},
		{`"tool": "dock"`, `"tool": ""`, "tools.terminal.tool: is empty"},
		{`"question": "hail"`, `"question": "crew"`, `line 21: tools.question: tool "crew" is that of tools.subagent.tool too`},
		{`"tool": "dock"`, `"tool": "hail"`, `line 22: tools.terminal.tool: tool "hail" is that of tools.question too`},
	} {
		_, err := profile.Parse(change(t, reef, c.old, c.replacement))
		assert.ErrorContains(t, err, c.complaint, c.replacement)
	}
	two := `{"tool": "log2", "provider": ["w", "r"], "schema": "todo", "call": "todo", "history": "todo"}, {"tool": "cat"`
	_, err := profile.Parse(change(t, reef, `{"tool": "cat"`, two))
	assert.ErrorContains(t, err, `line 17: tools.rules[5].schema: a host has one tool of shape "todo", and "log2" is one`)
	for _, table := range []string{"", "[]", reef + "{}", reef[:len(reef)-1], reef + "x"} {
		_, err := profile.Parse([]byte(table))
		assert.ErrorContains(t, err, "host profile", "%.20q", table)
	}
}

// A host may have as little as this, and its tools are what they are.
func TestHostWithoutTools(t *testing.T) {
	p, err := profile.Parse([]byte(`{"name":"bare","paths":{"folder":".bare"}}`))
	require.NoError(t, err)
	tools := p.Bind([]profile.Tool{{}, {Name: "task"}, {Name: "question"}}, profile.Options{})
	assert.Equal(t, profile.Roles{InputProfiles: []string{}}, tools.Roles())
	assert.Empty(t, tools.Renames())
	_, ok := tools.Terminal()
	assert.False(t, ok)
	_, ok = tools.TodoTool()
	assert.False(t, ok)
	for _, d := range tools.Catalog() {
		assert.JSONEq(t, `{"type":"object","properties":{}}`, string(d.InputSchema))
	}
}

func TestPrivateTools(t *testing.T) {
	var names []string
	for _, tool := range profile.PrivateTools() {
		names = append(names, tool.Name)
		assert.Equal(t, "cursor-opencode-provider", tool.Package)
		assert.Equal(t, "PI_BRIDGE_CURSOR_HOST_TOOLS", tool.Variable)
		assert.NotEmpty(t, tool.Description)
		assert.True(t, json.Valid(tool.Parameters))
	}
	assert.Equal(t, []string{"plan_enter", "plan_exit", "cursor_plan_stage", "cursor_image_save"}, names)
	assert.Equal(t, names, profile.Withheld(""))
	assert.Equal(t, names, profile.Withheld("devin-opencode-provider"))
	assert.Empty(t, profile.Withheld("cursor-opencode-provider"))
}
