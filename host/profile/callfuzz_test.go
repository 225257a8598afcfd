package profile_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Whatever the arguments are: nothing panics, what was JSON stays JSON, and it does not grow beyond
// proportion.
func FuzzConversions(f *testing.F) {
	for _, seed := range []string{
		`{"filePath":"/a;/b","offset":1,"limit":2}`, `{"path":"http://h/:raw:1-2?q","x":[]}`,
		`{"file_path":"f","oldString":"a","newString":"\ud83d","replaceAll":true}`,
		`{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`, `{"pattern":"*","path":"/","include":"x"}`,
		`{"timeout":1e300,"cwd":"w"}`, `{"prompt":"p","subagent_type":"general","description":" d"}`,
		`{"context":"c","tasks":[{"agent":"scout","task":"t"}]}`,
		`{"questions":[{"question":"Q","options":[{"label":"l"}],"multiple":true}]}`,
		`{"todos":[{"content":"A","status":"completed"},{"content":"B","status":"in_progress"}]}`,
		`{"op":"init","list":[{"items":["A"]}]}`, `{"op":"rm","task":"A"}`, `[{"op":"start","task":"B"}]`,
		`{"role":"toolResult","toolName":"todo","details":{"phases":[{"tasks":[{"content":"A","status":"abandoned"}]}]}}`,
	} {
		f.Add([]byte(seed))
	}
	var sets []*profile.Toolset
	for _, reference := range []bool{false, true} {
		sets = append(sets, liveTools(f, "pi", reference, piTools...), liveTools(f, "omp", reference, ompTools...))
	}
	batch := json.RawMessage(`{"properties":{"tasks":{}},"required":["context","tasks"]}`)
	sets = append(sets, sets[1].Profile().Bind([]profile.Tool{{Name: "task", Parameters: batch}}, profile.Options{}))
	names := append(append([]string{"question", "todowrite", "todoread", "ask"}, piTools...), ompTools...)
	known := rows("A:in_progress B:pending")
	f.Fuzz(func(t *testing.T, in []byte) {
		valid, limit := jsonspan.Valid(in), 200*len(in)+4096
		check := func(out []byte) {
			if valid {
				require.True(t, jsonspan.Valid(out), "%s", out)
			}
			limit -= len(out)
			require.Positive(t, limit)
		}
		for _, tools := range sets {
			for _, name := range names {
				call := profile.Call{Name: name, Arguments: in}
				for _, rows := range [][]profile.Todo{nil, known} {
					limit = 200*len(in) + 4096
					got := tools.ToHost(call, rows)
					require.NotEmpty(t, got.Calls)
					require.True(t, got.FanOut || len(got.Calls) == 1)
					for _, c := range got.Calls {
						check(c.Arguments)
					}
				}
				check(tools.ToProvider(call).Arguments)
			}
			tools.ResultTodos(in)
		}
		list, _ := ordered.Elements(in)
		profile.ReplayTodos(append(list, in), known)
		valid = true
		limit = 200*len(in) + 4096
		check(profile.FoldTodos(append(list, in), nil, known))
	})
}

// What takes time in proportion to the square of the input would take minutes here.
func TestLongInputs(t *testing.T) {
	const n = 100_000
	tools := onOmp(t)
	list, changed := make([]profile.Todo, n), make([]profile.Todo, n)
	ops := make([]json.RawMessage, 0, 3*n)
	for i := range list {
		list[i] = profile.Todo{Content: "task " + strconv.Itoa(i), Status: "pending"}
		changed[i] = profile.Todo{Content: list[i].Content, Status: "completed"}
	}
	for i := range list {
		ops = append(ops, json.RawMessage(`{"op":"start","task":"same"}`),
			json.RawMessage(`{"op":"rm","task":"`+list[n-1-i].Content+`"}`),
			json.RawMessage(`{"op":"drop","task":"new `+strconv.Itoa(i)+`"}`))
	}
	assert.Len(t, tools.ToHost(todoWrite(changed), nil).Calls, n+1)
	assert.Len(t, tools.ToHost(todoWrite(changed), list).Calls, n)
	assert.Len(t, tools.ToHost(todoWrite(changed[n-1:]), list).Calls, n)
	left, ok := profile.ReplayTodos(ops, list)
	assert.True(t, ok)
	assert.Len(t, left, n+1)
	same := make([]profile.Todo, n)
	for i := range same {
		same[i] = profile.Todo{Content: "same", Status: "in_progress"}
	}
	left, _ = profile.ReplayTodos(ops, same)
	assert.Len(t, left, 2*n)

	for name, in := range map[string]string{
		"read":     `{"path":"` + strings.Repeat("/a;", n) + `","offset":1}`,
		"grep":     `{"path":"` + strings.Repeat("*/", n) + `","include":"` + strings.Repeat(`\\`, n) + `"}`,
		"glob":     `{"pattern":"` + strings.Repeat("/", n) + `","path":"` + strings.Repeat("/", n) + `"}`,
		"question": `{"questions":[` + strings.Repeat(`{"question":"`+strings.Repeat("x", 100)+`"},`, n/100) + `{}]}`,
		"edit":     `{"path":"f","old_string":"` + strings.Repeat(`\u0061`, n) + `","new_string":""}`,
		"bash":     `{"timeout":` + strings.Repeat("9", n) + `}`,
		"task":     `{"tasks":[` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `]}`,
		"write":    `{` + strings.Repeat(`"filePath":1,"path":2,`, n) + `"content":3}`,
	} {
		host := tools.ToHost(profile.Call{Name: name, Arguments: json.RawMessage(in)}, nil)
		for _, c := range host.Calls[:1] {
			tools.ToProvider(c)
		}
		tools.ToProvider(profile.Call{Name: tools.HostName(name), Arguments: json.RawMessage(in)})
	}
}
