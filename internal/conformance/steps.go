package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// runSteps runs a case's steps in order.
func runSteps(ctx context.Context, c *testCase) (any, error) {
	h, err := newHost(c)
	if err != nil {
		return nil, err
	}
	var results []any
	for i, step := range c.input.Get("steps").items {
		h.session = step.Get("session").str(h.session)
		h.appended = nil
		result, err := h.step(ctx, step)
		if err != nil {
			return nil, fmt.Errorf("step %d (%s): %w", i, step.Get("do").str("?"), err)
		}
		results = append(results, result)
	}
	return fields{"steps", results}, nil
}

// hooks are the steps that call the extension; without one they do nothing.
var hooks = [...]string{"session_start", "turn", "context", "request", "compact", "tree", "shutdown"}

func (h *host) step(ctx context.Context, step Value) (any, error) {
	do := step.Get("do").str("")
	for _, hook := range hooks {
		if do == hook && h.extension == nil {
			return nil, nil
		}
	}
	switch do {
	case "load":
		return nil, h.load()
	case "resume":
		return nil, h.startProcess(true)
	case "register":
		reg, err := register(h.registry, step.Get("contribution"), h.line039)
		return h.keep(step.Get("handle").str(step.Get("contribution").Get("id").str("")), reg, err)
	case "adapter":
		a, err := adapterOf(h.c, step.Get("adapter"), h.line039)
		if err != nil {
			return nil, err
		}
		reg, err := h.registry.RegisterAdapter(a)
		return h.keep(step.Get("handle").str(a.Provider), reg, err)
	case "unregister":
		h.handles[step.Get("handle").str(step.Get("id").str(""))].Unregister()
		return nil, nil
	case "render":
		rc, err := renderContext(step.Get("context"))
		if err != nil {
			return nil, err
		}
		found, _, err := h.renderer().Render(ctx, rc)
		if err != nil {
			return failed(err)
		}
		return fields{"messages", list(found)}, nil
	case "session_start":
		h.extension.SessionStart(h.session, h.tree(h.session))
		return nil, nil
	case "turn":
		return h.turn(ctx, step)
	case "capture":
		return h.capture(ctx, step)
	case "current":
		return h.current(ctx, step)
	case "clear":
		if s := h.available(); s != nil {
			s.Clear(h.session)
		}
		return nil, nil
	case "service":
		return fields{"available", h.available() != nil}, nil
	case "context":
		found, changed := h.extension.Context(h.session, raws(step.Get("messages")))
		if !changed {
			return fields{"unchanged", true}, nil
		}
		return fields{"messages", found}, nil
	case "request":
		return h.request(ctx, step)
	case "compact", "tree":
		return prepare(do, step.Get("preparation"))
	case "shutdown":
		h.extension.Shutdown(h.session, step.Get("reason").str(""))
		return fields{"serviceAvailable", h.available() != nil}, nil
	case "append":
		return nil, h.tree(h.session).add(step.Get("entry"))
	case "branch":
		return nil, h.branch(step.Get("to"))
	case "entries":
		return fields{"branch", list(h.tree(h.session).path())}, nil
	case "settings":
		values := step.Get("values")
		h.published = &values
		h.publish()
		return nil, nil
	case "fail_append":
		h.failLog = step.Get("on").isTrue()
		return nil, nil
	case "fail_ui":
		h.failUI = step.Get("on").isTrue()
		return nil, nil
	case "no_ui":
		h.noUI = true
		return nil, nil
	case "clock":
		return nil, h.clock(step)
	}
	return nil, fmt.Errorf("unknown step %q", do)
}

// keep remembers a handle and says how registering went.
func (h *host) keep(handle string, reg *registry.Registration, err error) (any, error) {
	if err != nil {
		return failed(err)
	}
	h.handles[handle] = reg
	return fields{"ok", true}, nil
}

func (h *host) audit() []any { return list(h.appended) }

func (h *host) turn(ctx context.Context, step Value) (any, error) {
	if step.Has("tools") {
		h.tools = step.Get("tools").strs()
	}
	cwd := step.Get("cwd").str("/work/app")
	under, err := build(fields{"cwd", cwd})
	if err != nil {
		return nil, err
	}
	options, err := promptOptions(overlay(under, step.Get("options")))
	if err != nil {
		return nil, err
	}
	prompt := step.Get("systemPrompt").ptr()
	if !step.Has("systemPrompt") {
		prompt = new(string)
		*prompt = "PI BASE"
	}
	req := envelope.Request{
		SessionID: h.session, ActiveTools: h.tools, Prompt: step.Get("prompt").ptr(),
		CWD: cwd, SystemPrompt: prompt, Options: options,
	}
	req.Provider, req.API, req.Model = model(step)
	notifications := []any{}
	event := envelope.Turn{Request: req, Log: h.tree(h.session)}
	if !h.noUI {
		event.Notify = func(_ context.Context, message, level string) error {
			if h.failUI {
				return errors.New("notify failed")
			}
			notifications = append(notifications, fields{"message", message, "level", level})
			return nil
		}
	}
	result := h.extension.BeforeTurn(ctx, event)
	out := fields{"systemPrompt", result.SystemPrompt, "audit", h.audit(), "notifications", notifications}
	if result.SystemPrompt == nil {
		out = append(out, "result", "none")
	}
	return out, nil
}

// model reads the current model: without a provider there is none.
func model(step Value) (provider, api, id string) {
	provider = step.Get("provider").str("")
	if provider == "" {
		return "", "", ""
	}
	return provider, step.Get("api").str(""), step.Get("model").str("")
}

func (h *host) capture(ctx context.Context, step Value) (any, error) {
	s := h.available()
	if s == nil {
		return fields{"envelope", nil, "audit", h.audit()}, nil
	}
	under, err := build(fields{
		"sessionId", h.session, "activeTools", []string{}, "cwd", "/work/app",
		"systemPromptOptions", fields{"cwd", "/work/app"},
	})
	if err != nil {
		return nil, err
	}
	var req envelope.Request
	if err := json.Unmarshal(overlay(under, step.Get("request")).raw, &req); err != nil {
		return nil, err
	}
	env, err := s.Capture(ctx, req)
	if err != nil {
		out, err := failed(err)
		return append(out, "audit", h.audit()), err
	}
	return fields{"envelope", env, "audit", h.audit()}, nil
}

func (h *host) current(ctx context.Context, step Value) (any, error) {
	s := h.available()
	if s == nil {
		return fields{"envelope", nil}, nil
	}
	var overrides envelope.Overrides
	if v := step.Get("overrides"); v.present() {
		if err := json.Unmarshal(v.raw, &overrides); err != nil {
			return nil, err
		}
	}
	env, err := s.Current(ctx, h.session, overrides)
	switch {
	case err != nil:
		return failed(err)
	case env == nil:
		return fields{"envelope", nil}, nil
	}
	return fields{"envelope", env, "audit", h.audit()}, nil
}

func (h *host) request(ctx context.Context, step Value) (any, error) {
	req := registry.PayloadRequest{SessionID: h.session, Payload: step.Get("payload").raw}
	req.Provider, req.API, req.Model = model(step)
	result, err := payload.Apply(ctx, h.extension, req, payload.Options{Reference: h.c.reference})
	switch {
	case err != nil:
		return failed(err)
	case !result.Answered:
		return fields{"unchanged", true}, nil
	}
	return fields{"payload", result.Body.Bytes()}, nil
}

// prepare runs the two events before summaries, which edit lists in place.
func prepare(do string, preparation Value) (any, error) {
	edit, keys := envelope.BeforeCompact, []string{"messagesToSummarize", "turnPrefixMessages"}
	if do == "tree" {
		edit, keys = envelope.BeforeTree, []string{"entriesToSummarize"}
	}
	for _, key := range keys {
		if given := preparation.Get(key); given.kind == jsonspan.Array {
			edited, err := build(edit(raws(given)))
			if err != nil {
				return nil, err
			}
			preparation = preparation.with(key, edited)
		}
	}
	return fields{"preparation", preparation, "hookResult", nil}, nil
}

func (h *host) branch(to Value) error {
	t := h.tree(h.session)
	id := to.str("")
	if _, ok := t.byID[id]; id != "" && !ok {
		return fmt.Errorf("no entry %q", id)
	}
	t.leaf = id
	return nil
}

func raws(v Value) []json.RawMessage {
	list := make([]json.RawMessage, len(v.items))
	for i, item := range v.items {
		list[i] = item.raw
	}
	return list
}
