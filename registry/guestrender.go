package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	messagesv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/runtime"
)

func contributionOf(g *runtime.Guest, offer *abi.Contribution) Contribution {
	c := Contribution{
		ID: offer.ID, Priority: offer.Priority, ActiveTools: offer.ActiveTools,
		Concurrent: true, Source: g.Name(), Hold: holdOf(g),
	}
	if offer.Providers != nil {
		c.Providers = append([]string{}, *offer.Providers...)
	}
	c.Render = func(ctx context.Context, rc *RenderContext) (string, error) {
		request, err := renderRequest(g.Artifact().Manifest, offer, rc)
		if err != nil {
			return "", err
		}
		value, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Offer: offer.ID, Session: rc.SessionID, Request: request})
		if err != nil || value == nil {
			return "", err
		}
		return textAnswer(g, abi.RenderV1, value)
	}
	return c
}

// renderRequest holds what the contribution needs and nothing else.
func renderRequest(m *abi.Manifest, offer *abi.Contribution, rc *RenderContext) ([]byte, error) {
	q := messagesv1.RenderRequest{ID: offer.ID, Features: granted(m)}
	needs := func(f abi.ContextField) bool { return slices.Contains(offer.Needs, f) }
	if needs(abi.FieldProvider) && rc.Provider != "" {
		q.Provider = text(rc.Provider)
	}
	if needs(abi.FieldActiveTools) {
		tools := make([]string, len(rc.ActiveTools))
		for i, tool := range rc.ActiveTools {
			tools[i] = wtf8.ToUTF8(tool)
		}
		q.ActiveTools = &tools
	}
	if needs(abi.FieldSessionID) {
		q.SessionID = text(rc.SessionID)
	}
	if needs(abi.FieldPrompt) && rc.Prompt != nil {
		q.Prompt = text(*rc.Prompt)
	}
	if needs(abi.FieldSystemPromptOptions) {
		options, err := plain(rc.Options)
		if err != nil {
			return nil, fmt.Errorf("system prompt options: %w", err)
		}
		q.SystemPromptOptions = options
	}
	return abi.Encode(q)
}

// granted returns the feature bits that a guest asked for and this host has.
func granted(m *abi.Manifest) uint64 { return (m.Requires | m.Uses) & abi.KnownFeatures }

// plain turns the options into maps, lists and scalars, with the host's own key names.
func plain(o PromptOptions) (map[string]any, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil { // halves of surrogate pairs become U+FFFD here
		return nil, err
	}
	return numbers(v).(map[string]any), nil
}

// numbers makes integers of whole numbers, as guests expect them, and floats of all others.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = numbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // out of range: an infinity, which says as much
		return f
	}
	return v
}

func text(s string) *string {
	s = wtf8.ToUTF8(s)
	return &s
}
