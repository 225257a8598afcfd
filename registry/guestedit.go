package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/runtime"
)

// codeUseV1 is the code of the error with which a guest asks for its adapter of version 1.
const codeUseV1 = "use-v1"

// editOf makes the Edit of an adapter of version 2.
func editOf(g *runtime.Guest, offer *abi.Adapter) func(context.Context, *PayloadRequest, string, []Message) (*Edits, error) {
	program := payloadview.Compile(offer.View, offer.Write)
	return func(ctx context.Context, req *PayloadRequest, prompt string, messages []Message) (*Edits, error) {
		view, err := program.Scan(req.Payload)
		if err != nil || view == nil {
			return nil, err
		}
		request, err := editRequest(g.Artifact().Manifest, offer, req, prompt, messages, view)
		if err != nil {
			return nil, err
		}
		var edits *Edits
		read := func(value []byte) (err error) {
			edits, err = editsOf(view, value)
			return err
		}
		value, err := g.Ask(ctx, runtime.Call{Op: abi.EditV2, Offer: offer.ID, Session: req.SessionID, Request: request, Check: read})
		if failure := (*abi.Failure)(nil); errors.As(err, &failure) && failure.Code == codeUseV1 {
			return nil, fmt.Errorf("%w: %w", ErrUseV1, err)
		}
		if err == nil && value != "" && edits == nil { // remembered, from a payload with the same view
			if err := read([]byte(value)); err != nil {
				return nil, &runtime.Error{Kind: runtime.KindBadAnswer, Guest: g.Name(), Func: abi.EditV2, Reason: err.Error(), Err: err}
			}
		}
		return edits, err
	}
}

func editRequest(m *abi.Manifest, offer *abi.Adapter, req *PayloadRequest, prompt string, messages []Message, view *payloadview.View) ([]byte, error) {
	q := adaptersv2.EditRequest{ID: offer.ID, Features: granted(m), Provider: req.Provider, API: req.API,
		SystemPrompt: wtf8.ToUTF8(prompt), Messages: make([]adaptersv2.Message, len(messages)), View: view.CBOR()}
	for i, m := range messages {
		q.Messages[i] = adaptersv2.Message{ID: wtf8.ToUTF8(m.ID), Content: wtf8.ToUTF8(m.Content)}
	}
	return abi.Encode(q)
}

const cborMap = 5 // the major type

func editsOf(view *payloadview.View, value []byte) (*Edits, error) {
	var answer adaptersv2.Answer
	if err := abi.Decode(value, &answer); err != nil {
		return nil, err
	}
	if value[0]>>5 != cborMap { // null would pass
		return nil, errors.New("the answer is not a map")
	}
	plan, err := view.Plan(&answer)
	if err != nil {
		return nil, err
	}
	return &Edits{plan}, nil
}

// behind reports whether an adapter of version 1 is there for what one of version 2 of the same guest
// cannot do.
func behind(m *abi.Manifest, v1 *abi.Adapter) bool {
	return slices.ContainsFunc(m.Adapters, func(a abi.Adapter) bool {
		return a.Interface == abi.ProviderPayloadAdaptersV2 && sameReach(&a, v1)
	})
}

// fallback returns the adapter of version 1 that is there for what one of version 2 cannot do; nil if
// there is none.
func fallback(m *abi.Manifest, v2 *abi.Adapter) *abi.Adapter {
	for i := range m.Adapters {
		if a := &m.Adapters[i]; a.Interface == abi.ProviderPayloadAdaptersV1 && sameReach(a, v2) {
			return a
		}
	}
	return nil
}

// sameReach reports whether two adapters stand for the same providers, APIs and models.
func sameReach(a, b *abi.Adapter) bool {
	return sameSet(a.Providers, b.Providers) && sameSet(a.APIs, b.APIs) && sameSet(a.Models, b.Models)
}

func sameSet(a, b []string) bool { return within(a, b) && within(b, a) }

// within reports whether all of a list is in another one. Lists are short, and most differ at once.
func within(list, of []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(of, s) })
}
