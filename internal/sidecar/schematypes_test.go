package sidecar

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// methodTypes are the types of params and result of every method.
var methodTypes = map[string][2]reflect.Type{
	"initialize":        {reflect.TypeFor[initializeParams](), reflect.TypeFor[initializeResult]()},
	"shutdown":          {reflect.TypeFor[struct{}](), reflect.TypeFor[struct{}]()},
	"session/start":     {reflect.TypeFor[sessionStartParams](), reflect.TypeFor[sessionStartResult]()},
	"session/end":       {reflect.TypeFor[sessionEndParams](), reflect.TypeFor[sessionEndResult]()},
	"turn/start":        {reflect.TypeFor[turnStartParams](), reflect.TypeFor[turnStartResult]()},
	"envelope/capture":  {reflect.TypeFor[envelopeCaptureParams](), reflect.TypeFor[envelopeCaptureResult]()},
	"envelope/current":  {reflect.TypeFor[envelopeCurrentParams](), reflect.TypeFor[envelopeCurrentResult]()},
	"envelope/clear":    {reflect.TypeFor[envelopeClearParams](), reflect.TypeFor[envelopeClearResult]()},
	"envelope/render":   {reflect.TypeFor[envelopeRenderParams](), reflect.TypeFor[envelopeRenderResult]()},
	"context/message":   {reflect.TypeFor[contextMessageParams](), reflect.TypeFor[contextMessageResult]()},
	"payload/adapt":     {reflect.TypeFor[payloadAdaptParams](), reflect.TypeFor[payloadAdaptResult]()},
	"audit/view":        {reflect.TypeFor[auditViewParams](), reflect.TypeFor[auditViewResult]()},
	"audit/settings":    {reflect.TypeFor[auditSettingsParams](), reflect.TypeFor[auditSettingsResult]()},
	"stream/open":       {reflect.TypeFor[streamOpenParams](), reflect.TypeFor[streamOpenResult]()},
	"stream/push":       {nil, reflect.TypeFor[streamPushResult]()}, // whose params are read by hand
	"stream/close":      {reflect.TypeFor[streamCloseParams](), reflect.TypeFor[streamCloseResult]()},
	"response/assemble": {reflect.TypeFor[responseAssembleParams](), reflect.TypeFor[assembled]()},
	"history/options":   {reflect.TypeFor[historyOptionsParams](), reflect.TypeFor[historyOptionsResult]()},
	"history/read":      {reflect.TypeFor[historyReadParams](), reflect.TypeFor[historyReadResult]()},
}

// Every member of the types of params and results is in the schema at its place, and no other; results have no
// others at all. Types that write or read themselves are checked by the frames of all tests.
func TestSchemaHasTheMembers(t *testing.T) {
	s := schemaOf(t)
	defs := s.Definitions()
	assert.ElementsMatch(t, slices.Collect(maps.Keys(methods)), slices.Collect(maps.Keys(methodTypes)))
	c := memberCheck{t: t, defs: defs}
	for name, types := range methodTypes {
		if types[0] != nil {
			c.check(types[0], defs[name+".params"].(map[string]any), name+".params", false)
		}
		c.check(types[1], defs[name+".result"].(map[string]any), name+".result", true)
	}
	c.check(reflect.TypeFor[renderParams](), defs["render.params"].(map[string]any), "render.params", true)
	c.check(reflect.TypeFor[renderResult](), defs["render.result"].(map[string]any), "render.result", false)
	c.check(reflect.TypeFor[logged](), defs["log.params"].(map[string]any), "log.params", true)
}

type memberCheck struct {
	t    *testing.T
	defs map[string]any
}

var (
	marshaler   = reflect.TypeFor[json.Marshaler]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	anyJSON     = reflect.TypeFor[json.RawMessage]()
)

// check compares a type with the schema at a place. sent says that the type is what the sidecar sends.
func (c *memberCheck) check(of reflect.Type, schema any, at string, sent bool) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	self := unmarshaler
	if sent {
		self = marshaler
	}
	if of == anyJSON || of.Implements(self) || reflect.PointerTo(of).Implements(self) && of != reflect.TypeFor[payloadAdaptParams]() {
		return
	}
	branches := c.branches(schema)
	switch of.Kind() {
	case reflect.Slice:
		c.check(of.Elem(), c.member(branches, "items"), at+"[]", sent)
	case reflect.Map:
		c.check(of.Elem(), c.member(branches, "additionalProperties"), at+"{}", sent)
	case reflect.Struct:
		c.members(of, branches, at, sent)
	}
}

func (c *memberCheck) members(of reflect.Type, branches []map[string]any, at string, sent bool) {
	properties := map[string]any{}
	for _, b := range branches {
		if p, ok := b["properties"].(map[string]any); ok {
			maps.Copy(properties, p)
			if sent {
				assert.Equal(c.t, false, b["additionalProperties"], at)
			}
		}
	}
	var known []string
	for _, f := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		known = append(known, name)
		if assert.Contains(c.t, properties, name, at) {
			c.check(f.Type, properties[name], at+"."+name, sent)
		}
		if sent && len(branches) == 1 {
			required, _ := branches[0]["required"].([]any)
			always := !strings.Contains(options, "omit")
			assert.Equal(c.t, always, slices.Contains(required, any(name)), "%s.%s is required", at, name)
		}
	}
	if !sent && properties["within"] != nil {
		known = append(known, "within") // which the dispatch reads
	}
	assert.ElementsMatch(c.t, known, slices.Collect(maps.Keys(properties)), at)
}

// branches are the schemas that a value may fit, null aside.
func (c *memberCheck) branches(schema any) []map[string]any {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		name := strings.ReplaceAll(strings.TrimPrefix(ref, "#/$defs/"), "~1", "/")
		return c.branches(c.defs[name])
	}
	var all []map[string]any
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := s[key].([]any)
		for _, branch := range list {
			all = append(all, c.branches(branch)...)
		}
	}
	if all != nil {
		return all
	}
	if s["type"] == "null" {
		return nil
	}
	return []map[string]any{s}
}

func (c *memberCheck) member(branches []map[string]any, key string) any {
	for _, b := range branches {
		if b[key] != nil {
			return b[key]
		}
	}
	return nil
}
