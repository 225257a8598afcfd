package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

type streamCase struct {
	Host, Toolset   string
	Model           json.RawMessage
	Parts           []json.RawMessage
	Advertised, End json.RawMessage
	Messages        []json.RawMessage
	Aborted         bool
	Snapshots       bool
}

// stream translates the parts of a case in pushes of a size.
func (r vectorRunner) stream(size int) caseRunner {
	return func(_ context.Context, c conformance.Case) (json.RawMessage, error) {
		var in streamCase
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return nil, err
		}
		return r.streamInPushes(&in, c, size)
	}
}

func (r vectorRunner) streamInPushes(in *streamCase, c conformance.Case, size int) (json.RawMessage, error) {
	open, err := r.openParams(in, c)
	if err != nil {
		return nil, err
	}
	var opened struct{ Stream string }
	if err := r.call("stream/open", open, &opened); err != nil {
		return nil, err
	}
	f := follower{snapshots: []string{}}
	for at := 0; ; at += size {
		end := min(at+size, len(in.Parts))
		push := object{"stream": opened.Stream, "parts": in.Parts[at:end], "aborted": in.Aborted}
		if end == len(in.Parts) {
			push["end"] = true
			var thrown struct{ Throw *string }
			if json.Unmarshal(in.End, &thrown) == nil && thrown.Throw != nil {
				push["error"] = object{"message": *thrown.Throw}
			}
		}
		var got pushAnswer
		if err := r.call("stream/push", push, &got); err != nil {
			return nil, err
		}
		if err := f.follow(&got); err != nil {
			return nil, err
		}
		if f.final != nil {
			break
		}
		if end == len(in.Parts) {
			return nil, errors.New("there was no terminal event")
		}
	}
	if fault := r.Call(r.t.Context(), "stream/push", object{"stream": opened.Stream}, nil); fault == nil {
		return nil, errors.New("a stream that has ended takes a push")
	}
	out := object{"events": f.events, "final": f.final}
	if in.Snapshots {
		list := make([]json.RawMessage, len(f.snapshots))
		for i, s := range f.snapshots {
			list[i] = json.RawMessage(s)
		}
		out["contentAtEvent"] = list
	}
	return json.Marshal(out)
}

// openParams are those of a case. The todo list is what history/options finds in its messages.
func (r vectorRunner) openParams(in *streamCase, c conformance.Case) (object, error) {
	tools, err := vectorTools(c.Dir, in.Toolset)
	if err != nil {
		return nil, err
	}
	params := object{"host": in.Host, "model": in.Model, "tools": tools, "exclude": []string{}, "reference": c.Reference}
	var names []string
	switch string(in.Advertised) {
	case `"unchecked"`:
		params["unchecked"] = true
	case "", `"auto"`:
	default:
		if err := json.Unmarshal(in.Advertised, &names); err != nil {
			return nil, err
		}
		params["allow"] = names
	}
	if in.Messages == nil {
		return params, nil
	}
	var got struct {
		Tools json.RawMessage
		Todos json.RawMessage
	}
	err = r.call("history/options", object{
		"host": in.Host, "model": in.Model, "exclude": []string{}, "reference": c.Reference,
		"context": object{"systemPrompt": "s", "tools": tools, "messages": in.Messages},
	}, &got)
	params["tools"] = got.Tools
	if got.Todos != nil {
		params["todos"] = got.Todos
	}
	return params, err
}

// pushAnswer is the result of stream/push.
type pushAnswer struct {
	Events, Chunks []json.RawMessage
	Incomplete     []int
	Failure        *struct{ Kind, Tool string }
	Assembled      json.RawMessage
}

// A follower is what a client does with events: it keeps the content so far.
type follower struct {
	content   []ordered.Object
	events    []json.RawMessage
	snapshots []string
	final     json.RawMessage
}

func (f *follower) follow(got *pushAnswer) error {
	for _, raw := range got.Events {
		if f.final != nil {
			return errors.New("an event behind the last one")
		}
		e, ok := ordered.ParseObject(raw)
		if !ok {
			return fmt.Errorf("no event: %s", raw)
		}
		if message := e.Get("message"); message != nil {
			f.final = message
		} else if message := e.Get("error"); message != nil {
			f.final = message
		} else if err := f.apply(&e); err != nil {
			return err
		}
		e.Delete("message")
		e.Delete("error")
		if kind, _ := e.Text("type"); kind == "toolcall_start" {
			e.Delete("id")
		}
		f.events = append(f.events, e.JSON())
	}
	if f.final == nil {
		return nil
	}
	final, _ := ordered.ParseObject(f.final)
	final.Delete("timestamp")
	if fault := got.Failure; fault != nil && fault.Kind != "reported" {
		final.Delete("errorMessage")
		final.SetText("errorKind", fault.Kind)
		if fault.Tool != "" {
			final.SetText("errorTool", fault.Tool)
		}
	}
	f.final = final.JSON()
	return nil
}

// apply keeps the content as the event leaves it.
func (f *follower) apply(e *ordered.Object) error {
	kind, _ := e.Text("type")
	var at int
	if kind != "start" {
		if err := json.Unmarshal(e.Get("contentIndex"), &at); err != nil {
			return err
		}
	}
	opened := map[string]string{
		"text_start": `{"type":"text","text":""}`, "thinking_start": `{"type":"thinking","thinking":""}`,
		"toolcall_start": `{"type":"toolCall","id":"","name":"","arguments":{}}`, "image_end": `{}`,
	}
	if begun := opened[kind]; begun != "" {
		if at != len(f.content) {
			return fmt.Errorf("a block opens at %d of %d", at, len(f.content))
		}
		block, _ := ordered.ParseObject([]byte(begun))
		f.content = append(f.content, block)
	}
	grow := func(key string) {
		before, _ := f.content[at].Text(key)
		delta, _ := e.Text("delta")
		f.content[at].SetText(key, before+delta)
	}
	switch kind {
	case "toolcall_start":
		f.content[at].Set("id", e.Get("id"))
	case "text_delta":
		grow("text")
	case "thinking_delta":
		grow("thinking")
	case "toolcall_end":
		f.content[at], _ = ordered.ParseObject(e.Get("toolCall"))
	case "image_end":
		f.content[at], _ = ordered.ParseObject(e.Get("content"))
	}
	blocks := make([]json.RawMessage, len(f.content))
	for i := range f.content {
		blocks[i] = f.content[i].JSON()
	}
	f.snapshots = append(f.snapshots, string(ordered.AppendList(nil, blocks)))
	return nil
}
