package sidecar

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/registry"
)

// step does one step.
func (p *pi) step(s *step) (any, error) {
	switch s.Do {
	case "load":
		p.available = true
		p.known = map[string]bool{}
		p.connect(false)
		return nil, p.publish()
	case "resume":
		p.available, p.known, p.values = true, map[string]bool{}, nil
		p.contributions, p.requests = nil, map[string]json.RawMessage{}
		p.adapters = registry.Registry{Lookup: p.adapters.Lookup}
		p.connect(false)
		return nil, nil
	case "clock":
		return nil, p.clock(s)
	case "register":
		c, err := p.register(s.Contribution)
		if err != nil {
			return object{"error": err.Error(), "errorKind": "id-required"}, nil
		}
		p.handles[cmpOr(s.Handle, c.id)] = func() { p.unregister(c) }
		return object{"ok": true}, nil
	case "adapter":
		return p.registerAdapter(s)
	case "unregister":
		p.handles[cmpOr(s.Handle, string(s.ID))]()
		return nil, nil
	case "render":
		return p.renderStep(s)
	case "session_start":
		p.known[p.session] = true
		return nil, p.conn.Call(p.t.Context(), "session/start", object{"sessionId": p.session}, nil)
	case "turn":
		return p.turn(s)
	case "capture":
		return p.capture(s)
	case "current":
		return p.current(s)
	case "clear":
		if p.available {
			delete(p.requests, p.session)
			return nil, p.conn.Call(p.t.Context(), "envelope/clear", object{"sessionId": p.session}, nil)
		}
		return nil, nil
	case "service":
		return object{"available": p.available}, nil
	case "context":
		return p.context(s)
	case "request":
		return p.adapt(s)
	case "compact", "tree":
		return prepare(s)
	case "shutdown":
		delete(p.requests, p.session)
		delete(p.states, p.session)
		delete(p.known, p.session)
		if s.Reason == "reload" || s.Reason == "quit" {
			p.available = false
		}
		return object{"serviceAvailable": p.available}, p.conn.Call(p.t.Context(), "session/end", object{"sessionId": p.session, "reason": s.Reason}, nil)
	case "append":
		p.tree().add(s.Entry)
		return nil, nil
	case "branch":
		p.tree().leaf = ""
		if s.To != nil {
			p.tree().leaf = *s.To
		}
		return nil, nil
	case "entries":
		return object{"branch": p.tree().branch()}, nil
	case "settings":
		p.values = s.Values
		return nil, p.publish()
	case "fail_append":
		p.failLog = s.On
		return nil, nil
	case "fail_ui":
		p.failUI = s.On
		return nil, nil
	case "no_ui":
		p.no = true
		return nil, nil
	}
	return nil, fmt.Errorf("the test knows no step %q", s.Do)
}

// clock changes the date as a restarted sidecar sees it, which gets back what it knew.
func (p *pi) clock(s *step) error {
	now, err := timeOf(s.Now)
	p.options.Environment.Now = now
	p.connect(true)
	if err == nil {
		err = p.publish()
	}
	return err
}

func (p *pi) publish() error {
	if p.values == nil {
		return nil
	}
	var values struct{ AuditEntries json.RawMessage }
	if err := json.Unmarshal(p.values, &values); err != nil {
		return err
	}
	var list []string
	if json.Unmarshal(values.AuditEntries, &list) != nil {
		list = nil
	}
	return p.conn.Call(p.t.Context(), "audit/settings", object{"auditEntries": list}, nil)
}

func (p *pi) renderStep(s *step) (any, error) {
	given := overlay(json.RawMessage(`{"activeTools":[],"sessionId":"s1","systemPromptOptions":{"cwd":"/work/app"}}`), s.Context)
	var result struct{ Messages json.RawMessage }
	if err := p.call(given, "envelope/render", object{"context": given}, &result); err != nil {
		return p.failed(err)
	}
	return object{"messages": result.Messages}, nil
}

func (p *pi) turn(s *step) (any, error) {
	if s.Tools != nil {
		p.tools = *s.Tools
	}
	cwd := cmpOr(s.CWD, "/work/app")
	under, _ := json.Marshal(object{"cwd": cwd})
	request := object{"sessionId": p.session, "activeTools": p.tools, "cwd": cwd, "systemPromptOptions": overlay(under, s.Options), "piSystemPrompt": "PI BASE"}
	if s.SystemPrompt != nil {
		request["piSystemPrompt"] = s.SystemPrompt
	}
	if s.Prompt != nil {
		request["prompt"] = s.Prompt
	}
	if s.Provider != nil {
		request["provider"], request["api"], request["model"] = *s.Provider, s.API, s.Model
	}
	live, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var result struct {
		SystemPrompt  *wideText
		State         *envelope.State
		Audit         []json.RawMessage
		Notifications []struct {
			Message wideText `json:"message"`
			Level   string   `json:"level"`
		}
	}
	p.requests[p.session] = live
	if err := p.call(live, "turn/start", object{"request": json.RawMessage(live), "branch": p.tree().branch()}, &result); err != nil {
		return nil, err
	}
	p.states[p.session] = result.State
	p.append(result.Audit)
	shown := []any{}
	for _, n := range result.Notifications {
		if !p.no && !p.failUI {
			shown = append(shown, n)
		}
	}
	out := object{"systemPrompt": result.SystemPrompt, "audit": p.appended, "notifications": shown}
	if result.SystemPrompt == nil {
		out["result"] = "none"
	}
	return out, nil
}

func (p *pi) capture(s *step) (any, error) {
	if !p.available {
		return object{"envelope": nil, "audit": p.appended}, nil
	}
	under, _ := json.Marshal(object{"sessionId": p.session, "activeTools": []string{}, "cwd": "/work/app", "systemPromptOptions": object{"cwd": "/work/app"}})
	live := overlay(under, s.Request)
	var id struct{ SessionID string }
	if err := json.Unmarshal(live, &id); err != nil {
		return nil, err
	}
	p.requests[id.SessionID] = live
	params := object{"request": live}
	if p.known[id.SessionID] {
		params["branch"] = p.tree().branch()
	}
	var result struct {
		Envelope json.RawMessage
		State    *envelope.State
		Audit    []json.RawMessage
	}
	if err := p.call(live, "envelope/capture", params, &result); err != nil {
		out, err := p.failed(err)
		if err == nil {
			out["audit"] = p.appended
		}
		return out, err
	}
	p.states[id.SessionID] = result.State
	p.append(result.Audit)
	return object{"envelope": result.Envelope, "audit": p.appended}, nil
}

func (p *pi) current(s *step) (any, error) {
	if !p.available {
		return object{"envelope": nil}, nil
	}
	params := object{"sessionId": p.session}
	if s.Overrides != nil {
		params["overrides"] = s.Overrides
	}
	var result struct{ Envelope json.RawMessage }
	if err := p.call(overlay(p.requests[p.session], s.Overrides), "envelope/current", params, &result); err != nil {
		return p.failed(err)
	}
	if string(result.Envelope) == "null" {
		return object{"envelope": nil}, nil
	}
	return object{"envelope": result.Envelope, "audit": p.appended}, nil
}

// context is the hook of that name.
func (p *pi) context(s *step) (any, error) {
	var result struct {
		Message     json.RawMessage
		RemoveTypes []string
	}
	if err := p.conn.Call(p.t.Context(), "context/message", object{"sessionId": p.session}, &result); err != nil {
		return nil, err
	}
	kept := []json.RawMessage{}
	for _, raw := range s.Messages {
		m, _ := ordered.ParseObject(raw)
		role, _ := m.Text("role")
		kind, _ := m.Text("customType")
		if role != "custom" || !slices.Contains(result.RemoveTypes, kind) {
			kept = append(kept, raw)
		}
	}
	if string(result.Message) != "null" {
		return object{"messages": append([]json.RawMessage{result.Message}, kept...)}, nil
	}
	if len(kept) == len(s.Messages) {
		return object{"unchanged": true}, nil
	}
	return object{"messages": kept}, nil
}

// prepare edits the lists of the events before summaries.
func prepare(s *step) (any, error) {
	edit, keys := envelope.BeforeCompact, []string{"messagesToSummarize", "turnPrefixMessages"}
	if s.Do == "tree" {
		edit, keys = envelope.BeforeTree, []string{"entriesToSummarize"}
	}
	preparation, _ := ordered.ParseObject(s.Preparation)
	for _, key := range keys {
		if list, ok := ordered.Elements(preparation.Get(key)); ok {
			preparation.Set(key, ordered.AppendList(nil, edit(list)))
		}
	}
	return object{"preparation": preparation.JSON(), "hookResult": nil}, nil
}
