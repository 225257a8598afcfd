package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// A turn whose contribution fails under policy Fail goes out with the last good prompt.
func ExampleService_BeforeTurn() {
	ctx := context.Background()
	r := &registry.Registry{}
	s := &envelope.Service{Registry: r, Policy: registry.Fail}
	prompt := "You are a coding agent."
	turn := envelope.Turn{Request: envelope.Request{SessionID: "s1", Provider: "p", SystemPrompt: &prompt}}
	s.BeforeTurn(ctx, turn)

	_, err := r.Register(registry.Contribution{ID: "index", Render: func(context.Context, *registry.RenderContext) (string, error) {
		return "", errors.New("the index is offline")
	}})
	if err != nil {
		log.Fatal(err)
	}
	result := s.BeforeTurn(ctx, turn)
	fmt.Println(*result.SystemPrompt, result.Fallback)
	fmt.Println(result.Err)
	// Output:
	// You are a coding agent. true
	// developer message "index": the index is offline
}
