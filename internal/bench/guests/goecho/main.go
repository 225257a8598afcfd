// Command goecho is the Go guest of the comparison: it answers the prompt that it is given.
package main

import "github.com/pintle-wasm/pintle/guests/sdk/go/message"

func init() {
	message.Handle("echo", func(c *message.Context) (string, error) { return c.Prompt, nil })
}

func main() {}
