package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// closer is what binds of one closing event.
type closer struct {
	kind, data, id, code string
	sources              []int64
}

func summary(t *testing.T, events []session.Event) []closer {
	t.Helper()
	var list []closer
	for _, e := range events {
		c := closer{kind: e.Type, data: string(e.Data)}
		if e.Type == session.ToolResult {
			var data struct {
				Turn, Step int64
				Message    struct {
					ID, Role string
					Source   struct{ Kind, CallID string }
					Content  []struct {
						Type, ToolCallID string
						IsError          bool
						Content          []struct{ Type, Text string }
					}
				}
				Error struct{ Name, Code string }
			}
			require.NoError(t, json.Unmarshal(e.Data, &data))
			m := data.Message
			require.Len(t, m.Content, 1)
			require.Len(t, m.Content[0].Content, 1)
			assert.NotEmpty(t, m.Content[0].Content[0].Text)
			assert.Equal(t, "text", m.Content[0].Content[0].Type)
			assert.True(t, m.Content[0].IsError)
			assert.Equal(t, "user", m.Role)
			assert.Equal(t, "tool", m.Source.Kind)
			assert.Equal(t, m.Source.CallID, m.Content[0].ToolCallID)
			assert.JSONEq(t, `"append"`, string(e.SurfaceOp))
			name := map[string]string{
				session.ToolNotStarted: "ToolNotStartedError", session.ToolOutcomeUnknown: "ToolOutcomeUnknownError",
			}[data.Error.Code]
			assert.Equal(t, name, data.Error.Name)
			c = closer{kind: e.Type, id: m.ID, code: data.Error.Code, sources: e.Sources}
		}
		list = append(list, c)
	}
	return list
}

func TestClosers(t *testing.T) {
	calls := func(ids ...string) string {
		blocks := make([]string, len(ids))
		for i, id := range ids {
			blocks[i] = `{"type":"tool-call","id":"` + id + `","name":"n","arguments":"{}"}`
		}
		return `{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[` +
			strings.Join(blocks, ",") + `],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"}
`
	}
	call := func(id string) string {
		return `{"type":"tool/call","data":{"turn":1,"step":1,"callId":"` + id + `","name":"n","arguments":"{}"}}
`
	}
	answer := func(id string) string { return strings.ReplaceAll(result, "c1", id) }
	const begin = `{"type":"turn/start","data":{"turn":1}}
{"type":"step/start","data":{"turn":1,"step":1}}
`
	const stepEnd = `{"type":"step/end","data":{"turn":1,"step":1}}
`
	const turnEnd = `{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}
`
	const other = `{"type":"x","data":{"callId":"c1"},"ignorable":true}
`
	endStep := closer{kind: session.StepEnd, data: `{"turn":1,"step":1}`}
	endTurn := closer{kind: session.TurnEnd, data: `{"turn":1,"reason":{"kind":"interrupted"}}`}
	notStarted := func(id string) closer {
		return closer{kind: session.ToolResult, id: "interrupted-tool-result-" + id, code: session.ToolNotStarted}
	}
	unknown := func(id string, seq int64) closer {
		return closer{kind: session.ToolResult, id: "interrupted-tool-result-" + id, code: session.ToolOutcomeUnknown, sources: []int64{seq}}
	}
	for _, test := range []struct {
		name, log string
		want      []closer
	}{
		{"empty", ``, nil},
		{"outside of a turn", other, nil},
		{"ended", begin + stepEnd + turnEnd, nil},
		{"ended with the step open", begin + turnEnd, nil},
		{"ended with a call open", begin + calls("c1") + turnEnd, nil},
		{"only marked since", begin + turnEnd + `{"type":"session/end-seed","data":{}}`, nil},
		{"turn", `{"type":"turn/start","data":{"turn":1}}`, []closer{endTurn}},
		{"step", begin, []closer{endStep, endTurn}},
		{"step that ended", begin + stepEnd, []closer{endTurn}},
		{"second step", begin + stepEnd + `{"type":"step/start","data":{"turn":1,"step":2}}`, []closer{{kind: session.StepEnd, data: `{"turn":1,"step":2}`}, endTurn}},
		{"second turn", begin + `{"type":"turn/start","data":{"turn":2}}`, []closer{{kind: session.TurnEnd, data: `{"turn":2,"reason":{"kind":"interrupted"}}`}}},
		{"calls of the first turn", begin + calls("c1") + `{"type":"turn/start","data":{"turn":2}}`, []closer{{kind: session.TurnEnd, data: `{"turn":2,"reason":{"kind":"interrupted"}}`}}},
		{"calls of a step that ended", begin + calls("c1") + stepEnd, []closer{endTurn}},
		{"call", begin + calls("c1"), []closer{notStarted("c1-3"), endStep, endTurn}},
		{"calls in the order of the message", begin + calls("c2", "c1", "c3") + call("c1"), []closer{notStarted("c2-4"), unknown("c1-5", 3), notStarted("c3-6"), endStep, endTurn}},
		{"calls of two messages", begin + calls("c2") + calls("c1") + call("c2"), []closer{unknown("c2-5", 4), notStarted("c1-6"), endStep, endTurn}},
		{"call recorded without a message", begin + call("c1"), []closer{endStep, endTurn}},
		{"call recorded before its message", begin + call("c1") + calls("c1"), []closer{notStarted("c1-4"), endStep, endTurn}},
		{"call recorded twice", begin + calls("c1") + call("c1") + call("c1"), []closer{unknown("c1-5", 4), endStep, endTurn}},
		{"the same call twice", begin + calls("c1", "c1") + call("c1") + calls("c1"), []closer{unknown("c1-5", 3), endStep, endTurn}},
		{"call answered", begin + calls("c1") + call("c1") + answer("c1"), []closer{endStep, endTurn}},
		{"call answered but not recorded", begin + calls("c1") + answer("c1"), []closer{endStep, endTurn}},
		{"one of two answered", begin + calls("c1", "c2") + call("c1") + answer("c1") + call("c2"), []closer{unknown("c2-6", 5), endStep, endTurn}},
		{"call that is asked again after its answer", begin + calls("c1") + call("c1") + answer("c1") + calls("c1"), []closer{notStarted("c1-6"), endStep, endTurn}},
		{"call without a name", begin + calls(""), []closer{notStarted("-3"), endStep, endTurn}},
		{"half a surrogate pair", begin + calls(`\ud83e`), []closer{notStarted("\ufffd-3"), endStep, endTurn}},
		{"call after the step", begin + stepEnd + calls("c1"), []closer{notStarted("c1-4"), endTurn}},
		{"events without effect", begin + calls("c1") + other, []closer{notStarted("c1-4"), endStep, endTurn}},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := lines(t, test.log)
			closers := session.Closers(events)
			assert.Equal(t, test.want, summary(t, closers))
			for i, e := range closers {
				assert.Equal(t, int64(len(events)+i), e.Seq)
				assert.Equal(t, events[len(events)-1].Time, e.Time, "the time of the last real event")
			}

			// A state knows the same, and what is closed is valid and closed.
			s, err := apply(events)
			require.NoError(t, err)
			assert.Equal(t, closers, s.Closers())
			for i := range closers {
				require.NoError(t, s.Apply(&closers[i]))
			}
			assert.Empty(t, s.Closers())
			assert.Empty(t, session.Closers(append(events, closers...)))
		})
	}
}

// The place of a result is that of the message that asked for it.
func TestClosersPlace(t *testing.T) {
	events := lines(t, strings.NewReplacer(`"turn":1`, `"turn":3`, `"step":1`, `"step":2`).Replace(opening))
	closers := session.Closers(events)
	require.Len(t, closers, 3)
	assert.Contains(t, string(closers[0].Data), `{"turn":3,"step":2,"message":`)
	assert.Equal(t, `{"turn":3,"step":2}`, string(closers[1].Data))
}

// The log need not be valid.
func TestClosersOfAnInvalidLog(t *testing.T) {
	closers := session.Closers(lines(t, `
{"type":"turn/start","data":null}
{"type":"step/start"}
{"type":"assistant/message","data":7}
{"type":"assistant/message","data":{"message":{"content":[{"type":"tool-call","id":"c1"},3]}}}
{"type":"tool/call","data":[]}
{"type":"tool/result"}
{"type":"","data":{}}
`))
	kinds := []string{}
	for _, e := range closers {
		kinds = append(kinds, e.Type)
	}
	assert.Equal(t, []string{session.ToolResult, session.StepEnd, session.TurnEnd}, kinds)
	assert.Equal(t, int64(7), closers[0].Seq)
}
