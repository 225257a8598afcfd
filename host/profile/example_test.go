package profile_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/profile"
)

func ExampleNamed() {
	p, err := profile.Named("pi")
	fmt.Println(p.Name, p.Paths.Folder, err)
	_, err = profile.Named("pie")
	fmt.Println(errors.Is(err, profile.ErrUnknownHost), err)
	// Output:
	// pi .pi <nil>
	// true unknown host "pie": the hosts are ["omp" "pi"]
}

func ExampleNames() {
	fmt.Println(profile.Names())
	// Output: [omp pi]
}

// A new host is a new table. This one has a tool "cat" that takes {"file": "a.md:raw:3-4"}.
func ExampleParse() {
	p, err := profile.Parse([]byte(`{
		"name": "reef",
		"paths": {"folder": ".reef"},
		"tools": {"rules": [{
			"tool": "cat", "provider": ["read"], "aliases": [["filePath", "file"]],
			"schema": "read", "call": "selector", "history": "selector"
		}]}
	}`))
	if err != nil {
		panic(err)
	}
	tools := p.Bind([]profile.Tool{{Name: "cat"}}, profile.Options{})
	fmt.Println("advertised:", tools.Catalog()[0].Name)
	there := tools.ToHost(profile.Call{
		Name: "read", Arguments: json.RawMessage(`{"filePath":"a.md","offset":3,"limit":2}`),
	}, nil).Calls[0]
	fmt.Printf("to the host: %s %s\n", there.Name, there.Arguments)
	back := tools.ToProvider(there)
	fmt.Printf("to the provider: %s %s\n", back.Name, back.Arguments)
	// Output:
	// advertised: read
	// to the host: cat {"file":"a.md:raw:3-4"}
	// to the provider: read {"filePath":"a.md","offset":3,"limit":2}
}

// What is wrong with a table is told with its line, its place, and what to do.
func ExampleParse_errors() {
	for _, rule := range []string{
		`{"tool": "cat", "call": "selektor"}`,
		`{"tool": "cat", "alias": [["filePath", "path"]]}`,
		`{"tool": "cat", "aliases": [["filePath"]]}`,
		`{"tool": "cat", "schema": "read", "history": "read"}`,
	} {
		_, err := profile.Parse([]byte(`{
  "name": "reef", "paths": {"folder": ".reef"},
  "tools": {"rules": [` + rule + `]}
}`))
		fmt.Println(err)
	}
	// Output:
	// host profile: line 3: tools.rules[0].call: unknown "selektor" (did you mean "selector"?), use one of ["edits" "glob" "grep" "selector" "shell" "todo"]
	// host profile: line 3: tools.rules[0]: unknown key "alias" (did you mean "aliases"?), use one of ["tool" "provider" "aliases" "drop" "hide" "schema" "call" "history"]
	// host profile: line 3: tools.rules[0].aliases[0]: expected a pair [provider's key, host's key], not ["filePath"]
	// host profile: line 3: tools.rules[0].aliases: shape "read" has "filePath" for providers, and no alias says what the host calls it: add ["filePath", the host's key], which is ["filePath", "filePath"] if it is the same
}

// exampleTools are bound on omp.
func exampleTools() *profile.Toolset {
	p, err := profile.Named("omp")
	if err != nil {
		panic(err)
	}
	return p.Bind([]profile.Tool{
		{Name: "todo", Description: "Operations on the list."},
		{Name: "task", Description: "Delegate.\n\n# Available Agents\n- `scout`: looks around"},
		{Name: "ask"},
		{Name: "weather", Description: "The weather.", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "yield", Parameters: json.RawMessage(`{"properties":{"type":{},"data":{}}}`)},
		{Name: "plan_enter"},
	}, profile.Options{Exclude: profile.Withheld("")})
}

func ExampleProfile_Bind() {
	tools := exampleTools()
	fmt.Println(tools.Profile().Name, tools.Excluded("plan_enter"), tools.Excluded("todo"))
	// Output: omp true false
}

func ExampleToolset_Catalog() {
	for _, d := range exampleTools().Catalog() {
		fmt.Println(d.Name)
	}
	// Output:
	// question
	// task
	// todoread
	// todowrite
	// weather
}

func ExampleToolset_Roles() {
	roles := exampleTools().Roles()
	fmt.Println(roles.Subagent.HostTool, roles.Subagent.Agents, roles.Question, roles.Terminal, roles.InputProfiles)
	// Output: task [scout] ask yield [todo]
}

func ExampleToolset_HostName() {
	tools := exampleTools()
	fmt.Println(tools.HostName("todowrite"), tools.HostName("todoread"), tools.HostName("weather"))
	// Output: todo todo weather
}

func ExampleToolset_ProviderName() {
	tools := exampleTools()
	fmt.Println(tools.ProviderName("todo"), tools.ProviderName("ask"), tools.ProviderName("weather"))
	// Output: todowrite question weather
}

func ExampleToolset_Renames() {
	fmt.Println(exampleTools().Renames())
	// Output: map[ask:question todo:todowrite]
}

func ExampleToolset_Choice() {
	tools := exampleTools()
	fmt.Printf("%s\n", tools.Choice(json.RawMessage(`"any"`)))
	fmt.Printf("%s\n", tools.Choice(json.RawMessage(`{"type":"tool","name":"ask"}`)))
	fmt.Println(tools.Choice(json.RawMessage(`"auto"`)) == nil)
	// Output:
	// {"type":"required"}
	// {"type":"tool","toolName":"question"}
	// true
}

func ExampleToolset_Terminal() {
	call, ok := exampleTools().Terminal()
	fmt.Printf("%s %s %t\n", call.Name, call.Arguments, ok)
	// Output: yield {"type":"result"} true
}

func ExampleToolset_TodoTool() {
	fmt.Println(exampleTools().TodoTool())
	// Output: todo true
}

func ExamplePrivateTools() {
	for _, tool := range profile.PrivateTools() {
		fmt.Println(tool.Name, "is for", tool.Package)
	}
	// Output:
	// plan_enter is for cursor-opencode-provider
	// plan_exit is for cursor-opencode-provider
	// cursor_plan_stage is for cursor-opencode-provider
	// cursor_image_save is for cursor-opencode-provider
}

func ExampleWithheld() {
	fmt.Println(profile.Withheld("cursor-opencode-provider"))
	fmt.Println(len(profile.Withheld("")))
	// Output:
	// []
	// 4
}

func ExampleToolset_Tools() {
	omp, err := profile.Named("omp")
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := []profile.Tool{{Name: "read"}, {Name: "plan_exit"}}
	live := omp.Bind(tools, profile.Options{Exclude: profile.Withheld("some-provider")})
	for _, tool := range live.Tools() {
		fmt.Println(tool.Name)
	}
	// Output: read
}
