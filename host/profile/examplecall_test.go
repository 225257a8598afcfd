package profile_test

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/profile"
)

// One call of a provider can be several of the host.
func ExampleToolset_ToHost() {
	call := profile.Call{Name: "todowrite", Arguments: json.RawMessage(
		`{"todos":[{"content":"Chart","status":"completed"},{"content":"Sail","status":"in_progress"}]}`)}
	known := []profile.Todo{{Content: "Chart", Status: "in_progress"}, {Content: "Sail", Status: "pending"}}
	for _, known := range [][]profile.Todo{nil, known} {
		made := exampleTools().ToHost(call, known)
		for i, c := range made.Calls {
			fmt.Printf("id#%d %s %s\n", i, c.Name, c.Arguments)
		}
		fmt.Println(made.FanOut, made.Todo)
	}
	// Output:
	// id#0 todo {"op":"init","items":["Chart","Sail"]}
	// id#1 todo {"op":"done","task":"Chart"}
	// id#2 todo {"op":"start","task":"Sail"}
	// true true
	// id#0 todo {"op":"done","task":"Chart"}
	// id#1 todo {"op":"start","task":"Sail"}
	// true true
}

func ExampleToolset_ToProvider() {
	call := exampleTools().ToProvider(profile.Call{Name: "ask", Arguments: json.RawMessage(
		`{"questions":[{"id":"q1","question":"Which way?","options":[{"label":"north"}],"multi":true}]}`)})
	fmt.Printf("%s %s\n", call.Name, call.Arguments)
	// Output: question {"questions":[{"question":"Which way?","header":"Which way?","options":[{"label":"north","description":""}],"multiple":true}]}
}

// The rows that are known change with the results of a conversation.
func ExampleToolset_ResultTodos() {
	tools := exampleTools()
	var known []profile.Todo
	for _, message := range []string{
		`{"role":"toolResult","toolName":"todo","details":{"phases":[{"tasks":[{"content":"Sail","status":"abandoned"}]}]}}`,
		`{"role":"user","content":"And now?"}`,
	} {
		if rows, kind := tools.ResultTodos(json.RawMessage(message)); kind != profile.NoTodoResult {
			known = rows
		}
	}
	fmt.Println(known)
	// Output: [{Sail cancelled}]
}

// The calls "c#0" and "c#1" were one call of the provider, "c".
func ExampleFoldTodos() {
	head, _ := profile.FanOutHead("c#1")
	input := profile.FoldTodos([]json.RawMessage{
		json.RawMessage(`{"op":"done","task":"Chart"}`),
		json.RawMessage(`{"op":"start","task":"Sail"}`),
	}, []profile.Todo{{Content: "Chart", Status: "in_progress"}, {Content: "Sail", Status: "pending"}}, nil)
	fmt.Printf("%s %s\n", head, input)
	// Output: c {"todos":[{"content":"Chart","status":"completed"},{"content":"Sail","status":"in_progress"}]}
}

func ExampleReplayTodos() {
	rows, ok := profile.ReplayTodos([]json.RawMessage{json.RawMessage(`{"op":"init","items":["Chart","Sail"]}`)}, nil)
	fmt.Println(rows, ok)
	// Output: [{Chart in_progress} {Sail pending}] true
}

func ExampleFanOutHead() {
	fmt.Println(profile.FanOutHead("call_7#0"))
	fmt.Println(profile.FanOutHead("call_7"))
	// Output:
	// call_7 true
	//  false
}
