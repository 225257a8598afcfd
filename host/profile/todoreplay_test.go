package profile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/profile"
)

// operations reads operations with a space between them: "init:A,B start:B rm view".
func operations(text string) []json.RawMessage {
	var ops []json.RawMessage
	for _, field := range strings.Fields(text) {
		op, task, _ := strings.Cut(field, ":")
		switch {
		case op == "init":
			items, _ := json.Marshal(strings.Split(task, ","))
			ops = append(ops, json.RawMessage(`{"op":"init","items":`+string(items)+`}`))
		case task == "":
			ops = append(ops, json.RawMessage(`{"op":"`+op+`"}`))
		default:
			ops = append(ops, json.RawMessage(`{"task":"`+task+`","op":"`+op+`"}`))
		}
	}
	return ops
}

func TestReplayTodos(t *testing.T) {
	for _, c := range []struct{ ops, known, want string }{
		{"view", "A:pending", "A:pending"},
		{"", "", ""},
		{"done:A start:B", "A:in_progress B:pending", "A:completed B:in_progress"},
		{"start:B start:B", "A:in_progress B:pending C:in_progress", "A:pending B:in_progress C:pending"},
		{"start:A start:Z done:Z start:B", "A:pending B:pending", "A:pending B:in_progress Z:completed"},
		{"done:Z", "", "Z:completed"},
		{"drop:A rm:A drop:A", "A:pending B:pending", "B:pending A:cancelled"},
		{"rm:A start:A", "A:pending A:completed B:pending A:pending", "B:pending A:in_progress"},
		{"done:A", "A:pending A:pending", "A:completed A:pending"},
		{"done:A init:B,C", "A:pending", "B:in_progress C:pending"},
		{"init:A,B init:C", "A:pending", "C:in_progress"},
		{"init:A rm done:B", "A:pending", "B:completed"},
		{"append:A noop:B", "A:pending", "A:pending"},
		{"rm:Z", "A:pending", "A:pending"},
	} {
		got, ok := profile.ReplayTodos(operations(c.ops), rows(c.known))
		assert.True(t, ok, "%+v", c)
		assert.Equal(t, rows(c.want), got, "%+v", c)
	}
}

func TestReplayTodosWithoutRows(t *testing.T) {
	for _, ops := range []string{"", "view", "done:A start:B drop:C", "rm:A"} {
		got, ok := profile.ReplayTodos(operations(ops), nil)
		assert.False(t, ok, ops)
		assert.Nil(t, got, ops)
	}
	for ops, want := range map[string]string{
		"done:A rm": "", "rm start:A": "A:in_progress", "done:Z init:A": "A:in_progress", "init:": "",
	} {
		got, ok := profile.ReplayTodos(operations(ops), nil)
		assert.True(t, ok, ops)
		assert.Equal(t, rows(want), got, ops)
	}
}

func TestReplayTodosOfWhatIsNoOperation(t *testing.T) {
	var ops []json.RawMessage
	for _, raw := range []string{
		``, `null`, `[]`, `{`, `"view"`, `{"op":1}`, `{"op":"done"}`, `{"op":"done","task":" "}`, `{"op":"start","task":["A"]}`,
		`{"op":"start","task":"\u00a0"}`, `{"OP":"rm"}`,
	} {
		ops = append(ops, json.RawMessage(raw))
	}
	got, ok := profile.ReplayTodos(ops, rows("A:in_progress"))
	assert.True(t, ok)
	assert.Equal(t, rows("A:in_progress"), got)

	got, _ = profile.ReplayTodos([]json.RawMessage{[]byte(`{"\u006fp":"done","task":"x","task":" A\n"}`)}, rows("A:pending"))
	assert.Equal(t, rows("A:completed"), got)
}

// The known rows are the caller's.
func TestReplayTodosLeavesTheKnownRows(t *testing.T) {
	known := rows("A:pending B:in_progress")
	_, _ = profile.ReplayTodos(operations("start:A rm:B done:C"), known)
	assert.Equal(t, rows("A:pending B:in_progress"), known)
}

// A replay that is as plain as it can be.
func replayPlainly(ops []string, list []profile.Todo) []profile.Todo {
	set := func(content, status string) {
		for i := range list {
			if list[i].Content == content {
				list[i].Status = status
				return
			}
		}
		list = append(list, profile.Todo{Content: content, Status: status})
	}
	for _, op := range ops {
		op, task, _ := strings.Cut(op, ":")
		switch op {
		case "init":
			list = []profile.Todo{}
			for i, item := range strings.Split(task, ",") {
				list = append(list, profile.Todo{Content: item, Status: "pending"})
				if i == 0 {
					list[0].Status = "in_progress"
				}
			}
		case "rm":
			kept := []profile.Todo{}
			for _, row := range list {
				if task != "" && row.Content != task {
					kept = append(kept, row)
				}
			}
			list = kept
		case "start":
			for i := range list {
				if list[i].Status == "in_progress" {
					list[i].Status = "pending"
				}
			}
			set(task, "in_progress")
		case "done":
			set(task, "completed")
		case "drop":
			set(task, "cancelled")
		}
	}
	return list
}

func TestReplayTodosIsThePlainReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.Custom(func(t *rapid.T) profile.Todo {
			return profile.Todo{
				Content: rapid.StringMatching(`[A-C]`).Draw(t, "content"),
				Status:  rapid.SampledFrom([]string{"pending", "in_progress", "completed", "cancelled"}).Draw(t, "status"),
			}
		})
		known := rapid.SliceOfN(row, 0, 6).Draw(t, "known")
		ops := rapid.SliceOfN(rapid.StringMatching(`(init:[A-C](,[A-C]){0,3})|(rm|view)|((rm|start|done|drop|start):[A-D])`), 0, 12).Draw(t, "ops")
		got, ok := profile.ReplayTodos(operations(strings.Join(ops, " ")), append([]profile.Todo{}, known...))
		require.True(t, ok)
		require.Equal(t, replayPlainly(ops, append([]profile.Todo{}, known...)), got)
	})
}

func TestFoldTodos(t *testing.T) {
	const list = `{"todos":[{"content":"A","status":"completed"}]}`
	for _, c := range []struct {
		ops             string
		known, reported []profile.Todo
		want            string
	}{
		{"init:A done:A", rows("B:pending"), rows("C:pending"), list},
		{"done:A", rows("A:pending"), rows("C:pending"), list},
		{"start:B rm:B", nil, rows("A:completed"), list},
		{"done:A", []profile.Todo{}, rows("C:pending"), list},
		{"done:A", nil, nil, `{"todos":[]}`},
		{"rm", nil, rows("A:completed"), `{"todos":[]}`},
		{"view", rows("A:completed"), nil, list},
	} {
		assert.Equal(t, c.want, string(profile.FoldTodos(operations(c.ops), c.known, c.reported)), "%+v", c)
	}
	odd := []profile.Todo{{Content: "\xed\xa0\xbd\"", Status: "pending"}}
	assert.Equal(t, `{"todos":[{"content":"\ud83d\"","status":"pending"}]}`, string(profile.FoldTodos(nil, odd, nil)))
}

func TestFanOutHead(t *testing.T) {
	for id, want := range map[string]string{"c#0": "c", "c#007": "c", "a#1#22": "a#1", "##1": "#", "é\n#9": "é\n", " #1": " "} {
		head, ok := profile.FanOutHead(id)
		assert.True(t, ok, id)
		assert.Equal(t, want, head, id)
	}
	for _, id := range []string{"", "#", "#1", "c#", "c#1 ", "c#-1", "c#1x", "c1", "1", "c#٣", "c#1#"} {
		head, ok := profile.FanOutHead(id)
		assert.False(t, ok, id)
		assert.Empty(t, head, id)
	}
}
