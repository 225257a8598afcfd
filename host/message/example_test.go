package message_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
)

// A chunk is read from a provider's stream. The block in it becomes the content of a message, which goes
// into a log as JSON. What this package does not know, here the block's lang, stays.
func Example() {
	chunk, err := message.ParseChunk([]byte(
		`{"type":"block-end","index":0,"block":{"type":"text","text":"Quay A is free.","lang":"en"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := message.Message{
		ID: "m-1", Role: message.Assistant, Content: []message.Block{*chunk.Block},
		Source: message.Source{Kind: message.FromModel, Provider: "northwind", Model: "nw-large"},
	}
	stored := m.AppendJSON(nil)
	fmt.Println(string(stored))

	again, err := message.ParseMessage(stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Source.Serving(), again.Content[0].Text)
	// Output:
	// {"id":"m-1","role":"assistant","content":[{"type":"text","text":"Quay A is free.","lang":"en"}],"source":{"kind":"model","provider":"northwind","model":"nw-large"}}
	// northwind/nw-large Quay A is free.
}

// Other content needs another replay state, so the old one goes. Fields that are not known stay.
func ExampleMessage_WithContent() {
	m, err := message.ParseMessage([]byte(`{"id":"m-1","role":"assistant","content":[{"type":"text","text":"a secret"}],` +
		`"source":{"kind":"model","provider":"p","model":"m","replayState":{"response":{}}},"pinned":true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m = m.WithContent([]message.Block{{Type: message.Text, Text: "(removed)"}})
	fmt.Println(string(m.AppendJSON(nil)))
	// Output:
	// {"id":"m-1","role":"assistant","content":[{"type":"text","text":"(removed)"}],"source":{"kind":"model","provider":"p","model":"m"},"pinned":true}
}

// A failed finish has the facts that a program decides by.
func ExampleFailure() {
	chunk, err := message.ParseChunk([]byte(`{"type":"finish","reason":{"kind":"error","failure":` +
		`{"message":"slow down","code":"RATE_LIMIT","status":429,"providerRetryAfterMs":1500}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	failure := chunk.Reason.Failure
	fmt.Println(failure, failure.Status, failure.RetryAfterMS)
	// Output: slow down (RATE_LIMIT) 429 1500
}
