package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/registry"
)

// A piClient is what an extension in Pi's process does: it has the contributions and adapters of other
// extensions, their callbacks, and the sessions.
type piClient struct {
	t       *testing.T
	options Options
	init    map[string]any
	conn    *testClient

	contributions []*piContribution // insertion order
	adapters      registry.Registry

	mu      sync.Mutex
	live    json.RawMessage // the request object of the call that is being served
	handles map[int64]*piContribution
	renders int

	requests map[string]json.RawMessage // stored, by session
	states   map[string]*envelope.State
}

type piContribution struct {
	handle int64
	id     string
	fields ordered.Object // as given
}

// connect starts a new sidecar and gives it back what the client kept of the sessions.
func (c *piClient) connect(states bool) {
	if c.conn != nil {
		c.conn.must("shutdown", nil)
	}
	c.conn = newTestClient(c.t, c.options, map[string]jsonrpc.Handler{"render": c.render})
	c.conn.initialize(c.init)
	if !states {
		c.states = map[string]*envelope.State{}
	}
	sessions := map[string]bool{}
	for id := range c.requests {
		sessions[id] = true
	}
	for id := range c.states {
		sessions[id] = true
	}
	for id := range sessions {
		c.conn.must("session/start", object{"sessionId": id, "restore": object{"request": c.requests[id], "state": c.states[id]}})
	}
}

// register returns an error as the registry of the extension does.
func (c *piClient) register(raw json.RawMessage) (*piContribution, error) {
	fields, _ := ordered.ParseObject(raw)
	p := &piContribution{fields: fields}
	p.id, _ = fields.Text("id")
	if ecma.IsBlank(p.id) {
		return nil, registry.ErrIDRequired
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p.handle = int64(len(c.handles) + 1)
	c.handles[p.handle] = p
	if at := slices.IndexFunc(c.contributions, func(o *piContribution) bool { return o.id == p.id }); at >= 0 {
		c.contributions[at] = p
	} else {
		c.contributions = append(c.contributions, p)
	}
	return p, nil
}

func (c *piClient) unregister(p *piContribution) {
	c.contributions = slices.DeleteFunc(c.contributions, func(o *piContribution) bool { return o == p })
}

// snapshot lists the contributions for a call.
func (c *piClient) snapshot() []json.RawMessage {
	list := []json.RawMessage{}
	for _, p := range c.contributions {
		var o ordered.Object
		o.Set("handle", fmt.Append(nil, p.handle))
		for key, value := range p.fields.All() {
			if key != "content" || value[0] == '"' {
				o.Set(key, value)
			}
		}
		list = append(list, o.JSON())
	}
	return list
}

// call calls a method while callbacks see a request object.
func (c *piClient) call(live json.RawMessage, method string, params object, result any) error {
	c.mu.Lock()
	c.live = live
	c.mu.Unlock()
	params["contributions"] = c.snapshot()
	return c.conn.Call(c.t.Context(), method, params, result)
}

// render answers the sidecar.
func (c *piClient) render(_ context.Context, req *jsonrpc.Request) (any, error) {
	var params struct {
		Call        json.RawMessage
		Handles     []int64
		StopOnError bool
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.renders++
	live := c.live
	c.mu.Unlock()
	results := []object{}
	for _, handle := range params.Handles {
		c.mu.Lock()
		p := c.handles[handle]
		c.mu.Unlock()
		text, err := c.callback(p, live)
		switch {
		case err == nil:
			results = append(results, object{"text": (*wideText)(text)})
		case errors.Is(err, registry.ErrNotText):
			results = append(results, object{"error": object{"message": "text.trim is not a function", "kind": "not-text"}})
		default:
			results = append(results, object{"error": object{"message": wideText(err.Error())}})
		}
		if err != nil && params.StopOnError {
			break
		}
	}
	return object{"results": results}, nil
}

// callback does what a described callback does.
func (c *piClient) callback(p *piContribution, live json.RawMessage) (*string, error) {
	content, _ := ordered.ParseObject(p.fields.Get("content"))
	rc, _ := ordered.ParseObject(live)
	text := func(o *ordered.Object, key string) *string {
		if s, ok := o.Text(key); ok {
			return &s
		}
		return nil
	}
	either := func(yes bool) (*string, error) {
		if yes {
			return text(&content, "then"), nil
		}
		return text(&content, "else"), nil
	}
	fn, _ := content.Text("fn")
	switch fn {
	case "template":
		s := template(*text(&content, "text"), &rc)
		return &s, nil
	case "nothing", "null":
		return nil, nil
	case "number":
		return nil, registry.ErrNotText
	case "throw", "throw-string":
		return nil, errors.New(*text(&content, "message"))
	case "if-prompt":
		want, got := text(&content, "equals"), text(&rc, "prompt")
		return either(want == got || want != nil && got != nil && *want == *got)
	case "if-tool":
		return either(slices.Contains(texts(rc.Get("activeTools")), *text(&content, "tool")))
	case "register-more":
		_, err := c.register(content.JSON())
		return text(&content, "then"), err
	case "keys":
		var keys []string
		for _, key := range []string{"activeTools", "cwd", "piSystemPrompt", "prompt", "provider", "sessionId", "systemPromptOptions"} {
			if raw := rc.Get(key); raw != nil && string(raw) != "null" {
				keys = append(keys, key)
			}
		}
		s := strings.Join(keys, ",")
		return &s, nil
	}
	return nil, fmt.Errorf("the test knows no callback %q", fn)
}

func template(text string, rc *ordered.Object) string {
	of := func(key string) string {
		s, _ := rc.Text(key)
		return s
	}
	options, _ := ordered.ParseObject(rc.Get("systemPromptOptions"))
	cwd, _ := options.Text("cwd")
	var skills []string
	list, _ := ordered.Elements(options.Get("skills"))
	for _, raw := range list {
		skill, _ := ordered.ParseObject(raw)
		name, _ := skill.Text("name")
		skills = append(skills, name)
	}
	return strings.NewReplacer("{prompt}", of("prompt"), "{provider}", of("provider"), "{sessionId}", of("sessionId"),
		"{tools}", strings.Join(texts(rc.Get("activeTools")), ","), "{cwd}", cwd, "{skills}", strings.Join(skills, ",")).Replace(text)
}

func texts(raw json.RawMessage) []string {
	list, _ := ordered.Elements(raw)
	out := make([]string, len(list))
	for i := range list {
		out[i] = jsonspan.Text(list[i])
	}
	return out
}

// overlay lays the members of one object over another.
func overlay(under, over json.RawMessage) json.RawMessage {
	o, _ := ordered.ParseObject(under)
	above, _ := ordered.ParseObject(over)
	for key, value := range above.All() {
		o.Set(key, value)
	}
	return o.JSON()
}
