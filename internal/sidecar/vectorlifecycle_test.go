package sidecar

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pintle-wasm/pintle/internal/conformance"
)

// A lifecycleCase is a call as a whole: what a client does around the methods, and how that may fail.
type lifecycleCase struct {
	streamCase
	APIKey                                  json.RawMessage
	Context                                 map[string]json.RawMessage
	ExcludedToolNames, AddTools             []string
	ModelThrows, HookThrows, DoStreamThrows string
	DropTools                               bool
}

// key is what becomes of the option, or the words of what it has thrown.
func (in *lifecycleCase) key() (key any, thrown string) {
	var option struct {
		Resolver struct{ Returns, Throws string }
	}
	if json.Unmarshal(in.APIKey, &option) == nil && option.Resolver.Returns != "" {
		return option.Resolver.Returns, ""
	}
	if option.Resolver.Throws == "" && in.APIKey != nil {
		return strings.Trim(string(in.APIKey), `"`), ""
	}
	return nil, option.Resolver.Throws
}

// lifecycle makes a call as a client does: key, model, options, hook and request are its own, and of what fails
// in front of the first part it tells the stream.
func (r vectorRunner) lifecycle(_ context.Context, c conformance.Case) (json.RawMessage, error) {
	var in lifecycleCase
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, err
	}
	tools, err := vectorTools(c.Dir, in.Toolset)
	if err != nil {
		return nil, err
	}
	open := object{"host": in.Host, "model": in.Model, "exclude": append([]string{}, in.ExcludedToolNames...), "reference": c.Reference}
	var keySeen any = "<not called>"
	started := false
	key, failure := in.key()
	if failure == "" {
		keySeen, failure = key, in.ModelThrows
	}
	if failure == "" {
		if err := r.options(&in, tools, open); err != nil {
			return nil, err
		}
		failure = in.HookThrows
	}
	if failure == "" {
		started, failure = true, in.DoStreamThrows
	}
	f, read, err := r.streamed(&in, open, failure)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"events": f.events, "final": f.final, "apiKeySeen": keySeen, "doStreamCalled": started, "partsRead": read})
}

// options asks for those of the call, and puts into the params of the stream what it has to know of them.
func (r vectorRunner) options(in *lifecycleCase, tools json.RawMessage, open object) error {
	in.Context["tools"] = tools
	var got struct {
		Options      struct{ Tools []struct{ Name string } }
		Tools, Todos json.RawMessage
	}
	err := r.call("history/options", object{"host": in.Host, "model": in.Model, "context": in.Context, "exclude": open["exclude"],
		"reference": open["reference"]}, &got)
	if err != nil {
		return err
	}
	allow := append([]string{}, in.AddTools...)
	for _, t := range got.Options.Tools {
		allow = append(allow, t.Name)
	}
	if in.DropTools {
		allow = []string{}
	}
	open["allow"], open["tools"], open["todos"] = allow, got.Tools, got.Todos
	return nil
}

// streamed pushes the parts one by one, or that the call has failed, up to the last event.
func (r vectorRunner) streamed(in *lifecycleCase, open object, failure string) (f follower, read int, err error) {
	var opened struct{ Stream string }
	if err := r.call("stream/open", open, &opened); err != nil {
		return f, 0, err
	}
	for f.final == nil {
		push := object{"stream": opened.Stream, "aborted": in.Aborted}
		switch {
		case failure != "":
			push["error"] = object{"message": failure}
		case read == len(in.Parts):
			push["end"] = true
		default:
			push["parts"] = in.Parts[read : read+1]
			read++
		}
		var got pushAnswer
		if err := r.call("stream/push", push, &got); err != nil {
			return f, read, err
		}
		if err := f.follow(&got); err != nil {
			return f, read, err
		}
	}
	return f, read, nil
}
