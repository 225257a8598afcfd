package parts_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"net/http"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// An SDK's adapter turns a prompt into the SDK's parameters and the SDK's events into parts. This one has a
// model that repeats what it is told. examples/sdk has two for real SDKs.
func Example() {
	ctx := context.Background()
	echo := &parts.Provider{API: "echo", Ask: func(_ context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
		return func(yield func(*stream.Part, error) bool) {
			last := call.Prompt[len(call.Prompt)-1].Content[0].Text
			for _, p := range []*stream.Part{
				{Type: stream.PartTextStart, ID: "1"},
				{Type: stream.PartTextDelta, ID: "1", Delta: last},
				{Type: stream.PartTextEnd, ID: "1"},
				{Type: stream.PartFinish, FinishReason: []byte(`"stop"`)},
			} {
				if !yield(p, nil) {
					return
				}
			}
		}
	}}
	router := &turn.Router{}
	if err := router.Register(echo, "echo"); err != nil {
		log.Fatal(err)
	}
	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	loop := turn.Loop{Session: s, Router: router, Route: message.Route{Provider: "echo", Model: "e-1"}}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: "Which quay?"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Kind, s.Messages()[1].Content[0].Text)
	// Output: completed Which quay?
}

func ExampleFailure() {
	// What an SDK returns, most of the time with the response.
	err, response := errors.New("429 Too Many Requests"), &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"20"}}}
	fmt.Printf("%s\n", parts.Failure(err.Error(), response).Error)
	// Output: {"name":"AI_APICallError","message":"429 Too Many Requests","statusCode":429,"responseHeaders":{"retry-after":"20"}}
}
