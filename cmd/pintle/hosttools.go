package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// readTools reads the tools of a host: a JSON list of {name, description, parameters}, with whatever else
// the host has in it.
func readTools(cmd *cobra.Command, path string) ([]profile.Tool, error) {
	text, err := readInput(cmd, path)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(path, text); err != nil {
		return nil, err
	}
	const want = "tools are a JSON list of {name, description, parameters}"
	list, ok := ordered.Elements(text)
	if !ok {
		return nil, &usageError{err: fmt.Errorf("%s: not a list", inputName(path)), hint: want}
	}
	tools := []profile.Tool{}
	for i, raw := range list {
		t, err := hostTool(raw)
		if err != nil {
			return nil, &usageError{err: fmt.Errorf("%s: tool %d: %w", inputName(path), i+1, err), hint: want}
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func hostTool(raw json.RawMessage) (profile.Tool, error) {
	o, ok := ordered.ParseObject(raw)
	if !ok {
		return profile.Tool{}, errors.New("not an object")
	}
	var t profile.Tool
	if t.Name, _ = o.Text("name"); t.Name == "" {
		return t, errors.New("name is no text, or empty")
	}
	if t.Description, ok = o.Text("description"); !ok && o.Has("description") {
		return t, fmt.Errorf("%q: description is no text", t.Name)
	}
	if t.Parameters = o.Get("parameters"); bytes.Equal(t.Parameters, []byte("null")) {
		t.Parameters = nil
	}
	if _, ok := ordered.ParseObject(t.Parameters); !ok && t.Parameters != nil {
		return t, fmt.Errorf("%q: parameters are no object", t.Name)
	}
	return t, nil
}
