package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/profile"
)

// arguments are the arguments of a call under construction.
type arguments map[string]any

func (a arguments) maybe(t *rapid.T, key string, draw func() any) {
	if rapid.Bool().Draw(t, key+"?") {
		a[key] = draw()
	}
}

// The calls that a provider may make and that come back as they were, by tool and host.
var roundTrips = []struct {
	host, tool string
	draw       func(t *rapid.T) arguments
}{
	{"omp", "read", func(t *rapid.T) arguments {
		a := arguments{"filePath": drawPath(t)}
		a.maybe(t, "offset", func() any {
			a.maybe(t, "limit", func() any { return rapid.Int64Range(1, 1<<52).Draw(t, "limit") })
			return rapid.Int64Range(1, 1<<52).Draw(t, "offset")
		})
		return a
	}},
	{"pi", "read", func(t *rapid.T) arguments {
		a := arguments{"filePath": rapid.String().Draw(t, "path")}
		a.maybe(t, "offset", func() any { return rapid.Float64Range(-9, 9).Draw(t, "offset") })
		a.maybe(t, "limit", func() any { return nil })
		return a
	}},
	{"pi", "write", drawWrite},
	{"omp", "write", drawWrite},
	{"pi", "edit", drawEdit},
	{"omp", "edit", func(t *rapid.T) arguments {
		a := drawEdit(t)
		a.maybe(t, "replaceAll", func() any { return rapid.Bool().Draw(t, "all") })
		return a
	}},
	{"omp", "bash", func(t *rapid.T) arguments {
		a := arguments{"command": rapid.String().Draw(t, "command")}
		a.maybe(t, "workdir", func() any { return rapid.String().Draw(t, "workdir") })
		a.maybe(t, "timeout", func() any { return rapid.Int64Range(0, 1e9).Draw(t, "seconds") * 1000 })
		a.maybe(t, "pty", func() any { return true })
		return a
	}},
	{"omp", "glob", func(t *rapid.T) arguments {
		a := arguments{"pattern": drawPattern(t)}
		a.maybe(t, "path", func() any { return drawFolder(t) })
		a.maybe(t, "gitignore", func() any { return rapid.Bool().Draw(t, "gitignore") })
		a.maybe(t, "limit", func() any { return rapid.Float64Range(0, 1e6).Draw(t, "limit") })
		return a
	}},
	{"pi", "glob", func(t *rapid.T) arguments { return arguments{"pattern": rapid.String().Draw(t, "pattern")} }},
	{"omp", "grep", func(t *rapid.T) arguments {
		a := arguments{"pattern": rapid.String().Draw(t, "pattern")}
		a.maybe(t, "path", func() any { return drawFolder(t) })
		a.maybe(t, "include", func() any { return drawPattern(t) })
		a.maybe(t, "caseSensitive", func() any { return rapid.Bool().Draw(t, "case") })
		return a
	}},
	{"pi", "grep", func(t *rapid.T) arguments {
		a := arguments{"pattern": "x"}
		a.maybe(t, "include", func() any { return rapid.String().Draw(t, "include") })
		return a
	}},
	{"omp", "question", func(t *rapid.T) arguments {
		list := make([]arguments, rapid.IntRange(0, 3).Draw(t, "questions"))
		for i := range list {
			options := []arguments{}
			for range rapid.IntRange(0, 3).Draw(t, "options") {
				options = append(options, arguments{
					"label": rapid.String().Draw(t, "label"), "description": rapid.String().Draw(t, "description"),
				})
			}
			list[i] = arguments{"question": rapid.String().Draw(t, "question"), "header": "H", "options": options}
			list[i].maybe(t, "multiple", func() any { return true })
		}
		return arguments{"questions": list}
	}},
	{"pi", "task", drawTask},
	{"omp", "task", drawTask},
	{"omp", "todoread", func(*rapid.T) arguments { return arguments{} }},
	{"omp", "todowrite", func(t *rapid.T) arguments {
		return arguments{"op": rapid.StringMatching(`start|done|drop|append`).Draw(t, "op"), "task": "A"}
	}},
	{"omp", "hub", func(t *rapid.T) arguments { return arguments{"op": rapid.String().Draw(t, "op")} }},
	{"omp", "mcp_weather", func(t *rapid.T) arguments { return arguments{"filePath": rapid.String().Draw(t, "path")} }},
}

// drawPath draws a path that is one path, does not end like one with a selector, and is not the root of a
// server, whose slash is not kept.
func drawPath(t *rapid.T) string {
	path := rapid.StringMatching(`(https?://[a-z.]+(:80)?/[a-z])?([a-z?#;:/.]{0,6}[a-z])?`).Draw(t, "path")
	return strings.TrimLeft(path, "/;")
}

func drawFolder(t *rapid.T) string {
	return rapid.SampledFrom([]string{"/", "src", "/usr/lib", "../a b", "https://h", "C:/x"}).Draw(t, "folder")
}

func drawPattern(t *rapid.T) string {
	return rapid.StringMatching(`[a-z.]{0,2}[*?{\[][a-z*/}\]]{0,4}`).Draw(t, "glob")
}

func drawWrite(t *rapid.T) arguments {
	a := arguments{"filePath": rapid.String().Draw(t, "path")}
	a.maybe(t, "content", func() any { return rapid.String().Draw(t, "content") })
	return a
}

func drawEdit(t *rapid.T) arguments {
	return arguments{
		"filePath": rapid.String().Draw(t, "path"), "oldString": rapid.String().Draw(t, "old"),
		"newString": rapid.String().Draw(t, "new"),
	}
}

// drawTask leaves the description out, which the host has no place for.
func drawTask(t *rapid.T) arguments {
	return arguments{
		"prompt":        rapid.String().Draw(t, "prompt"),
		"subagent_type": rapid.SampledFrom([]string{"general", "explore", "reviewer"}).Draw(t, "agent"),
	}
}

func TestCallsComeBackAsTheyWere(t *testing.T) {
	for _, c := range roundTrips {
		t.Run(c.host+" "+c.tool, func(t *testing.T) {
			tools := onPi(t)
			if c.host == "omp" {
				tools = onOmp(t)
			}
			rapid.Check(t, func(t *rapid.T) {
				in, err := json.Marshal(c.draw(t))
				require.NoError(t, err)
				there := tools.ToHost(profile.Call{Name: c.tool, Arguments: in}, nil)
				require.Len(t, there.Calls, 1)
				back := tools.ToProvider(there.Calls[0])
				require.Equal(t, c.tool, back.Name)
				out := back.Arguments
				if c.tool == "task" {
					var a arguments
					require.NoError(t, json.Unmarshal(out, &a))
					require.NotEmpty(t, a["description"])
					delete(a, "description")
					out, err = json.Marshal(a)
					require.NoError(t, err)
				}
				require.JSONEq(t, string(in), string(out), "by way of %s", there.Calls[0].Arguments)
			})
		})
	}
}

// A list comes back as one call with the same rows, by way of one operation or of several.
func TestTodoListsComeBack(t *testing.T) {
	tools := onOmp(t)
	rapid.Check(t, func(t *rapid.T) {
		list := drawRows(t, "list")
		call := todoWrite(list)
		there := tools.ToHost(call, nil)
		var ops []json.RawMessage
		for _, c := range there.Calls {
			ops = append(ops, c.Arguments)
		}
		out := profile.FoldTodos(ops, nil, nil)
		if !there.FanOut {
			require.Equal(t, string(out), string(tools.ToProvider(there.Calls[0]).Arguments))
		}
		var back struct{ Todos []profile.Todo }
		require.NoError(t, json.Unmarshal(out, &back))
		require.ElementsMatch(t, contents(list), contents(back.Todos))
		if there.FanOut && (list[0].Status != "pending") {
			require.Equal(t, fmt.Sprint(list), fmt.Sprint(back.Todos))
		}
	})
}

func contents(list []profile.Todo) []string {
	out := make([]string, len(list))
	for i, row := range list {
		out[i] = row.Content
	}
	return out
}
