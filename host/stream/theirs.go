package stream

import (
	"bytes"
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// isTheirs says whether a part is about a call that the provider runs itself: it says so, or a part of any kind has
// said so of its id.
func (t *Translator) isTheirs(p *Part) bool {
	if t.cfg.Reference {
		return false
	}
	if p.ProviderExecuted {
		t.mark(p.ID)
		return true
	}
	if t.theirs == nil {
		return false
	}
	_, ok := t.theirs[p.ID]
	return ok
}

// mark notes that a call is the provider's. Input that came before anything said so has opened a block,
// which stays, but does not count as a call of the host.
func (t *Translator) mark(id string) {
	if t.theirs == nil {
		t.theirs = map[string]int{}
	}
	if _, ok := t.theirs[id]; ok {
		return
	}
	t.theirs[t.arena.copy(id)] = -1
	if at, ok := t.tools.find(id); ok && !t.m.Content[at].called {
		t.tools.unbind(id)
	}
}

// hasCall says whether a call of the provider's has come.
func (t *Translator) hasCall(id string) bool {
	at, ok := t.theirs[id]
	return ok && at >= 0
}

// theirCall records a call.
func (t *Translator) theirCall(p *Part) {
	t.mark(p.ID)
	input, _ := t.arguments(p.Input)
	t.theirs[p.ID] = len(t.m.ProviderExecuted)
	t.m.ProviderExecuted = append(t.m.ProviderExecuted, ProviderCall{
		At: len(t.m.Content), ToolCallID: t.arena.copy(p.ID), ToolName: t.arena.copy(p.ToolName), Input: input,
	})
}

// result records the result of a call. The last one counts.
func (t *Translator) result(p *Part) {
	if !t.isTheirs(p) || !t.hasCall(p.ID) {
		return
	}
	c := &t.m.ProviderExecuted[t.theirs[p.ID]]
	c.Result, c.IsError = keep(p.Result), nil
	if p.IsError != nil {
		is := *p.IsError
		c.IsError = &is
	}
}

// keep copies JSON that belongs to a part.
func keep(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	return bytes.Clone(wtf8.Repair(raw))
}
