package registry

import (
	"context"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/runtime"
)

func adapterOf(g *runtime.Guest, offer *abi.Adapter) Adapter {
	a := Adapter{APIs: offer.APIs, Source: g.Name(), Hold: holdOf(g)}
	if len(offer.Models) > 0 {
		a.ModelMatches = func(model string) bool { return slices.Contains(offer.Models, model) }
	}
	if offer.Interface == abi.ProviderPayloadAdaptersV2 {
		a.Edit = editOf(g, offer)
		offer = fallback(g.Artifact().Manifest, offer)
	}
	if offer != nil {
		a.askWhole(g, offer)
	}
	return a
}

// askWhole fills in the functions of version 1, which hand the guest the whole payload.
func (a *Adapter) askWhole(g *runtime.Guest, offer *abi.Adapter) {
	payload := func(req *PayloadRequest) adaptersv1.Payload {
		return adaptersv1.Payload{ID: offer.ID, Features: granted(g.Artifact().Manifest),
			Provider: req.Provider, API: req.API, Payload: req.Payload}
	}
	a.ReadSystemPrompt = func(ctx context.Context, req *PayloadRequest) (string, bool, error) {
		value, err := callAdapter(ctx, g, offer.ID, abi.ReadSystemPromptV1, req,
			adaptersv1.ReadSystemPromptRequest{Payload: payload(req)}, checkText)
		if err != nil || value == nil {
			return "", false, err
		}
		return abi.CheckedText(string(value)), true, nil
	}
	a.ReplaceSystemPrompt = func(ctx context.Context, req *PayloadRequest, prompt string) ([]byte, error) {
		value, err := callAdapter(ctx, g, offer.ID, abi.ReplaceSystemPromptV1, req,
			adaptersv1.ReplaceSystemPromptRequest{Payload: payload(req), SystemPrompt: wtf8.ToUTF8(prompt)}, checkBytes)
		if err != nil || value == nil {
			return nil, err
		}
		return abi.Bytes(value)
	}
	if offer.Has(abi.ReplaceDeveloperMessagesV1) {
		a.ReplaceDeveloperMessages = func(ctx context.Context, req *PayloadRequest, messages []Message) ([]byte, error) {
			q := adaptersv1.ReplaceDeveloperMessagesRequest{Payload: payload(req), Messages: make([]adaptersv1.Message, len(messages))}
			for i, m := range messages {
				q.Messages[i] = adaptersv1.Message{ID: wtf8.ToUTF8(m.ID), Content: wtf8.ToUTF8(m.Content)}
			}
			value, err := callAdapter(ctx, g, offer.ID, abi.ReplaceDeveloperMessagesV1, req, q, checkBytes)
			if err != nil || value == nil {
				return nil, err
			}
			return abi.Bytes(value)
		}
	}
}

// maxPayloadV1 is the largest payload that is handed to a guest. Adapters of version 1 hold the whole
// of it, twice when they change it, in memory that is bounded as well.
const maxPayloadV1 = 16 << 20

// callAdapter returns an answer that passed the check, nil for nothing. One that does not pass counts as a
// failure of the guest.
func callAdapter(ctx context.Context, g *runtime.Guest, offer, op string, req *PayloadRequest, message any,
	check func(value []byte) error,
) ([]byte, error) {
	if len(req.Payload) > maxPayloadV1 {
		return nil, &runtime.Error{Kind: runtime.KindRefused, Guest: g.Name(), Func: op, Reason: fmt.Sprintf(
			"a payload of %d bytes is more than adapters of version 1 are handed (%d)", len(req.Payload), maxPayloadV1)}
	}
	request, err := abi.Encode(message)
	if err != nil {
		return nil, err
	}
	return g.Call(ctx, runtime.Call{Op: op, Offer: offer, Session: req.SessionID, Request: request,
		PayloadBytes: len(req.Payload), Check: check})
}
