package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// schemaKeys are what the JSON schema of a tool is called: by hosts and OpenAI, by the AI SDK and MCP, by
// Anthropic.
var schemaKeys = []string{"parameters", "inputSchema", "input_schema"}

// readTools reads the tools of a host: a JSON list of {name, description, parameters}, with whatever else
// the host has in it, of which it tells.
func readTools(cmd *cobra.Command, path string) ([]profile.Tool, error) {
	text, err := readInput(cmd, path)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(path, text); err != nil {
		return nil, err
	}
	const want = "tools are a JSON list of {name, description, parameters}; inputSchema and input_schema are parameters too"
	list, ok := ordered.Elements(text)
	if !ok {
		return nil, &usageError{err: fmt.Errorf("%s: not a list", inputName(path)), hint: want}
	}
	tools := []profile.Tool{}
	var unknown unknownKeys
	for i, raw := range list {
		o, ok := ordered.ParseObject(raw)
		t, err := hostTool(&o)
		if !ok {
			err = errors.New("not an object")
		}
		if err != nil {
			return nil, &usageError{err: fmt.Errorf("%s: tool %d: %w", inputName(path), i+1, err), hint: want}
		}
		tools = append(tools, t)
		unknown.add(&t, &o)
	}
	unknown.tell(cmd, inputName(path))
	return tools, nil
}

func hostTool(o *ordered.Object) (profile.Tool, error) {
	name, _ := o.Text("name")
	switch {
	case name == "" && isObject(o.Get("function")):
		return profile.Tool{}, errors.New(`its name is inside of "function", as in OpenAI's chat API: want that object alone, as jq '[.[].function]' gives it`)
	case name == "":
		return profile.Tool{}, errors.New("name is no text, or empty")
	}
	t, err := declaration(o)
	t.Name = name
	if err != nil {
		err = fmt.Errorf("%q: %w", name, err)
	}
	return t, err
}

// declaration is what an object says of a tool beside its name.
func declaration(o *ordered.Object) (t profile.Tool, err error) {
	var ok bool
	if t.Description, ok = o.Text("description"); !ok && o.Has("description") {
		return t, errors.New("description is no text")
	}
	found := ""
	for _, key := range schemaKeys {
		schema := o.Get(key)
		if schema == nil || bytes.Equal(schema, []byte("null")) {
			continue
		}
		if found != "" {
			return t, fmt.Errorf("it has %s and %s, which mean the same: want one of them", found, key)
		}
		if !isObject(schema) {
			return t, fmt.Errorf("%s is no object", key)
		}
		t.Parameters, found = schema, key
	}
	return t, nil
}

func isObject(raw json.RawMessage) bool {
	_, ok := ordered.ParseObject(raw)
	return ok
}

// unknownKeys are the keys of tools that have no meaning here.
type unknownKeys struct {
	keys   []string
	counts map[string]int
	// suspects are tools without a schema and, behind each, a key that may well be meant as one.
	suspects [][2]string
}

func (u *unknownKeys) add(t *profile.Tool, o *ordered.Object) {
	suspect := ""
	for key, value := range o.All() {
		if key == "name" || key == "description" || key == "type" || slices.Contains(schemaKeys, key) {
			continue
		}
		if u.counts == nil {
			u.counts = map[string]int{}
		}
		if u.counts[key]++; u.counts[key] == 1 {
			u.keys = append(u.keys, key)
		}
		if suspect == "" && isObject(value) {
			suspect = key
		}
	}
	if t.Parameters == nil && suspect != "" {
		u.suspects = append(u.suspects, [2]string{t.Name, suspect})
	}
}

// tell says on standard error what had no effect: always if it was meant to have one, else if asked.
func (u *unknownKeys) tell(cmd *cobra.Command, input string) {
	for _, s := range u.suspects {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s: tool %q has no parameters; its %q is not looked at\n",
			oneLine(input, 200), oneLine(s[0], 80), oneLine(s[1], 80))
	}
	if verbose, _ := cmd.Flags().GetBool("verbose"); verbose && len(u.keys) > 0 {
		words := make([]string, len(u.keys))
		for i, key := range u.keys {
			words[i] = fmt.Sprintf("%s of %s", oneLine(safeText(key), 60), plural(u.counts[key], "tool"))
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: info: %s: without effect: %s\n", oneLine(input, 200), oneLine(strings.Join(words, ", "), 600))
	}
}
