package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A turnTool is what a turn file says of a tool: what it gives back, nil if the file does not say, and what
// the model is told of it. It has no name.
type turnTool struct {
	result      *string
	declaration profile.Tool
}

// UnmarshalJSON accepts a text, which is the result, or {result, description, parameters}.
func (t *turnTool) UnmarshalJSON(data []byte) error {
	const want = "a tool is its result, a text, or {result, description, parameters}"
	if data[0] == '"' {
		return json.Unmarshal(data, &t.result)
	}
	o, ok := ordered.ParseObject(bytes.Clone(data))
	if !ok {
		return errors.New(want)
	}
	for key := range o.All() {
		if key != "result" && key != "description" && !slices.Contains(schemaKeys, key) {
			return fmt.Errorf("%s: unknown key %q", want, key)
		}
	}
	if result, ok := o.Text("result"); ok {
		t.result = &result
	} else if o.Has("result") {
		return fmt.Errorf("%s: result is no text", want)
	}
	var err error
	if t.declaration, err = declaration(&o); err != nil {
		return fmt.Errorf("%s: %w", want, err)
	}
	return nil
}

// run is what the tool does in a turn.
func (t turnTool) run(context.Context, json.RawMessage) ([]message.Block, error) {
	if t.result == nil {
		return nil, errors.New("the turn file has no result for this tool")
	}
	return []message.Block{{Type: message.Text, Text: *t.result}}, nil
}

// runnable are the tools of a turn file as the turn has them, sorted.
func (t *turnFile) runnable() []turn.Tool {
	var tools []turn.Tool
	for name, tool := range t.Tools {
		d := &tool.declaration
		tools = append(tools, turn.Tool{
			Tool: replay.Tool{Name: name, Description: d.Description, Parameters: d.Parameters}, Run: tool.run,
		})
	}
	slices.SortFunc(tools, func(a, b turn.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// hostTools are the tools that a turn file names, for the translation of answers.
func (t *turnFile) hostTools() []profile.Tool {
	names := slices.Concat(t.ActiveTools, slices.Collect(maps.Keys(t.Tools)))
	slices.Sort(names)
	var tools []profile.Tool
	for _, name := range slices.Compact(names) {
		tool := t.Tools[name].declaration
		tool.Name = name
		tools = append(tools, tool)
	}
	return tools
}
