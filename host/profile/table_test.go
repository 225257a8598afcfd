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
		{`"name": "reef"`, `"name": ""`, "name must be"},
		{`"name": "reef"`, `"name": "Reef"`, "name must be"},
		{`"folder": ".reef"`, `"folder": ""`, "paths.folder is empty"},
		{`"thinking": "efforts"`, `"thinking": "deep"`, `models.thinking: unknown "deep", use one of ["efforts" "levelMap"]`},
		{`"dynamic": "refreshModels"`, `"dynamic": "x"`, `use one of ["fetchDynamicModels" "refreshModels"]`},
		{`"answer": {`, `"answer": {"video": true, `, `unknown field "video"`},
		{`"schema": "edit"`, `"schema": "edits"`, `tool "patch": schema: unknown "edits", use one of ["aliases" "edit" "glob"`},
		{`"call": "edits"`, `"call": "edit"`, `tool "patch": call: unknown "edit", use one of ["edits" "glob"`},
		{`"history": "edits"`, `"history": "edit"`, `tool "patch": history: unknown "edit", use one of ["aliases" "edits" "glob"`},
		{`{"tool": "cat"`, `{"tool": ""`, "needs a tool of its own"},
		{`{"tool": "cat"`, `{"tool": "sh"`, `tool "sh": a rule needs a tool of its own`},
		{`{"tool": "cat"`, `{"tool": "crew"`, "tool of a role (subagent)"},
		{`{"tool": "cat"`, `{"tool": "hail"`, "tool of a role (question)"},
		{`{"tool": "cat"`, `{"tool": "dock"`, "tool of a role (terminal)"},
		{`"provider": ["read"]`, `"provider": ["task"]`, `provider name "task" is empty or that of "crew"`},
		{`"provider": ["read"]`, `"provider": ["question"]`, `that of "hail"`},
		{`"provider": ["edit"]`, `"provider": ["read"]`, `tool "patch": provider name "read" is empty or that of "cat"`},
		{`"provider": ["read"]`, `"provider": [""]`, `provider name "" is empty`},
		{`"provider": ["read"]`, `"provider": ["read", "see"]`, "provider: one name"},
		{`["todowrite", "todoread"]`, `["todowrite"]`, "two: to write and to read"},
		{`"schema": "todo", `, ``, "of schema, call and history, or of none"},
		{`"call": "todo", `, ``, "of schema, call and history, or of none"},
		{`, "history": "todo"`, ``, "of schema, call and history, or of none"},
		{`["workdir", "cwd"]`, `["workdir", ""]`, "aliases"},
		{`["workdir", "cwd"]`, `["", "cwd"]`, "aliases"},
		{`["workdir", "cwd"]`, `["cwd", "cwd"]`, "aliases"},
		{`["workdir", "cwd"]`, `["workdir", "cwd"], ["workdir", "dir"]`, "an alias is given once"},
		{`{"tool": "crew"`, `{"tool": ""`, "subagent: tool is empty"},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": ""}`, "subagent: agent"},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": "a", "host": ""}`, "subagent: agent"},
		{`{"alias": "general", "host": "deckhand"}`, `{"alias": "a"}, {"alias": "a"}`, `agent "a": an alias is given once`},
		{`"adds": {"quiet": true}`, `"adds": [1]`, "adds is not an object"},
		{`"input": {"state": "done"}`, `"input": "done"`, "an object as input"},
		{`"input": {"state": "done"}, `, ``, "an object as input"},
		{`"tool": "dock"`, `"tool": ""`, "terminal: it needs a tool"},
		{`"question": "hail"`, `"question": "crew"`, `subagent: tool "crew" is that of question too`},
		{`"tool": "dock"`, `"tool": "hail"`, `terminal: tool "hail" is that of question too`},
	} {
		_, err := profile.Parse(change(t, reef, c.old, c.replacement))
		assert.ErrorContains(t, err, c.complaint, c.replacement)
	}
	two := `{"tool": "log2", "provider": ["w", "r"], "schema": "todo", "call": "todo", "history": "todo"}, {"tool": "cat"`
	_, err := profile.Parse(change(t, reef, `{"tool": "cat"`, two))
	assert.ErrorContains(t, err, "a host has one tool of shape")
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
