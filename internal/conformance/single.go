package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// rendered renders contributions registered in order.
func rendered(ctx context.Context, contributions []Value, rc *registry.RenderContext) ([]registry.Message, error) {
	r := &registry.Registry{}
	for _, v := range contributions {
		if _, err := register(r, v, false); err != nil {
			return nil, err
		}
	}
	found, _, err := newService(r, nil, envelope.Environment{}).Render(ctx, rc)
	return found, err
}

func registryRender(ctx context.Context, c *testCase) (any, error) {
	rc, err := renderContext(c.input.Get("context"))
	if err != nil {
		return nil, err
	}
	found, err := rendered(ctx, c.input.Get("contributions").items, rc)
	if err != nil {
		return failed(err)
	}
	return fields{"messages", list(found)}, nil
}

func contentTrim(ctx context.Context, c *testCase) (any, error) {
	v, err := build(fields{"id", "x", "content", c.input.Get("content")})
	if err != nil {
		return nil, err
	}
	found, err := rendered(ctx, []Value{v}, &registry.RenderContext{})
	if err != nil || len(found) == 0 {
		return fields{"content", nil}, err
	}
	return fields{"content", found[0].Content}, nil
}

func idOrder(ctx context.Context, c *testCase) (any, error) {
	var contributions []Value
	for _, id := range c.input.Get("ids").strs() {
		v, err := build(fields{"id", id, "content", "x"})
		if err != nil {
			return nil, err
		}
		contributions = append(contributions, v)
	}
	found, err := rendered(ctx, contributions, &registry.RenderContext{})
	if err != nil {
		return nil, err
	}
	order := make([]string, len(found))
	for i, m := range found {
		order[i] = m.ID
	}
	return fields{"order", order}, nil
}

func environment(ctx context.Context, c *testCase) (any, error) {
	e, err := newEnvironment(c.input.Get("setup"))
	if err != nil {
		return nil, err
	}
	cwd, tools := c.input.Get("cwd").str(""), c.input.Get("activeTools").strs()
	if given := c.input.Get("environment"); given.present() {
		m := e.Message(cwd, tools, envelope.Surroundings{
			Shell:       given.Get("shell").str(""),
			CurrentDate: given.Get("currentDate").str(""),
			Timezone:    given.Get("timezone").str(""),
		})
		return fields{"id", m.ID, "content", m.Content, "count", 1}, nil
	}
	env, err := newService(nil, nil, e).Capture(ctx, envelope.Request{CWD: cwd, ActiveTools: tools})
	if err != nil {
		return nil, err
	}
	m := env.DeveloperMessages[len(env.DeveloperMessages)-1]
	return fields{"id", m.ID, "content", m.Content, "count", len(env.DeveloperMessages)}, nil
}

func providerInstructions(_ context.Context, c *testCase) (any, error) {
	options, err := promptOptions(c.input.Get("options"))
	if err != nil {
		return nil, err
	}
	return fields{"systemPrompt", envelope.Instructions(&options, c.input.Get("fallback").ptr())}, nil
}

func contextFiles(_ context.Context, c *testCase) (any, error) {
	e, err := newEnvironment(c.input.Get("setup"))
	if err != nil {
		return nil, err
	}
	e.AgentDir = c.input.Get("agentDir").str(e.AgentDir)
	v, err := build(fields{"contextFiles", c.input.Get("files")})
	if err != nil {
		return nil, err
	}
	options, err := promptOptions(v)
	if err != nil {
		return nil, err
	}
	if text := e.ContextText(options.ContextFiles, c.input.Get("cwd").str("")); text != "" {
		return fields{"content", text}, nil
	}
	return fields{"content", nil}, nil
}

func serialize(_ context.Context, c *testCase) (any, error) {
	m := registry.Message{ID: c.input.Get("id").str(""), Content: c.input.Get("content").str("")}
	return fields{"text", envelope.Serialize(m)}, nil
}

func auditRender(_ context.Context, c *testCase) (any, error) {
	out := fields{"types", envelope.AuditTypes(), "rendered"}
	columns := 0
	if width := c.input.Get("width"); width.present() {
		columns = max(1, int(width.number()))
	}
	view, ok := envelope.ViewAudit(c.input.Get("customType").str(""), c.input.Get("data").raw, c.input.Get("expanded").isTrue(), columns)
	switch {
	case !ok:
		return append(out, nil), nil
	case view.Invalid != "":
		return append(out, fields{"invalid", view.Invalid}), nil
	}
	rows := make([]any, len(view.Rows))
	for i, r := range view.Rows {
		mode := "preview"
		if r.Expanded {
			mode = "full"
		}
		rows[i] = fields{"heading", r.Heading, "mode", mode, "maxHeight", r.MaxHeight, "fullMarkdown", r.Markdown}
	}
	return append(out, fields{"rows", rows}), nil
}

// bindAuditRender takes away the terms of one UI toolkit, and compares the types as a set if they are
// expected.
func bindAuditRender(_ *testCase, expected, got Value) (Value, Value) {
	types := func(key string, _ Value) bool { return key == "types" }
	if want := expected.Get("types"); !want.present() || sameSet(want.strs(), got.Get("types").strs()) {
		expected, got = expected.without(types), got.without(types)
	}
	view := expected.Get("rendered")
	rows := view.Get("rows")
	if !rows.present() {
		return expected, got
	}
	bound := make([]any, len(rows.items))
	for i, row := range rows.items {
		bound[i] = row.without(func(key string, _ Value) bool {
			return key == "verb" || key == "status" || key == "previewLines"
		})
	}
	if replaced, err := build(bound); err == nil {
		expected = expected.with("rendered", view.with("rows", replaced))
	}
	return expected, got
}

func sameSet(a, b []string) bool {
	in := map[string]int{}
	for _, s := range a {
		in[s] |= 1
	}
	for _, s := range b {
		in[s] |= 2
	}
	for _, bits := range in {
		if bits != 3 {
			return false
		}
	}
	return true
}

func adapterSelection(_ context.Context, c *testCase) (any, error) {
	r := &registry.Registry{Lookup: registry.BySpecificity}
	var handles []*registry.Registration
	for i, v := range c.input.Get("adapters").items {
		a, err := adapterOf(c, v, true)
		if err != nil {
			return nil, err
		}
		a.Source = strconv.Itoa(i)
		reg, err := r.RegisterAdapter(a)
		if err != nil {
			return failed(err)
		}
		handles = append(handles, reg)
	}
	for _, v := range c.input.Get("unregister").items {
		at := int(v.number())
		if at < 0 || at >= len(handles) {
			return nil, errors.New("unregister: no such adapter")
		}
		handles[at].Unregister()
	}
	query := c.input.Get("query")
	a, _, ok := r.FindAdapter(query.Get("provider").str(""), query.Get("api").str(""), query.Get("model").str(""))
	if !ok {
		return fields{"match", nil}, nil
	}
	return fields{"match", json.RawMessage(a.Source)}, nil
}

// bindSelection takes away the names in the JavaScript map.
func bindSelection(_ *testCase, expected, got Value) (Value, Value) {
	return expected.without(func(key string, _ Value) bool { return key == "keys" }), got
}
