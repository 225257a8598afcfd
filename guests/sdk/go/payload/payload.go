// Package payload lets a guest adapt request payloads that are handed to it whole: the interface
// provider-payload-adapters/v1. Package payload/edit has version 2, in which payloads stay in the host;
// it is the better choice wherever it suffices.
//
// An adapter that also places developer messages registers a second function with the package
// payload/developer. It is a package of its own because importing it exports an optional operation,
// which the manifest then has to list.
package payload

import (
	"errors"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
)

// A Request carries a payload.
type Request struct {
	ID       string // the adapter's id in pintle.toml
	Provider string
	API      string // empty if the host does not know it
	Payload  []byte // the request body, JSON; must not be modified
}

// An Adapter reads and replaces the system prompt in the payloads of a provider.
type Adapter struct {
	// Read returns the system prompt that is in the payload; false if there is none.
	Read func(r *Request) (text string, ok bool)
	// ReplaceSystem returns the payload with another system prompt, or nil if the payload is unchanged.
	ReplaceSystem func(r *Request, text string) []byte
}

var adapters = map[string]Adapter{}

// Handle registers an adapter under its id in pintle.toml. Call it from init.
func Handle(id string, a Adapter) { adapters[id] = a }

// Decode reads the part of a request that all operations share.
func Decode(v cbor.Value) *Request {
	r := &Request{}
	r.ID, _ = v.Get("id").Text()
	r.Provider, _ = v.Get("provider").Text()
	r.API, _ = v.Get("api").Text()
	r.Payload, _ = v.Get("payload").Bytes()
	return r
}

// Answer wraps a new payload, nil for unchanged.
func Answer(payload []byte) []byte {
	if payload == nil {
		return cbor.Nothing()
	}
	return cbor.Bytes(payload)
}

func find(v cbor.Value) (*Request, Adapter, error) {
	r := Decode(v)
	a, ok := adapters[r.ID]
	if !ok {
		return nil, a, errors.New("no handler for adapter " + r.ID + "; there are handlers for: " + call.Names(adapters))
	}
	return r, a, nil
}

func read(v cbor.Value) ([]byte, error) {
	r, a, err := find(v)
	if err != nil {
		return nil, err
	}
	if text, ok := a.Read(r); ok {
		return cbor.Text(text), nil
	}
	return cbor.Nothing(), nil
}

func replaceSystem(v cbor.Value) ([]byte, error) {
	r, a, err := find(v)
	if err != nil {
		return nil, err
	}
	text, _ := v.Get("systemPrompt").Text()
	return Answer(a.ReplaceSystem(r, text)), nil
}
