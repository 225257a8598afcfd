package message_test

import "github.com/pintle-wasm/pintle/guests/sdk/go/message"

// In a guest this stands in an init function.
func ExampleHandle() {
	message.Handle("deploy/care", func(c *message.Context) (string, error) {
		if !c.ToolActive("deploy") {
			return "", nil // nothing to say in this turn
		}
		return "Deploy to the test quay first.", nil
	})
}
