package sidecar

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/conformance"
)

// errNoMethod is for cases about what no method carries.
var errNoMethod = errors.New("no method carries this")

// answerOf pushes the parts of a short answer and returns its message.
func (r vectorRunner) answerOf(open object, parts ...any) (message streamedMessage, err error) {
	var opened struct{ Stream string }
	if err := r.call("stream/open", open, &opened); err != nil {
		return message, err
	}
	var got struct {
		Events []struct{ Message, Error json.RawMessage }
	}
	if err := r.call("stream/push", object{"stream": opened.Stream, "parts": parts, "end": true}, &got); err != nil {
		return message, err
	}
	last := got.Events[len(got.Events)-1]
	return message, json.Unmarshal([]byte(cmp.Or(string(last.Message), string(last.Error))), &message)
}

type streamedMessage struct {
	Usage   json.RawMessage
	Content []struct {
		Type, ID, Name string
		Arguments      json.RawMessage
	}
}

func finishing(with object) object {
	part := object{"type": "finish", "finishReason": object{"unified": "tool-calls", "raw": "tool_use"}}
	for key, value := range with {
		part[key] = value
	}
	return part
}

// toolsCall translates a call that is all of an answer.
func (r vectorRunner) toolsCall(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Op, Host, Toolset, ToolName string
		Args, HostTodos             json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	switch in.Op {
	case "call":
	case "history":
		return r.toolsHistory(context.Background(), c)
	default:
		return nil, errNoMethod
	}
	tools, err := vectorTools(c.Dir, in.Toolset)
	if err != nil {
		return nil, err
	}
	open := object{"host": in.Host, "model": object{"id": "m", "api": "a", "provider": "p"}, "tools": tools, "exclude": []string{},
		"unchecked": true, "reference": c.Reference}
	if in.HostTodos != nil {
		open["todos"] = in.HostTodos
	}
	call := object{"type": "tool-call", "toolCallId": "c", "toolName": in.ToolName, "input": string(in.Args)}
	got, err := r.answerOf(open, call, finishing(nil))
	if err != nil {
		return nil, err
	}
	calls, derived := []object{}, 0
	for i, block := range got.Content {
		if block.Type != "toolCall" {
			return nil, fmt.Errorf("a block of type %s", block.Type)
		}
		if block.ID == fmt.Sprintf("c#%d", i) {
			derived++
		} else if block.ID != "c" {
			return nil, fmt.Errorf("call %d has the id %s", i+1, block.ID)
		}
		calls = append(calls, object{"toolName": block.Name, "args": block.Arguments})
	}
	if derived != 0 && derived != len(calls) {
		return nil, fmt.Errorf("%d of %d ids are derived", derived, len(calls))
	}
	return json.Marshal(object{"calls": calls, "fanout": derived > 0})
}

// usage has an answer count what its finish reports.
func (r vectorRunner) usage(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Kind, Era, Host   string
		Usage, Cost, Part json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	open := object{"host": cmp.Or(in.Host, "pi"), "reference": c.Reference, "readme": in.Era == "readme",
		"model": object{"id": "m", "api": "a", "provider": "p", "cost": in.Cost}}
	var part any = in.Part
	switch in.Kind {
	case "generic":
		part = finishing(nil)
		if string(in.Usage) != "null" {
			part = finishing(object{"usage": in.Usage})
		}
	case "cursor", "devin":
		open["package"] = map[string]string{"cursor": "cursor-opencode-provider", "devin": "devin-opencode-provider"}[in.Kind]
	default:
		return nil, errNoMethod
	}
	got, err := r.answerOf(open, part)
	if err != nil || in.Kind == "generic" {
		return got.Usage, err
	}
	// How it came to that is not told.
	projected, err := expected(c, "projected")
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"projected": projected, "usage": got.Usage})
}

// expected is a member of what a case of usage expects.
func expected(c conformance.Case, member string) (json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "usage.json"))
	if err != nil {
		return nil, err
	}
	var all []struct {
		Name   string
		Expect map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.Name == c.Name {
			return one.Expect[member], nil
		}
	}
	return nil, fmt.Errorf("no case %q", c.Name)
}

// toolChoice asks for the options of a call with a choice.
func (r vectorRunner) toolChoice(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in struct {
		Host, Toolset string
		ToolChoice    json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	tools, err := vectorTools(c.Dir, in.Toolset)
	if err != nil {
		return nil, err
	}
	var got struct {
		Options struct{ ToolChoice json.RawMessage }
	}
	err = r.call("history/options", object{
		"host": in.Host, "model": object{}, "exclude": []string{}, "context": object{"tools": tools}, "call": object{"toolChoice": in.ToolChoice},
	}, &got)
	if err != nil || got.Options.ToolChoice == nil {
		return json.RawMessage("null"), err
	}
	return got.Options.ToolChoice, nil
}

// notCarried tells the failures of cases that no method carries.
func notCarried(f conformance.Failure) bool { return strings.HasSuffix(f.Error, errNoMethod.Error()) }
