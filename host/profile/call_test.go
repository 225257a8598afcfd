package profile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

// liveTools binds tools that have no schema to a host, in the default mode or as the reference does.
func liveTools(tb testing.TB, host string, reference bool, names ...string) *profile.Toolset {
	tb.Helper()
	p, err := profile.Named(host)
	require.NoError(tb, err)
	tools := make([]profile.Tool, len(names))
	for i, name := range names {
		tools[i].Name = name
	}
	return p.Bind(tools, profile.Options{Reference: reference})
}

var (
	piTools  = []string{"read", "write", "edit", "bash", "find", "grep", "ls", "subagent", "mcp_weather"}
	ompTools = []string{"read", "write", "edit", "bash", "grep", "glob", "todo", "task", "hub", "ask", "mcp_weather", "ls"}
)

func onPi(tb testing.TB) *profile.Toolset { return liveTools(tb, "pi", false, piTools...) }

func onOmp(tb testing.TB) *profile.Toolset { return liveTools(tb, "omp", false, ompTools...) }

// conversions are calls of one tool by their arguments, and the arguments that are to come of them.
type conversions map[string]string

// toHost checks calls that become one call of a tool.
func toHost(t *testing.T, tools *profile.Toolset, name, host string, cases conversions) {
	t.Helper()
	for in, want := range cases {
		got := tools.ToHost(profile.Call{Name: name, Arguments: json.RawMessage(in)}, nil)
		if assert.Len(t, got.Calls, 1, in) {
			assert.Equal(t, host, got.Calls[0].Name, in)
			assert.Equal(t, want, string(got.Calls[0].Arguments), in)
		}
		assert.False(t, got.FanOut, in)
	}
}

func toProvider(t *testing.T, tools *profile.Toolset, name, provider string, cases conversions) {
	t.Helper()
	for in, want := range cases {
		got := tools.ToProvider(profile.Call{Name: name, Arguments: json.RawMessage(in)})
		assert.Equal(t, provider, got.Name, in)
		assert.Equal(t, want, string(got.Arguments), in)
	}
}

func TestNamesAreLookedForInOrder(t *testing.T) {
	tools := liveTools(t, "pi", false, "read", "glob", "find", "task", "subagent")
	toHost(t, tools, "task", "subagent", conversions{`{"prompt":"p"}`: `{"task":"p"}`})
	toHost(t, tools, "pi_host_task", "task", conversions{`{"prompt":"p"}`: `{"prompt":"p"}`})
	toHost(t, tools, "glob", "find", conversions{`{"pattern":"p"}`: `{"pattern":"p"}`})
	toHost(t, tools, "subagent", "subagent", conversions{`{"prompt":"p"}`: `{"prompt":"p"}`})
	toHost(t, tools, "find", "find", conversions{`{"filePath":1}`: `{"filePath":1}`})
	toHost(t, tools, "no such tool", "no such tool", conversions{`{"filePath":"p"}`: `{"filePath":"p"}`})
	toHost(t, onPi(t), "question", "question", conversions{`{"questions":[{}]}`: `{"questions":[{}]}`})
	toHost(t, liveTools(t, "omp", false, "ls"), "task", "task", conversions{`{"prompt":"p"}`: `{"prompt":"p"}`})

	toProvider(t, tools, "task", "pi_host_task", conversions{`{"task":"p"}`: `{"task":"p"}`})
	toProvider(t, tools, "glob", "glob", conversions{`{"path":"p"}`: `{"path":"p"}`})
	toProvider(t, tools, "find", "glob", conversions{`{"path":"p"}`: `{"path":"p"}`})
	toProvider(t, tools, "write", "write", conversions{`{"path":"p"}`: `{"path":"p"}`}) // it is not live
}

func TestAliases(t *testing.T) {
	toHost(t, onPi(t), "write", "write", conversions{
		`{"path":null,"filePath":"a"}`:                    `{"path":null}`,
		`{"file_path":"b","filePath":null}`:               `{"path":null}`,
		`{"fileText":"4","file_text":"3","contents":"2"}`: `{"content":"2"}`,
		`{"fileText":"4","file_text":"3"}`:                `{"content":"3"}`,
		`{"filePath":"a","filePath":"b"}`:                 `{"path":"b"}`,
		`{"file\u0050ath":"a"}`:                           `{"path":"a"}`,
		`{"filePath":"\ud83d<&>","x":1.50}`:               `{"x":1.50,"path":"\ud83d<&>"}`,
		`{"10":1,"9":2,"filePath":"a"}`:                   `{"9":2,"10":1,"path":"a"}`,
		`{"__proto__":{"path":1},"filePath":"a"}`:         `{"__proto__":{"path":1},"path":"a"}`,
	})
	toHost(t, onOmp(t), "edit", "edit", conversions{
		`{"i":null,"replaceAll":1,"replace_all":null}`: `{"replace_all":null}`,
		`{"input":"[f#AAAA]","i":"x"}`:                 `{"input":"[f#AAAA]"}`,
	})
	toHost(t, onOmp(t), "hub", "hub", conversions{
		`{"op":null,"action":"jobs"}`: `{"op":null}`,
		`{"action":{"a":1}}`:          `{"op":{"a":1}}`,
	})
}

func TestWhatIsNoObjectPasses(t *testing.T) {
	for _, tools := range []*profile.Toolset{onPi(t), onOmp(t)} {
		for _, name := range append(append([]string{"question", "todowrite", "todoread"}, piTools...), ompTools...) {
			for _, in := range []string{`[]`, `[{"filePath":"a"}]`, `"text"`, `null`, `7`, ``, `{"a":`, `{} {}`} {
				call := profile.Call{Name: name, Arguments: json.RawMessage(in)}
				got := tools.ToHost(call, nil)
				require.Len(t, got.Calls, 1)
				assert.Equal(t, in, string(got.Calls[0].Arguments))
				assert.Equal(t, in, string(tools.ToProvider(call).Arguments))
			}
		}
	}
	assert.True(t, onOmp(t).ToHost(profile.Call{Name: "todowrite", Arguments: json.RawMessage(`[]`)}, nil).Todo)
}

// Arguments that do not change are the bytes that came, white space and repeated keys included.
func TestUnchangedArgumentsAreNotCopied(t *testing.T) {
	same := func(t *testing.T, a, b json.RawMessage) {
		t.Helper()
		require.Equal(t, string(a), string(b))
		assert.Same(t, &a[0], &b[0])
	}
	for name, in := range map[string]string{
		"read": ` {"path" : "a;b", "x":1,"x":2} `, "write": `{ "content": "c" }`, "edit": `{ "input": "" }`,
		"bash": `{ "timeout": "1", "cwd": 1 }`, "grep": `{ "path": "src", "include": 1 }`, "glob": `{ "pattern": 1 }`,
		"todowrite": `{ "todos": {} }`, "task": `{ "task": "t", "subagent_type": "general" }`, "hub": `{ }`,
		"question": `{ "questions": [ {"id":"a"}, 1 ] }`, "mcp_weather": `{ "filePath": 1 }`, "none": ` {} `,
	} {
		raw := json.RawMessage(in)
		got := onOmp(t).ToHost(profile.Call{Name: name, Arguments: raw}, nil)
		require.Len(t, got.Calls, 1)
		same(t, raw, got.Calls[0].Arguments)
	}
	for name, in := range map[string]string{
		"read": ` {"path" : 1, "x":1,"x":2} `, "write": `{ "content": "c" }`, "edit": `{ "path": "" }`,
		"bash": `{ "timeout": "1", "cwd": 1 }`, "grep": `{ "path": "src\\a", "glob": 1 }`, "glob": `{ "path": 1 }`,
		"todo": `{ "op": "append", "todos": [] }`, "task": `{ "tasks": [ {}, {} ] }`, "hub": `{ "op": 1 }`,
		"ask": `{ "questions": 1 }`, "mcp_weather": `{ "filePath": 1 }`, "none": ` {} `,
	} {
		raw := json.RawMessage(in)
		same(t, raw, onOmp(t).ToProvider(profile.Call{Name: name, Arguments: raw}).Arguments)
	}
}

func TestPlainCallsDoNotAllocate(t *testing.T) {
	tools := onOmp(t)
	call := profile.Call{Name: "mcp_weather", Arguments: json.RawMessage(`{"city":"Bergen","filePath":"x"}`)}
	assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() { tools.ToHost(call, nil) })) // the list of calls
	assert.Equal(t, 0.0, testing.AllocsPerRun(100, func() { tools.ToProvider(call) }))
}
