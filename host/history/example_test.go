package history_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
)

// A host's conversation becomes the options of a call. The provider sees its own names of tools, and what it
// has signed comes back to it.
func ExampleConfig_CallOptions() {
	pi, err := profile.Named("pi")
	if err != nil {
		fmt.Println(err)
		return
	}
	hostContext, err := history.ParseContext([]byte(`{
		"systemPrompt": "Use ` + "`find`" + ` first.",
		"tools": [{"name": "find", "description": "finds files", "parameters": {"type": "object"}}],
		"messages": [
			{"role": "user", "content": "Where is the ledger?"},
			{"role": "assistant", "api": "acme-bridge", "provider": "acme", "content": [
				{"type": "thinking", "thinking": "Look.", "thinkingSignature": "{\"acme\":{\"signature\":\"c2ln\"}}"},
				{"type": "toolCall", "id": "c1", "name": "find", "arguments": {"pattern":"*.tsv"}}]},
			{"role": "toolResult", "toolCallId": "c1", "toolName": "find", "content": "march.tsv"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	config := history.Config{Profile: pi, API: "acme-bridge", Provider: "acme", Version: history.V3}
	options, err := config.CallOptions(hostContext, history.Call{SessionID: "s-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range options.Prompt {
		fmt.Println(string(m.AppendJSON(nil, options.Version)))
	}
	fmt.Println(options.ToolNames(), options.Headers)
	// Output:
	// {"role":"system","content":"Use `glob` first."}
	// {"role":"user","content":[{"type":"text","text":"Where is the ledger?"}]}
	// {"role":"assistant","content":[{"type":"reasoning","text":"Look.","providerOptions":{"acme":{"signature":"c2ln"}}},{"type":"tool-call","toolCallId":"c1","toolName":"glob","input":{"pattern":"*.tsv"}}]}
	// {"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"glob","output":{"type":"text","value":"march.tsv"}}]}
	// [glob] map[x-opencode-session-id:s-1]
}

// A context of Go values, with a model of another version of the specification.
func ExampleContext() {
	omp, err := profile.Named("omp")
	if err != nil {
		fmt.Println(err)
		return
	}
	hostContext := &history.Context{
		SystemPrompt: []string{"Be brief."},
		Tools:        []profile.Tool{{Name: "ls", Description: "lists files"}},
		Messages: []json.RawMessage{
			history.UserMessage("What is here?"),
			json.RawMessage(`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{}}]}`),
			history.ToolResultMessage("c1", "ls", "no such folder", true),
		},
	}
	config := history.Config{Profile: omp, Version: history.V4}
	options, err := config.CallOptions(hostContext, history.Call{ToolChoice: json.RawMessage(`"required"`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	os.Stdout.Write(append(options.AppendJSON(nil)[:52], '\n'))
	last := options.Prompt[len(options.Prompt)-1].Content[0]
	fmt.Println(last.ToolName, last.Output.Type, last.Output.Text, string(options.ToolChoice))
	// Output:
	// {"prompt":[{"role":"system","content":"Be brief."},{
	// ls error-text no such folder {"type":"required"}
}

func ExampleRestateNames() {
	renames := map[string]string{"find": "glob", "subagent": "task"}
	fmt.Println(history.RestateNames("- find: locates files\nUse `find`, then `subagent`. To find `find x` is another thing.", renames, true))
	// Output:
	// - glob: locates files
	// Use `glob`, then `task`. To find `find x` is another thing.
}

func ExampleConfig_SessionHeader() {
	var c history.Config
	tools := []profile.Declaration{{Name: "ls"}}
	call := history.Call{SessionID: "s-1", Headers: map[string]string{"X-Team": "books"}}
	fmt.Println(c.SessionHeader(call, tools))
	call.Headers = map[string]string{"X-Session-Id": "mine"}
	fmt.Println(c.SessionHeader(call, tools))
	call.Headers = nil
	fmt.Println(c.SessionHeader(call, nil) == nil)
	// Output:
	// map[X-Team:books x-opencode-session-id:s-1]
	// map[X-Session-Id:mine]
	// true
}

// What an extension of the host has said without showing it is the host's word, not the user's.
func ExampleNotes() {
	pi, err := profile.Named("pi")
	if err != nil {
		fmt.Println(err)
		return
	}
	notes := &history.Notes{}
	notes.Remember(json.RawMessage(`{"role":"custom","display":false,"timestamp":77,"content":"The plan has changed."}`))
	config := history.Config{Profile: pi, Notes: notes}
	options, err := config.CallOptions(&history.Context{Messages: []json.RawMessage{
		history.ToolResultMessage("c1", "ls", "march.tsv", false),
		json.RawMessage(`{"role":"user","timestamp":77,"content":"The plan has changed."}`),
	}}, history.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(options.Prompt[1].Role, options.Prompt[1].Text)
	// Output: system The plan has changed.
}

// Rows of the host's todo list, for the translation of the next answer.
func ExampleTodos() {
	omp, err := profile.Named("omp")
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := omp.Bind([]profile.Tool{{Name: "todo"}}, profile.Options{})
	fmt.Println(history.Todos(tools, []json.RawMessage{json.RawMessage(`{"role":"toolResult","toolName":"todo",
		"details":{"phases":[{"tasks":[{"content":"read","status":"completed"},{"content":"sum","status":"in_progress"}]}]}}`)}))
	// Output: [{read completed} {sum in_progress}]
}

// A provider that keeps the conversation itself is told once that the host has compacted it.
func ExampleRewrites() {
	var rewrites history.Rewrites
	rewrites.Mark("s-1")
	plain := &history.CallOptions{}
	usable := &history.CallOptions{Tools: []profile.Declaration{{Name: "ls"}}}
	fmt.Println(rewrites.Take("s-1", plain), rewrites.Take("s-1", usable), rewrites.Take("s-1", usable))
	// Output: false true false
}

func ExampleJoinOutcomes() {
	done := history.JoinOutcomes(history.Outcome{Text: "Sums checked."}, history.Outcome{Text: "Mail not sent.", Failed: true})
	fmt.Printf("%q %v\n", done.Text, done.Failed)
	// Output: "Sums checked.\n\nMail not sent." true
}
