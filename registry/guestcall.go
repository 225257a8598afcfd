package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	messagesv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
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

func adapterOf(g *runtime.Guest, offer *abi.Adapter) Adapter {
	a := Adapter{APIs: offer.APIs, Source: g.Name(), Hold: holdOf(g)}
	if len(offer.Models) > 0 {
		a.ModelMatches = func(model string) bool { return slices.Contains(offer.Models, model) }
	}
	payload := func(req *PayloadRequest) adaptersv1.Payload {
		return adaptersv1.Payload{ID: offer.ID, Features: granted(g.Artifact().Manifest),
			Provider: req.Provider, API: req.API, Payload: req.Payload}
	}
	a.ReadSystemPrompt = func(ctx context.Context, req *PayloadRequest) (string, bool, error) {
		value, err := callAdapter(ctx, g, offer.ID, abi.ReadSystemPromptV1, req, adaptersv1.ReadSystemPromptRequest{Payload: payload(req)})
		if err != nil || value == nil {
			return "", false, err
		}
		s, err := textAnswer(g, abi.ReadSystemPromptV1, value)
		return s, err == nil, err
	}
	a.ReplaceSystemPrompt = func(ctx context.Context, req *PayloadRequest, prompt string) ([]byte, error) {
		value, err := callAdapter(ctx, g, offer.ID, abi.ReplaceSystemPromptV1, req,
			adaptersv1.ReplaceSystemPromptRequest{Payload: payload(req), SystemPrompt: wtf8.ToUTF8(prompt)})
		if err != nil || value == nil {
			return nil, err
		}
		return bytesAnswer(g, abi.ReplaceSystemPromptV1, value)
	}
	if offer.Has(abi.ReplaceDeveloperMessagesV1) {
		a.ReplaceDeveloperMessages = func(ctx context.Context, req *PayloadRequest, messages []Message) ([]byte, error) {
			q := adaptersv1.ReplaceDeveloperMessagesRequest{Payload: payload(req), Messages: make([]adaptersv1.Message, len(messages))}
			for i, m := range messages {
				q.Messages[i] = adaptersv1.Message{ID: wtf8.ToUTF8(m.ID), Content: wtf8.ToUTF8(m.Content)}
			}
			value, err := callAdapter(ctx, g, offer.ID, abi.ReplaceDeveloperMessagesV1, req, q)
			if err != nil || value == nil {
				return nil, err
			}
			return bytesAnswer(g, abi.ReplaceDeveloperMessagesV1, value)
		}
	}
	return a
}

// maxPayloadV1 is the largest payload that is handed to a guest. Adapters of version 1 hold the whole
// of it, twice when they change it, in memory that is bounded as well.
const maxPayloadV1 = 16 << 20

func callAdapter(ctx context.Context, g *runtime.Guest, offer, op string, req *PayloadRequest, message any) ([]byte, error) {
	if len(req.Payload) > maxPayloadV1 {
		return nil, &runtime.Error{Kind: runtime.KindRefused, Guest: g.Name(), Func: op, Reason: fmt.Sprintf(
			"a payload of %d bytes is more than adapters of version 1 are handed (%d)", len(req.Payload), maxPayloadV1)}
	}
	request, err := abi.Encode(message)
	if err != nil {
		return nil, err
	}
	return g.Call(ctx, runtime.Call{Op: op, Offer: offer, Session: req.SessionID, Request: request, PayloadBytes: len(req.Payload)})
}

// ErrNotText is wrapped by the error of a contribution whose answer is something other than a text.
var ErrNotText = errors.New("the answer is not a text")

func textAnswer(g *runtime.Guest, op string, value []byte) (string, error) {
	s, err := abi.Text(value)
	if err != nil {
		return "", &runtime.Error{Kind: runtime.KindBadAnswer, Guest: g.Name(), Func: op, Reason: err.Error(), Err: errors.Join(ErrNotText, err)}
	}
	return s, nil
}

func bytesAnswer(g *runtime.Guest, op string, value []byte) ([]byte, error) {
	b, err := abi.Bytes(value)
	if err != nil {
		return nil, &runtime.Error{Kind: runtime.KindBadAnswer, Guest: g.Name(), Func: op, Reason: err.Error(), Err: err}
	}
	return b, nil
}
