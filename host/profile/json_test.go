package profile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

// What a program on the host is given has the keys of JavaScript and no text that is escaped for HTML.
func TestJSONForms(t *testing.T) {
	tools := reefTools(t)
	roles := tools.Roles()
	asked := profile.Roles{InputProfiles: []string{"a", "b<"}}
	schema := json.RawMessage(`{"x":"<"}`)
	for want, got := range map[string]interface{ AppendJSON([]byte) []byte }{
		`{"name":"n<","description":"d","parameters":{"x":"<"}}`:                             &profile.Tool{Name: "n<", Description: "d", Parameters: schema},
		`{"name":"n","description":"","parameters":null}`:                                    &profile.Tool{Name: "n"},
		`{"type":"function","name":"n","description":"é\"","inputSchema":{"x":"<"}}`:         &profile.Declaration{Name: "n", Description: "é\"", InputSchema: schema},
		`{"type":"function","name":"n","description":"","inputSchema":null}`:                 &profile.Declaration{Name: "n"},
		`{"name":"n","description":"d","parameters":{"x":"<"},"package":"p","variable":"V"}`: &profile.PrivateTool{Tool: profile.Tool{Name: "n", Description: "d", Parameters: schema}, Package: "p", Variable: "V"},
		`{"subagent":null,"question":null,"terminal":null,"inputProfiles":["a","b<"]}`:       &asked,
		`{"subagent":{"hostTool":"crew","agents":["deckhand","cook"],"complete":true,"aliases":{"task":"reef_host_task"},"coordination":"radio"},"question":"hail","terminal":"dock","inputProfiles":["cat","log","patch","radio","rg","sh"]}`: &roles,
		`{"tool":"t","setting":"s","package":"p","when":"idle","steps":[{"do":"enterPlanMode","plan":"u","workflow":"w"},{"do":"deactivate","tool":"t"}]}`: &profile.Action{
			Tool: "t", Setting: "s", Package: "p", When: "idle", Steps: []profile.Step{{Do: "enterPlanMode", Plan: "u", Workflow: "w"}, {Do: "deactivate", Tool: "t"}},
		},
		`{"tool":"t","steps":[]}`: &profile.Action{Tool: "t"},
	} {
		assert.Equal(t, "x"+want, string(got.AppendJSON([]byte("x"))))
		marshaled, err := json.Marshal(got)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(marshaled))
	}
}

func TestActions(t *testing.T) {
	for host, want := range map[string][2]string{
		"omp": {
			`{"tool":"plan_enter","setting":"plan.enabled","when":"idle","steps":[{"do":"enterPlanMode","plan":"local://PLAN.md","workflow":"parallel"},{"do":"deactivate","tool":"plan_enter"},{"do":"activateBuiltIn","tool":"write"}]}`,
			`{"tool":"plan_exit","when":"planning","steps":[{"do":"leavePlanMode"},{"do":"restoreTools"}]}`,
		},
		"pi": {
			`{"tool":"plan_enter","package":"@pify/plan-mode","steps":[{"do":"enterByPackage","command":"/plan"},{"do":"deactivate","tool":"plan_enter"}]}`,
			`{"tool":"plan_exit","package":"@pify/plan-mode","steps":[{"do":"command","command":"/plan off"}]}`,
		},
	} {
		p, err := profile.Named(host)
		require.NoError(t, err)
		for i, tool := range []string{"plan_enter", "plan_exit"} {
			action, ok := p.Action(tool)
			require.True(t, ok)
			assert.Equal(t, want[i], string(action.AppendJSON(nil)))
		}
		_, ok := p.Action("bash")
		assert.False(t, ok)
		var private []string
		for _, tool := range profile.PrivateTools() {
			private = append(private, tool.Name)
		}
		for _, action := range p.Actions {
			assert.Contains(t, private, action.Tool)
		}
	}
	for actions, complaint := range map[string]string{
		`[{"steps":[]}]`: `line 3: actions[0].tool: expected a private tool`,
		`[{"tool":"a","steps":[{"do":"restoreTools"}]},{"tool":"a"}]`:      `actions[1].tool: expected a private tool without another action, not "a"`,
		`[{"tool":"a","when":"busy"}]`:                                     `actions[0].when: unknown "busy", use one of ["idle" "planning"]`,
		`[{"tool":"a","steps":[{"do":"comand"}]}]`:                         `actions[0].steps[0].do: unknown "comand" (did you mean "command"?)`,
		`[{"tool":"a","steps":[{}]}]`:                                      `actions[0].steps[0].do: unknown ""`,
		`[{"tool":"a"}]`:                                                   `line 3: actions[0]: tool "a" has no steps`,
		`[{"tool":"a","steps":[{"do":"leavePlanMode"},{"do":"command"}]}]`: `line 3: actions[0].steps[1]: command needs "command"`,
		`[{"tool":"a","steps":[{"do":"deactivate","command":"x"}]}]`:       `actions[0].steps[0]: deactivate needs "tool"`,
		`[{"tool":"a","steps":[{"do":"activateBuiltIn"}]}]`:                `activateBuiltIn needs "tool"`,
		`[{"tool":"a","steps":[{"do":"enterPlanMode","workflow":"w"}]}]`:   `enterPlanMode needs "plan"`,
		`[{"tool":"a","package":"p","steps":[{"do":"enterByPackage"}]}]`:   `enterByPackage needs "command"`,
		`[{"tool":"a","steps":[{"do":"enterByPackage","command":"c"}]}]`:   `enterByPackage needs the action's package`,
	} {
		_, err := profile.Parse(change(t, reef, `"package": "@reef/ai"`, `"actions": `+actions))
		assert.ErrorContains(t, err, complaint)
	}
}

func TestPackages(t *testing.T) {
	packages := profile.Packages()
	require.Len(t, packages, 2)
	assert.Equal(t, []any{"cursor-opencode-provider", "cursor", true}, []any{packages[0].Name, packages[0].Integration, packages[0].AnyCase})
	assert.Equal(t, []any{"devin-opencode-provider", "devin", false}, []any{packages[1].Name, packages[1].Integration, packages[1].AnyCase})
	packages[0].Name = "changed"
	assert.Equal(t, "cursor-opencode-provider", profile.Packages()[0].Name)
}

// A user's denial is told in the provider's words; that a plan was not approved is told as it is.
func TestDenial(t *testing.T) {
	d := profile.Packages()[0].Denial
	for text, want := range map[string]string{
		"Tool call denied":                       "rejected by user",
		"The user has DECLINED.":                 "rejected by user",
		"rejected":                               "rejected by user",
		"not approved":                           "rejected by user",
		"the call is not allowed: ask":           "rejected by user",
		"undenied, then denied":                  "rejected by user",
		"Plan not approved: refine it":           "Plan not approved: refine it",
		"The plan was not approved by the user.": "The plan was not approved by the user.",
		"undenied":                               "undenied",
		"denied_by":                              "denied_by",
		"rejectedé":                              "rejectedé",
		"connection refused":                     "connection refused",
		"no such file":                           "no such file",
		"":                                       "",
	} {
		assert.Equal(t, want, d.Restate(text), text)
	}
	assert.Equal(t, "denied", (&profile.Denial{}).Restate("denied"))
	assert.Equal(t, "denied", (&profile.Denial{Words: []string{""}}).Restate("denied"))
}
