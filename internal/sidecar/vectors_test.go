package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

const vectors = "../../testdata/vectors"

// object is JSON with members in any order.
type object = map[string]any

// A caseRunner gives the result of a case.
type caseRunner func(context.Context, conformance.Case) (json.RawMessage, error)

// vectorRunner runs cases of the vector kit over a connection.
type vectorRunner struct{ *testClient }

// The kit's cases of everything that the methods of streams, responses and histories carry.
func TestVectorsOverAConnection(t *testing.T) {
	r := vectorRunner{newStreamClient(t)}
	for _, file := range []struct {
		path string
		run  caseRunner
		// least is how many cases there are at least, and left are those that the methods do not carry.
		least int
		left  []string
	}{
		{path: "provider-bridge/stream-parts", run: r.stream(1), least: 77},
		{path: "provider-bridge/stream-parts", run: r.stream(3), least: 77},
		{path: "provider-bridge/stream-parts", run: r.stream(streamWindow), least: 77},
		{path: "provider-bridge/stream-tools", run: r.stream(1), least: 28},
		{path: "provider-bridge/stream-tools", run: r.stream(2), least: 28},
		{path: "provider-bridge/stream-random", run: r.stream(1), least: 33},
		{path: "provider-bridge/stream-random", run: r.stream(17), least: 33},
		{path: "provider-bridge/call-lifecycle", run: r.lifecycle, least: 18},
		{path: "provider-bridge/context-prompt", run: r.contextPrompt, least: 65},
		{path: "provider-bridge/prompt-names", run: r.promptNames, least: 15, left: []string{
			"list indented off", "list star off", "list hyphen name off", "span in list off", // the items of lists
			"list indented", "prose", "tilde fence", "fence info on close", "crlf list", // todo
		}},
		{path: "provider-bridge/tools-history", run: r.toolsHistory, least: 80},
		{path: "provider-bridge/tools-call", run: r.toolsCall, least: 187},
		{path: "provider-bridge/todo", run: r.toolsCall, least: 33},
		{path: "provider-bridge/usage", run: r.usage, least: 83},
		{path: "provider-bridge/tool-choice", run: r.toolChoice, least: 29},
		{path: "replay/assembler-core", run: r.assemble, least: 68},
		{path: "replay/assembler-random", run: r.assemble, least: 90},
		{path: "replay/assembler-surrogates", run: r.assemble, least: 5},
		{path: "replay/envelope", run: r.assemble, least: 35},
		{path: "replay/stream-grammar", run: r.grammar, least: 22},
		// The reference looks for images in a history before it reads any message, so that none has degraded yet.
		{path: "replay/read-side", run: r.readSide, least: 117, left: []string{"degrade: image block in content"}},
		{path: "replay/read-side-random", run: r.readSide, least: 90},
		{path: "replay/history", run: r.history, least: 15},
	} {
		t.Run(file.path, func(t *testing.T) {
			result := conformance.RunElsewhere(t.Context(), filepath.Join(vectors, file.path+".json"), file.run)
			require.NoError(t, result.Err)
			assert.GreaterOrEqual(t, result.Passed, file.least)
			var failed []string
			for _, f := range result.Failures {
				if notCarried(f) {
					continue
				}
				failed = append(failed, f.Case)
				if !slices.Contains(file.left, f.Case) {
					t.Errorf("%s (%s): %s %+v\ngot %s", f.Case, f.Mode, f.Error, f.Differences, f.Got)
				}
			}
			assert.ElementsMatch(t, file.left, failed)
		})
	}
}

// call calls a method and decodes its result.
func (r vectorRunner) call(method string, params, result any) error {
	return r.Call(r.t.Context(), method, params, result)
}

// vectorTools are the tools of a toolset of the kit.
func vectorTools(dir, name string) (json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(dir, "toolsets.json"))
	if err != nil {
		return nil, err
	}
	var sets []struct {
		Name  string
		Input struct{ Tools json.RawMessage }
	}
	if err := json.Unmarshal(text, &sets); err != nil {
		return nil, err
	}
	for _, set := range sets {
		if set.Name == name {
			return set.Input.Tools, nil
		}
	}
	return nil, fmt.Errorf("no toolset %q", name)
}

// assemble runs the chunks twice: for what a turn keeps, and for what it keeps of a cancelled answer.
func (r vectorRunner) assemble(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct{ Chunks json.RawMessage }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	type result struct {
		Message *struct {
			Content json.RawMessage
			Source  struct{ ReplayState json.RawMessage }
		}
		Finish, Usage json.RawMessage
		Error         object
	}
	ask := func(interrupted bool) (got result, err error) {
		err = r.call("response/assemble", object{
			"chunks": in.Chunks, "requested": object{"provider": "p", "model": "m"},
			"interrupted": interrupted, "reference": c.Reference,
		}, &got)
		return got, err
	}
	whole, err := ask(false)
	if err != nil {
		return nil, err
	}
	out := object{"finish": whole.Finish}
	if whole.Error != nil {
		out["error"] = whole.Error
		if whole.Error["stage"] == "push" {
			return json.Marshal(object{"error": whole.Error})
		}
	} else {
		out["blocks"] = whole.Message.Content
		if whole.Message.Source.ReplayState != nil {
			out["replayState"] = whole.Message.Source.ReplayState
		}
	}
	if whole.Usage != nil {
		out["usage"] = whole.Usage
	}
	cut, err := ask(true)
	if err != nil {
		return nil, err
	}
	if cut.Message == nil {
		return nil, errors.New("a cancelled answer has no message")
	}
	out["interrupted"] = cut.Message.Content
	return json.Marshal(out)
}

func (r vectorRunner) grammar(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct{ Chunks json.RawMessage }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	var got struct{ Violation json.RawMessage }
	err := r.call("response/assemble", object{
		"chunks": in.Chunks, "requested": object{"provider": "p", "model": "m"}, "interrupted": true, "reference": c.Reference,
	}, &got)
	if err != nil || got.Violation == nil {
		return json.RawMessage(`{"ok":true}`), err
	}
	return json.Marshal(object{"violation": got.Violation})
}

// readAnswer is the result of history/read.
type readAnswer struct {
	Context *struct {
		Messages []json.RawMessage
	}
	Whole       json.RawMessage `json:"-"`
	Diagnostics []object
	Error       object
}

func (r vectorRunner) read(params object) (readAnswer, error) {
	var raw json.RawMessage
	if err := r.call("history/read", params, &raw); err != nil {
		return readAnswer{}, err
	}
	var got readAnswer
	var whole struct{ Context json.RawMessage }
	err := errors.Join(json.Unmarshal(raw, &got), json.Unmarshal(raw, &whole))
	got.Whole = whole.Context
	return got, err
}

func (r vectorRunner) readSide(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct{ Message, Route json.RawMessage }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	got, err := r.read(object{"messages": []any{in.Message}, "route": in.Route, "reference": c.Reference})
	if err != nil {
		return nil, err
	}
	for _, d := range got.Diagnostics {
		delete(d, "messageId")
		delete(d, "route")
		delete(d, "message")
	}
	if got.Error != nil {
		return json.Marshal(object{"error": object{"code": got.Error["code"]}, "diagnostics": got.Diagnostics})
	}
	var assistant struct{ API string }
	if err := json.Unmarshal(got.Context.Messages[0], &assistant); err != nil {
		return nil, err
	}
	return json.Marshal(object{
		"native": assistant.API != replay.Foreign, "assistant": got.Context.Messages[0], "diagnostics": got.Diagnostics,
	})
}

func (r vectorRunner) history(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var params object
	if err := json.Unmarshal(c.Input, &params); err != nil {
		return nil, err
	}
	params["reference"] = c.Reference
	got, err := r.read(params)
	if err != nil {
		return nil, err
	}
	for _, d := range got.Diagnostics {
		delete(d, "messageId")
		delete(d, "message")
	}
	if got.Error != nil {
		return json.Marshal(object{"error": object{"code": got.Error["code"]}, "diagnostics": got.Diagnostics})
	}
	return json.Marshal(object{"context": got.Whole, "diagnostics": got.Diagnostics})
}

func (r vectorRunner) contextPrompt(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Host, Toolset                  string
		Model, Context, Options        json.RawMessage
		ExcludedToolNames, HiddenNotes []json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	if in.Toolset != "" {
		tools, err := vectorTools(c.Dir, in.Toolset)
		if err != nil {
			return nil, err
		}
		with, _ := ordered.ParseObject(in.Context)
		with.Set("tools", tools)
		in.Context = with.JSON()
	}
	params := object{
		"host": in.Host, "model": in.Model, "version": "v3", "context": in.Context, "notes": in.HiddenNotes,
		"exclude": append([]json.RawMessage{}, in.ExcludedToolNames...), "reference": c.Reference,
	}
	if in.Options != nil {
		params["call"] = in.Options
	}
	var got struct {
		Options struct {
			Prompt, ToolChoice, Headers json.RawMessage
			Tools                       []struct{ Name string }
		}
	}
	if err := r.call("history/options", params, &got); err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range got.Options.Tools {
		names = append(names, tool.Name)
	}
	return json.Marshal(object{
		"prompt": got.Options.Prompt, "toolNames": names, "toolChoice": got.Options.ToolChoice, "headers": got.Options.Headers,
	})
}

// toolsHistory restates a call that is the only one of a conversation.
func (r vectorRunner) toolsHistory(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Host, Toolset, ToolName string
		Args                    json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	tools, err := vectorTools(c.Dir, in.Toolset)
	if err != nil {
		return nil, err
	}
	block := object{"type": "toolCall", "id": "c", "name": in.ToolName, "arguments": in.Args}
	var got struct {
		Options struct {
			Prompt []struct {
				Content []struct {
					ToolName string `json:"toolName"`
					Input    json.RawMessage
				}
			}
		}
	}
	err = r.call("history/options", object{
		"host": in.Host, "model": object{}, "exclude": []string{}, "reference": c.Reference,
		"context": object{"systemPrompt": "", "tools": tools, "messages": []any{object{"role": "assistant", "content": []any{block}}}},
	}, &got)
	if err != nil {
		return nil, err
	}
	if len(got.Options.Prompt) != 1 || len(got.Options.Prompt[0].Content) != 1 {
		return nil, fmt.Errorf("the prompt is not the call alone: %+v", got.Options.Prompt)
	}
	part := got.Options.Prompt[0].Content[0]
	return json.Marshal(object{"toolName": part.ToolName, "args": part.Input})
}

// promptNames restates names in a system prompt. A host's own tools give the case's names but for todo, which
// another host has.
func (r vectorRunner) promptNames(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Text    string
		Renames map[string]string
		Items   bool `json:"toolListItems"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	switch {
	case !in.Items:
		return nil, errors.New("the bridge restates the items of lists in every prompt")
	case strings.Contains(in.Text, "todo"):
		return nil, errors.New("no host has a tool todo beside a tool find that has another name")
	}
	tools := []object{}
	for name := range in.Renames {
		tools = append(tools, object{
			"name": name, "description": "## Available Agents\n### scout\nLooks.",
			"parameters": json.RawMessage(`{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"}}}`),
		})
	}
	var got struct {
		Options struct {
			Prompt []struct{ Content json.RawMessage }
		}
	}
	err := r.call("history/options", object{
		"host": "pi", "model": object{}, "context": object{"systemPrompt": in.Text, "tools": tools, "messages": []any{}},
	}, &got)
	if err != nil {
		return nil, err
	}
	if len(got.Options.Prompt) == 0 {
		return json.RawMessage(`""`), nil
	}
	return got.Options.Prompt[0].Content, nil
}
