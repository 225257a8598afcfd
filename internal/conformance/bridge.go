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
	got, _ = free(expected, got, "", false)
	return expected, got
}

// free returns got with what the expected value leaves free in the place of what it has there, and
// whether that is another value: only then are the values around it built anew, since each of them is
// as long as all that is in it. key is the member that the values are, and schema says that they are
// nodes of a JSON schema.
func free(expected, got Value, key string, schema bool) (v Value, other bool) {
	switch {
	case expected.kind == jsonspan.String && got.kind == jsonspan.String:
		if strings.HasPrefix(expected.text, "<bridge") && strings.HasSuffix(expected.text, ">") && got.text != "" {
			return expected, true
		}
		if strings.HasSuffix(key, "Signature") && sameJSON(expected.text, got.text) {
			return expected, true
		}
	case expected.kind == jsonspan.Object && got.kind == jsonspan.Object:
		return freeMembers(expected, got, key, schema || key == "inputSchema")
	case expected.kind == jsonspan.Array && got.kind == jsonspan.Array:
		items := make([]any, len(got.items))
		for i, item := range got.items {
			if i < len(expected.items) {
				var change bool
				item, change = free(expected.items[i], item, "", schema)
				other = other || change
			}
			items[i] = item
		}
		return rebuilt(got, items, other)
	}
	return got, false
}

func freeMembers(expected, got Value, key string, schema bool) (v Value, other bool) {
	given := len(got.keys)
	if schema && key != "properties" && got.Has("description") && !expected.Has("description") {
		got = got.without(func(name string, _ Value) bool { return name == "description" })
	}
	other = len(got.keys) != given
	var members fields
	for i, name := range got.keys {
		item, change := got.items[i], false
		switch want := expected.Get(name); {
		case key == "cost" && nearly(want, item):
			item, change = want, true
		case schema && key == "properties":
			item, change = free(want, item, "", true) // a property may be called anything
		default:
			item, change = free(want, item, name, schema)
		}
		other = other || change
		members = append(members, name, item)
	}
	return rebuilt(got, members, other)
}

// rebuilt makes an array or an object of parts, some of which are other than those of got.
func rebuilt(got Value, parts any, other bool) (Value, bool) {
	if other {
		if v, err := build(parts); err == nil {
			return v, true
		}
	}
	return got, other
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
