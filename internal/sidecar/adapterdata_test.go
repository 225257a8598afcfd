package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/registry"
)

func timeOf(text string) (func() time.Time, error) {
	now, err := time.Parse(time.RFC3339, text)
	return func() time.Time { return now.UTC() }, err
}

// registerAdapter registers an adapter of the client's process. That of the Codex package is left to the
// sidecar.
func (p *pi) registerAdapter(s *step) (any, error) {
	if s.Adapter[0] == '"' {
		p.handles[cmpOr(s.Handle, "openai-codex")] = func() {}
		return object{"ok": true}, nil
	}
	data, _ := ordered.ParseObject(s.Adapter)
	a := registry.Adapter{}
	a.Provider, _ = data.Text("provider")
	a.ReadSystemPrompt = readerOf(data.Get("read"))
	write := writerOf(data.Get("write"))
	a.ReplaceSystemPrompt = func(_ context.Context, req *registry.PayloadRequest, text string) ([]byte, error) {
		raw, err := wideText(text).MarshalJSON()
		if err != nil {
			return nil, err
		}
		return write(req.Payload, raw)
	}
	if raw := notNull(data.Get("developer")); raw != nil {
		place := writerOf(raw)
		a.ReplaceDeveloperMessages = func(_ context.Context, req *registry.PayloadRequest, messages []registry.Message) ([]byte, error) {
			list, err := json.Marshal(messages)
			if err != nil {
				return nil, err
			}
			return place(req.Payload, list)
		}
	}
	if p.adapters.Lookup == registry.BySpecificity {
		switch raw := notNull(data.Get("api")); {
		case raw == nil:
		case raw[0] == '[':
			a.APIs = texts(raw)
		default:
			api, _ := data.Text("api")
			a.APIs = []string{api}
		}
		a.Model, _ = data.Text("model")
		if prefix, ok := data.Text("modelPrefix"); ok {
			a.ModelMatches = func(model string) bool { return strings.HasPrefix(model, prefix) }
		}
		if raw := notNull(data.Get("enabled")); raw != nil {
			a.Enabled = func(string, string, string) bool { return string(raw) == "true" }
		}
	}
	reg, err := p.adapters.RegisterAdapter(a)
	if err != nil {
		return object{"error": err.Error(), "errorKind": "provider-required"}, nil
	}
	p.handles[cmpOr(s.Handle, a.Provider)] = reg.Unregister
	return object{"ok": true}, nil
}

func readerOf(raw json.RawMessage) func(context.Context, *registry.PayloadRequest) (string, bool, error) {
	o, _ := ordered.ParseObject(raw)
	return func(_ context.Context, req *registry.PayloadRequest) (string, bool, error) {
		if message, ok := o.Text("throw"); ok {
			return "", false, errors.New(message)
		}
		if field, ok := o.Text("field"); ok {
			payload, _ := ordered.ParseObject(req.Payload)
			text, ok := payload.Text(field)
			return text, ok, nil
		}
		text, ok := o.Text("const")
		return text, ok, nil
	}
}

func writerOf(raw json.RawMessage) func(payload, value []byte) ([]byte, error) {
	o, _ := ordered.ParseObject(raw)
	return func(payload, value []byte) ([]byte, error) {
		if message, ok := o.Text("throw"); ok {
			return nil, errors.New(message)
		}
		field, ok := o.Text("field")
		if !ok {
			return nil, nil
		}
		object, _ := ordered.ParseObject(payload)
		object.Set(field, value)
		return object.JSON(), nil
	}
}

// wireEdit is an edit as the client gets it.
type wireEdit struct {
	Op    string
	Path  []json.RawMessage
	Value json.RawMessage
}

// carryOut makes the edits in a payload.
func carryOut(payload json.RawMessage, edits []wireEdit) (json.RawMessage, error) {
	if len(edits) == 1 && len(edits[0].Path) == 0 {
		return edits[0].Value, nil
	}
	var list []adaptersv2.Edit
	for _, e := range edits {
		at := adaptersv2.Address{}
		for _, raw := range e.Path {
			var name string
			var index uint64
			if json.Unmarshal(raw, &name) == nil {
				at = append(at, adaptersv2.Member(name))
			} else if err := json.Unmarshal(raw, &index); err == nil {
				at = append(at, adaptersv2.Index(index))
			} else {
				return nil, err
			}
		}
		list = append(list, adaptersv2.Edit{Op: adaptersv2.Op(e.Op), At: at, Value: adaptersv2.JSON(e.Value)})
	}
	view, err := payloadview.Rewriting().Scan(payload)
	if err != nil {
		return nil, err
	}
	plan, err := view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: list}})
	if err != nil {
		return nil, err
	}
	return bytes.Join(plan.Pieces(payloadview.MessagesPart), nil), nil
}
