package profile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

func TestTasksAreDelegated(t *testing.T) {
	toHost(t, onPi(t), "task", "subagent", conversions{
		`{"prompt":"\ud83d","subagent_type":"\u0067eneral"}`:        `{"task":"\ud83d","agent":"worker"}`,
		`{"prompt":"p","subagent_type":"worker"}`:                   `{"task":"p","agent":"worker"}`,
		`{"prompt":"p","subagent_type":" "}`:                        `{"task":"p","agent":" "}`,
		`{"prompt":"","task":"t"}`:                                  `{"task":""}`,
		`{"prompt":null,"task":"t","agent":"a"}`:                    `{"prompt":null,"task":"t","agent":"a"}`,
		`{"prompt":1,"task":2}`:                                     `{}`,
		`{}`:                                                        `{}`,
		`{"tasks":[{"task":"a"}],"context":"c"}`:                    `{}`,
		`{"subagent_type":"explore","description":"d","task_id":1}`: `{"agent":"scout"}`,
	})
	got := onOmp(t).ToHost(profile.Call{Name: "task", Arguments: json.RawMessage(`{"prompt":"p","subagent_type":"general"}`)}, nil)
	require.Len(t, got.Calls, 1)
	assert.True(t, strings.HasPrefix(string(got.Calls[0].Arguments), `{"task":"p","outputSchema":true,"solutionSpace":"`))
}

func TestBatchesOfTasks(t *testing.T) {
	p, err := profile.Parse([]byte(`{"name":"batch","paths":{"folder":".b"},"tools":{"subagent":{"tool":"spawn"}}}`))
	require.NoError(t, err)
	bind := func(schema string) *profile.Toolset {
		return p.Bind([]profile.Tool{{Name: "spawn", Parameters: json.RawMessage(schema)}}, profile.Options{})
	}
	batch := bind(`{"type":"object","properties":{"tasks":{},"context":{}},"required":["tasks","context"]}`)
	toHost(t, batch, "task", "spawn", conversions{
		`{"prompt":"p","description":"\u00a0d\n"}`: `{"context":"d","tasks":[{"task":"p"}]}`,
		`{"prompt":" p ","description":"\ufeff"}`:  `{"context":" p ","tasks":[{"task":" p "}]}`,
		`{"description":1,"subagent_type":"a"}`:    `{"context":"","tasks":[{"agent":"a"}]}`,
		`{"task":"t"}`:                             `{"task":"t"}`,
		`{"tasks":[{"task":"t"}],"context":"c"}`:   `{"context":"","tasks":[{}]}`,
	})
	for _, schema := range []string{
		``, `{"properties":{"tasks":{}},"required":["tasks"]}`, `{"properties":{"context":{}},"required":["tasks","context"]}`,
	} {
		toHost(t, bind(schema), "task", "spawn", conversions{`{"prompt":"p"}`: `{"task":"p"}`})
	}
}

func TestDelegatedTasksAreRestated(t *testing.T) {
	const named = `{"description":"N","prompt":`
	toProvider(t, onPi(t), "subagent", "task", conversions{
		`{"name":"N","task":"","agent":null}`:                              named + `"","subagent_type":"general"}`,
		`{"name":"N","task":"t","agent":["scout"]}`:                        named + `"t","subagent_type":"general"}`,
		`{"name":"N","task":"t","agent":"general"}`:                        named + `"t","subagent_type":"general"}`,
		`{"name":"X","tasks":[{"name":"N","task":"t"}],"task":"u"}`:        named + `"t","subagent_type":"general"}`,
		`{"context":" ","tasks":[{"name":"N","task":"t"}]}`:                named + `"t","subagent_type":"general"}`,
		`{"context":1,"tasks":[{"name":"N","task":"t","agent":"worker"}]}`: named + `"t","subagent_type":"general"}`,
		`{"context":" c","tasks":[{"name":"N","task":" t"}]}`:              named + `" c\n\n t","subagent_type":"general"}`,
		`{"context":"c","tasks":[{"name":"N","task":1}]}`:                  `{"context":"c","tasks":[{"name":"N","task":1}]}`,
		`{"context":"c","tasks":["t"]}`:                                    `{"context":"c","tasks":["t"]}`,
		`{"tasks":[],"task":"t","name":"N"}`:                               named + `"t","subagent_type":"general"}`,
		`{"tasks":[{"task":"a"},{"task":"b"}]}`:                            `{"tasks":[{"task":"a"},{"task":"b"}]}`,
		`{"task":["t"]}`:                                                   `{"task":["t"]}`,
	})
	got := onOmp(t).ToProvider(profile.Call{Name: "task", Arguments: json.RawMessage(`{"task":"t","name":3,"agent":"worker"}`)})
	var back struct {
		Description string
		Agent       string `json:"subagent_type"`
	}
	require.NoError(t, json.Unmarshal(got.Arguments, &back))
	assert.NotEmpty(t, back.Description)
	assert.Equal(t, "worker", back.Agent) // omp has no agent of that name
}
