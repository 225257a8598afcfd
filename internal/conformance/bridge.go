package conformance

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// providerBridge is the family of the provider bridge. Its numbers are IEEE doubles, and null is a value
// of its own.
func providerBridge() Suite {
	suite := Suite{}
	for _, part := range []Suite{
		catalogCases(), callCases(), streamCases(), usageCases(), modelCases(), historyCases(), setupCases(),
		lifecycleCases(), hashlineCases(),
	} {
		maps.Copy(suite, part)
	}
	for name, op := range suite {
		op.doubles, op.exact = true, true
		if op.bind == nil {
			op.bind = bindBridge
		}
		suite[name] = op
	}
	return suite
}

// hostTools are the tools of a toolset, which toolsets.json beside the case's file has by name.
func hostTools(c *testCase, name string) ([]profile.Tool, error) {
	path := filepath.Join(c.dir, "toolsets.json")
	sets, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("toolsets: %w", err)
	}
	for _, set := range sets.items {
		if set.Get("name").str("") == name {
			return toolsOf(set.Get("input").Get("tools")), nil
		}
	}
	return nil, fmt.Errorf("%s: no toolset %q", path, name)
}

func toolsOf(list Value) []profile.Tool {
	tools := make([]profile.Tool, len(list.items))
	for i, v := range list.items {
		tools[i] = profile.Tool{
			Name: v.Get("name").str(""), Description: v.Get("description").str(""),
			Parameters: v.Get("parameters").raw,
		}
	}
	return tools
}

// bindBridge lets pass what the kit leaves free: sentences that the bridge writes, descriptions that it
// adds to schemas, the text of signatures, and the last digits of costs.
func bindBridge(_ *testCase, expected, got Value) (Value, Value) {
	return expected, free(expected, got, "", false)
}

// free returns got with what the expected value leaves free in the place of what it has there. key is
// the member that the values are, and schema says that they are nodes of a JSON schema.
func free(expected, got Value, key string, schema bool) Value {
	switch {
	case expected.kind == jsonspan.String && got.kind == jsonspan.String:
		if strings.HasPrefix(expected.text, "<bridge") && strings.HasSuffix(expected.text, ">") && got.text != "" {
			return expected
		}
		if strings.HasSuffix(key, "Signature") && sameJSON(expected.text, got.text) {
			return expected
		}
	case expected.kind == jsonspan.Object && got.kind == jsonspan.Object:
		return freeMembers(expected, got, key, schema || key == "inputSchema")
	case expected.kind == jsonspan.Array && got.kind == jsonspan.Array:
		items := make([]any, len(got.items))
		for i, item := range got.items {
			if i < len(expected.items) {
				item = free(expected.items[i], item, "", schema)
			}
			items[i] = item
		}
		if v, err := build(items); err == nil {
			return v
		}
	}
	return got
}

func freeMembers(expected, got Value, key string, schema bool) Value {
	if schema && key != "properties" && !expected.Has("description") {
		got = got.without(func(name string, _ Value) bool { return name == "description" })
	}
	var members fields
	for i, name := range got.keys {
		item := got.items[i]
		switch want := expected.Get(name); {
		case key == "cost" && nearly(want, item):
			item = want
		case schema && key == "properties":
			item = free(want, item, "", true) // a property may be called anything
		default:
			item = free(want, item, name, schema)
		}
		members = append(members, name, item)
	}
	v, err := build(members)
	if err != nil {
		return got
	}
	return v
}

func sameJSON(a, b string) bool {
	x, errX := ParseValue([]byte(a))
	y, errY := ParseValue([]byte(b))
	if errX != nil || errY != nil {
		return false
	}
	cmp := comparison{doubles: true}
	cmp.value("", x, y, false)
	return len(cmp.found) == 0
}

// nearly compares costs, which may differ in 1e-12 of their size.
func nearly(expected, got Value) bool {
	if expected.kind != jsonspan.Number || got.kind != jsonspan.Number {
		return false
	}
	a, b := expected.number(), got.number()
	return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}
