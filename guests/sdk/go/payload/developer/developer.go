// Package developer adds the optional operation of provider-payload-adapters/v1: placing developer
// messages in a payload. A guest that imports it lists replace_developer_messages under operations of
// the adapters concerned.
package developer

import (
	"errors"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
)

// A Message is one developer message.
type Message struct{ ID, Content string }

var handlers = map[string]func(*payload.Request, []Message) []byte{}

// Handle registers the function that returns the payload in which the managed developer messages are
// exactly those given, or nil if the payload is unchanged. The id is that of an adapter registered
// with package payload. Call it from init.
func Handle(id string, replace func(r *payload.Request, messages []Message) []byte) {
	handlers[id] = replace
}

func replace(v cbor.Value) ([]byte, error) {
	r := payload.Decode(v)
	handler, ok := handlers[r.ID]
	if !ok {
		return nil, errors.New("no developer message handler for adapter " + r.ID + "; there are handlers for: " + call.Names(handlers))
	}
	var messages []Message
	for _, item := range v.Get("messages").List() {
		var m Message
		m.ID, _ = item.Get("id").Text()
		m.Content, _ = item.Get("content").Text()
		messages = append(messages, m)
	}
	return payload.Answer(handler(r, messages)), nil
}
