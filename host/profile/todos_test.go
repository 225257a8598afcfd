package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/profile"
)

// rows reads "A:pending B:completed".
func rows(text string) []profile.Todo {
	list := []profile.Todo{}
	for _, field := range strings.Fields(text) {
		content, status, _ := strings.Cut(field, ":")
		list = append(list, profile.Todo{Content: content, Status: status})
	}
	return list
}

func todoWrite(list []profile.Todo) profile.Call {
	var b strings.Builder
	for i, row := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"content":%q,"status":%q}`, row.Content, row.Status)
	}
	return profile.Call{Name: "todowrite", Arguments: json.RawMessage(`{"todos":[` + b.String() + `]}`)}
}

func TestTodoListsAreBegunAnew(t *testing.T) {
	toHost(t, onOmp(t), "todowrite", "todo", conversions{
		`{"todos":[]}`: `{"op":"rm"}`,
		`{"todos":[{"content":"\ufeff A\n","status":"PENDING"},{"content":"\u0085"},{"content":7}]}`:      "{\"op\":\"init\",\"items\":[\"A\",\"\u0085\"]}",
		`{"todos":[{"content":"A","content":"B"},{"c\u006fntent":"\ud83d","status":"in\u005fprogress"}]}`: `{"op":"init","items":["\ud83d","B"]}`,
		`{"todos":[[{"content":"A"}],{"status":"completed"}]}`:                                            `{"op":"rm"}`,
		`{"op":" ","todos":[],"id":1,"priority":2,"merge":3,"x":4}`:                                       `{"op":" ","x":4}`,
		`{"op":3,"todos":[{"content":"A"}]}`:                                                              `{"op":"init","items":["A"]}`,
		`{"op":"","items":["A"]}`:                                                                         `{"op":"","items":["A"]}`,
		`{"todos":null}`:                                                                                  `{"todos":null}`,
	})
	toHost(t, onOmp(t), "todoread", "todo", conversions{
		`{"x":1}`:           `{"op":"view","x":1}`,
		`{"x":1,"op":"rm"}`: `{"x":1,"op":"rm"}`,
		`{"op":null}`:       `{"op":null}`,
		`{"todos":[]}`:      `{"op":"view","todos":[]}`,
	})
	got, fan := fanOut(t, onOmp(t), todoWrite(rows("A:canceled B:in_progress C:in_progress D:completed")), nil)
	assert.True(t, fan)
	assert.Equal(t, []string{
		`{"op":"init","items":["A","B","C","D"]}`, `{"op":"drop","task":"A"}`, `{"op":"done","task":"D"}`,
		`{"op":"start","task":"B"}`,
	}, got)
}

func TestTodoDifferences(t *testing.T) {
	for _, c := range []struct{ known, wanted, ops string }{
		{"A:pending B:pending", "A:pending", "rm B"},
		{"A:pending B:pending C:in_progress", "B:completed", "rm A, rm C, done B"},
		{"A:in_progress B:pending", "A:completed B:cancelled", "done A, drop B"},
		{"A:completed B:cancelled", "A:cancelled B:completed", "drop A, done B"},
		{"A:completed B:pending", "A:in_progress B:pending", "start A"},
		{"A:in_progress B:pending", "A:pending B:in_progress", "start B"},
		{"A:in_progress B:pending C:pending", "A:completed C:in_progress", "rm B, done A, start C"},
		{"A:completed", "A:completed", "view "},
		// Operations cannot do these.
		{"A:in_progress B:pending", "A:pending B:completed", ""},
		{"A:cancelled", "A:pending", ""},
		{"A:pending A:pending", "A:completed", ""},
		{"A:pending B:pending", "A:completed A:completed", ""},
		{"A:pending", "A:pending B:pending", ""},
		{"A:pending B:pending C:pending", "A:pending C:pending B:pending", ""},
		{"A:pending B:pending", "A:in_progress B:in_progress", ""},
		{"A:in_progress B:in_progress", "A:in_progress B:pending", ""},
		{"", "A:pending", ""},
		{"A:pending", "", ""},
	} {
		got, fan := fanOut(t, onOmp(t), todoWrite(rows(c.wanted)), rows(c.known))
		if c.ops == "" {
			whole, _ := fanOut(t, onOmp(t), todoWrite(rows(c.wanted)), nil)
			assert.Equal(t, whole, got, "%+v", c)
			continue
		}
		var ops []string
		for _, raw := range got {
			var op struct{ Op, Task string }
			require.NoError(t, json.Unmarshal([]byte(raw), &op))
			ops = append(ops, op.Op+" "+op.Task)
		}
		assert.Equal(t, c.ops, strings.Join(ops, ", "), "%+v", c)
		assert.True(t, fan, "%+v", c)
	}
	stated := profile.Call{Name: "todowrite", Arguments: json.RawMessage(`{"op":"","todos":[{"content":"A","status":"completed"}]}`)}
	got, _ := fanOut(t, onOmp(t), stated, rows("A:pending"))
	assert.Equal(t, `{"op":"init","items":["A"]}`, got[0])
}

func TestWhatTheTodoToolIs(t *testing.T) {
	omp := onOmp(t)
	for name, todo := range map[string]bool{"todowrite": true, "todoread": true, "todo": true, "task": false, "question": false, "read": false, "ls": false} {
		assert.Equal(t, todo, omp.ToHost(profile.Call{Name: name, Arguments: json.RawMessage(`{}`)}, nil).Todo, name)
	}
	pi := liveTools(t, "pi", false, "todo", "read")
	assert.False(t, pi.ToHost(profile.Call{Name: "todo", Arguments: json.RawMessage(`{}`)}, nil).Todo)
}

func TestOneTodoOperationIsRestated(t *testing.T) {
	sound, reference := onOmp(t), liveTools(t, "omp", true, "todo")
	same := conversions{
		`{"op":"rm"}`:                               `{"todos":[]}`,
		`{"op":"rm","task":" "}`:                    `{"todos":[]}`,
		`{"op":"rm","task":1}`:                      `{"todos":[]}`,
		`{"op":"init","items":[" A ","",null,"B"]}`: `{"todos":[{"content":"A","status":"in_progress"},{"content":"B","status":"pending"}]}`,
		`{"op":"init","items":1,"list":[{"items":"x"},{"items":["A"]},3,{"items":["A"]}]}`: `{"todos":[{"content":"A","status":"in_progress"},{"content":"A","status":"pending"}]}`,
		`{"op":"init","items":["A"],"list":[{"items":["B"]}]}`:                             `{"todos":[{"content":"A","status":"in_progress"}]}`,
		`{"op":"init","list":{}}`:     `{"op":"init","list":{}}`,
		`{"op":"init","items":[" "]}`: `{"op":"init","items":[" "]}`,
		`{"op":"start", "task":"A"}`:  `{"op":"start", "task":"A"}`,
		`{"op":["view"]}`:             `{"op":["view"]}`,
		`{}`:                          `{}`,
	}
	toProvider(t, sound, "todo", "todowrite", same)
	toProvider(t, reference, "todo", "todowrite", same)
	toProvider(t, sound, "todo", "todowrite", conversions{`{"op":"rm","task":"A"}`: `{"op":"rm","task":"A"}`})
	toProvider(t, reference, "todo", "todowrite", conversions{`{"op":"rm","task":"A"}`: `{"todos":[]}`})
	toProvider(t, sound, "todo", "todoread", conversions{`{"op":"view","x":1}`: `{}`})
}

// drawRows draws a list as a host can have it: one active row at most.
func drawRows(t *rapid.T, label string) []profile.Todo {
	contents := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-H]{1,2}`), 0, 8, rapid.ID[string]).Draw(t, label)
	list := make([]profile.Todo, len(contents))
	for i, content := range contents {
		status := rapid.SampledFrom([]string{"pending", "completed", "cancelled"}).Draw(t, "status")
		list[i] = profile.Todo{Content: content, Status: status}
	}
	if len(list) > 0 && rapid.Bool().Draw(t, "active") {
		list[rapid.IntRange(0, len(list)-1).Draw(t, "which")].Status = "in_progress"
	}
	return list
}

// Whatever is known, the operations leave the list that the provider wants: with the rows in its order, but
// for open rows behind the active one, and with an active row where the host insists on one.
func TestTodoOperationsLeaveTheList(t *testing.T) {
	tools := onOmp(t)
	rapid.Check(t, func(t *rapid.T) {
		known, wanted := drawRows(t, "known"), drawRows(t, "wanted")
		if rapid.Bool().Draw(t, "related") {
			wanted = nil
			active := 0
			for _, row := range known {
				switch rapid.IntRange(0, 4).Draw(t, "change") {
				case 0:
					continue
				case 1:
					row.Status = "completed"
				case 2:
					row.Status = "in_progress"
				case 3:
					row.Status = "pending"
				}
				if row.Status == "in_progress" {
					if active++; active > 1 {
						row.Status = "cancelled"
					}
				}
				wanted = append(wanted, row)
			}
		}
		calls := tools.ToHost(todoWrite(wanted), known)
		ops := make([]json.RawMessage, len(calls.Calls))
		whole := false
		for i, c := range calls.Calls {
			ops[i] = c.Arguments
			whole = whole || strings.HasPrefix(string(c.Arguments), `{"op":"init"`)
		}
		left, ok := profile.ReplayTodos(ops, known)
		require.True(t, ok)
		if !whole {
			require.Equal(t, append([]profile.Todo{}, wanted...), left)
			return
		}
		active := false
		status := map[string]string{}
		for _, row := range wanted {
			status[row.Content] = row.Status
			active = active || row.Status == "in_progress"
		}
		require.Len(t, left, len(wanted))
		for i, row := range left {
			want := status[row.Content]
			if i == 0 && !active && want == "pending" {
				want = "in_progress" // the first row of a new list
			}
			require.Equal(t, want, row.Status, "%v", row)
		}
	})
}
