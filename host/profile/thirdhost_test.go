package profile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

// reef is a host that has no code of its own anywhere: this table is all there is of it.
const reef = `{
  "name": "reef",
  "package": "@reef/ai",
  "answer": {"images": true, "redacted": true, "argumentErrors": false, "occupancyTotal": false},
  "models": {"thinking": "efforts", "dynamic": "refreshModels", "cached": true},
  "paths": {"folder": ".reef", "config": [".reef"]},
  "tools": {
    "rules": [
      {"tool": "cat", "provider": ["read"], "aliases": [["filePath", "path"]],
        "schema": "read", "call": "selector", "history": "selector"},
      {"tool": "patch", "provider": ["edit"], "aliases": [["filePath", "path"]],
        "schema": "edit", "call": "edits", "history": "edits"},
      {"tool": "sh", "provider": ["bash"], "aliases": [["workdir", "cwd"]], "hide": ["why"],
        "schema": "shell", "call": "shell", "history": "shell"},
      {"tool": "rg", "provider": ["grep"], "aliases": [["include", "glob"]], "drop": ["why"],
        "schema": "aliases", "history": "aliases"},
      {"tool": "log", "provider": ["todowrite", "todoread"], "schema": "todo", "call": "todo", "history": "todo"}
    ],
    "subagent": {"tool": "crew", "agents": [{"alias": "general", "host": "deckhand"}], "adds": {"quiet": true}},
    "coordination": "radio",
    "question": "hail",
    "terminal": {"tool": "dock", "input": {"state": "done"}, "free": ["cargo"], "without": ["berth"]}
  }
}`

func reefTools(t *testing.T) *profile.Toolset {
	t.Helper()
	p, err := profile.Parse([]byte(reef))
	require.NoError(t, err)
	return p.Bind([]profile.Tool{
		tool("cat", `{"properties":{"path":{}}}`),
		tool("patch", `{"properties":{"path":{},"edits":{}}}`),
		tool("sh", `{"properties":{"command":{},"cwd":{},"why":{},"tty":{"type":"boolean"}},"required":["command","why"]}`),
		tool("rg", `{"type":"object","properties":{"re":{},"glob":{"type":"string"},"why":{}},"required":["re","why","glob"]}`),
		tool("log", `{}`),
		{Name: "crew", Description: "# Available Agents\n- `deckhand`\n- `cook`"},
		tool("task", `{"properties":{"name":{}}}`),
		tool("radio", `{}`),
		tool("hail", `{}`),
		tool("dock", `{"properties":{"state":{},"cargo":{"description":"c"}}}`),
		tool("anchor", `{"properties":{"depth":{}}}`),
	}, profile.Options{})
}

func tool(name, schema string) profile.Tool {
	return profile.Tool{Name: name, Description: "host " + name, Parameters: json.RawMessage(schema)}
}

func TestAHostIsATable(t *testing.T) {
	tools := reefTools(t)
	assert.Equal(t, "reef", tools.Profile().Name)

	catalog := map[string]profile.Declaration{}
	var names []string
	for _, d := range tools.Catalog() {
		names = append(names, d.Name)
		catalog[d.Name] = d
		assert.NotEmpty(t, d.Description, d.Name)
		assert.True(t, json.Valid(d.InputSchema), d.Name)
	}
	assert.Equal(t, []string{
		"anchor", "bash", "edit", "grep", "question", "radio", "read", "reef_host_task", "task", "todoread", "todowrite",
	}, names)
	assert.Equal(t, "host edit", "host "+catalog["edit"].Name)
	assert.Equal(t, "host patch", catalog["edit"].Description)
	assert.Equal(t, "host task", catalog["reef_host_task"].Description)
	assert.JSONEq(t, `{"properties":{"depth":{}}}`, string(catalog["anchor"].InputSchema))
	assert.JSONEq(t, `{"type":"object","properties":{"re":{},"include":{"type":"string"}},"required":["re","include"]}`,
		string(catalog["grep"].InputSchema))
	shell := properties(t, catalog["bash"])
	assert.Equal(t, []string{"command", "timeout", "tty", "workdir"}, shell)
	assert.JSONEq(t, `["cook","deckhand","general"]`, string(agentEnum(t, catalog["task"])))

	assert.Equal(t, profile.Roles{
		Subagent: &profile.SubagentRole{
			HostTool: "crew", Agents: []string{"deckhand", "cook"}, Complete: true,
			Aliases: map[string]string{"task": "reef_host_task"}, Coordination: "radio",
		},
		Question: "hail", Terminal: "dock", InputProfiles: []string{"cat", "log", "patch", "radio", "rg", "sh"},
	}, tools.Roles())
	end, ok := tools.Terminal()
	assert.True(t, ok)
	assert.Equal(t, profile.Call{Name: "dock", Arguments: json.RawMessage(`{"state": "done"}`)}, end)
	todo, ok := tools.TodoTool()
	assert.True(t, ok)
	assert.Equal(t, "log", todo)
}

// Every call here is what a provider sends, what the host gets, and what the provider is shown of that later.
func TestCallsOfAHostThatIsATable(t *testing.T) {
	tools := reefTools(t)
	for _, c := range []struct{ name, arguments, host, hostArguments, restated string }{
		{
			"read", `{"filePath":"/a","offset":3,"limit":2}`, "cat", `{"path":"/a:raw:3-4"}`,
			`{"filePath":"/a","offset":3,"limit":2}`,
		},
		{
			"edit", `{"filePath":"/a","oldString":"x","newString":"y"}`, "patch",
			`{"path":"/a","edits":[{"oldText":"x","newText":"y"}]}`, `{"filePath":"/a","oldString":"x","newString":"y"}`,
		},
		{
			"bash", `{"command":"ls","workdir":"/w","timeout":1500}`, "sh", `{"command":"ls","cwd":"/w","timeout":1.5}`,
			`{"command":"ls","workdir":"/w","timeout":1500}`,
		},
		{"grep", `{"re":"x","include":"*.go","why":1}`, "rg", `{"re":"x","glob":"*.go"}`, `{"re":"x","include":"*.go"}`},
		{"todoread", `{}`, "log", `{"op":"view"}`, `{}`},
		{
			"task", `{"description":"d","prompt":"p","subagent_type":"general"}`, "crew",
			`{"task":"p","agent":"deckhand","quiet":true}`, "",
		},
		{
			"question", `{"questions":[{"question":"Q","header":"H","options":[],"multiple":true}]}`, "hail",
			`{"questions":[{"id":"q1","question":"Q","header":"H","options":[],"multi":true}]}`,
			`{"questions":[{"question":"Q","header":"H","options":[],"multiple":true}]}`,
		},
		{"reef_host_task", `{"name":"n"}`, "task", `{"name":"n"}`, `{"name":"n"}`},
		{"anchor", `{"depth":3}`, "anchor", `{"depth":3}`, `{"depth":3}`},
	} {
		got := tools.ToHost(profile.Call{Name: c.name, Arguments: json.RawMessage(c.arguments)}, nil)
		require.Len(t, got.Calls, 1, c.name)
		assert.Equal(t, c.host, got.Calls[0].Name)
		assert.JSONEq(t, c.hostArguments, string(got.Calls[0].Arguments), c.name)
		assert.Equal(t, c.host, tools.HostName(c.name))

		back := tools.ToProvider(got.Calls[0])
		assert.Equal(t, c.name, back.Name)
		if c.restated == "" { // a task comes back with another description
			var task map[string]string
			require.NoError(t, json.Unmarshal(back.Arguments, &task))
			assert.NotEmpty(t, task["description"])
			delete(task, "description")
			assert.Equal(t, map[string]string{"prompt": "p", "subagent_type": "general"}, task)
			continue
		}
		assert.JSONEq(t, c.restated, string(back.Arguments), c.name)
	}
	assert.JSONEq(t, `{"type":"tool","toolName":"grep"}`, string(tools.Choice(json.RawMessage(`{"name":"rg"}`))))
	assert.Equal(t, map[string]string{
		"cat": "read", "patch": "edit", "sh": "bash", "rg": "grep", "log": "todowrite", "crew": "task",
		"task": "reef_host_task", "hail": "question",
	}, tools.Renames())
}

// The keys of every host go back by its own aliases: the first of several, and none is taken for another.
func TestAliasesGoBack(t *testing.T) {
	for _, shape := range []string{`"history": "aliases"`, `"schema": "grep", "call": "grep", "history": "grep"`} {
		p, err := profile.Parse([]byte(`{"name": "kelp", "paths": {"folder": ".kelp"}, "tools": {"rules": [{"tool": "look", ` + shape + `,
			"aliases": [["exact", "whole"], ["caseSensitive", "exact"], ["case_sensitive", "exact"], ["depth", "levels"]]}]}}`))
		require.NoError(t, err)
		tools := p.Bind([]profile.Tool{tool("look", `{}`)}, profile.Options{})
		for host, provider := range map[string]string{
			`{"exact":true,"whole":false,"levels":2,"case":1}`: `{"caseSensitive":true,"exact":false,"depth":2,"case":1}`,
			`{"whole":1}`:               `{"exact":1}`,
			`{"levels":1,"depth":null}`: `{"depth":null}`,
			`{"case":1,"glob":"x"}`:     `{"case":1,"glob":"x"}`,
		} {
			back := tools.ToProvider(profile.Call{Name: "look", Arguments: json.RawMessage(host)})
			assert.JSONEq(t, provider, string(back.Arguments), "%s: %s", shape, host)
		}
		there := tools.ToHost(profile.Call{Name: "look", Arguments: json.RawMessage(`{"exact":1,"case_sensitive":2}`)}, nil)
		assert.JSONEq(t, `{"whole":1,"exact":2}`, string(there.Calls[0].Arguments))
	}
}

func properties(t *testing.T, d profile.Declaration) []string {
	t.Helper()
	var schema struct{ Properties map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(d.InputSchema, &schema))
	return sortedKeys(schema.Properties)
}

func agentEnum(t *testing.T, d profile.Declaration) json.RawMessage {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Enum json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(d.InputSchema, &schema))
	return schema.Properties["subagent_type"].Enum
}
