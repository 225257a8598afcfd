package payload_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
)

// A host whose payload holds more than JSON can carry out the answer on its own copy.
func ExampleResult_Edits() {
	r := &registry.Registry{}
	_, err := r.RegisterAdapter(registry.Adapter{
		Provider: "toy",
		ReplaceDeveloperMessages: func(_ context.Context, _ *registry.PayloadRequest, messages []registry.Message) ([]byte, error) {
			return fmt.Appendf(nil, `{"model":"m","notes":[%q],"turns":[1,2]}`, messages[0].Content), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	base := "Built by the host."
	state := envelope.State{Base: &base, Prompt: &base, Provider: "toy", Messages: []registry.Message{{ID: "style", Content: "Be brief."}}}
	result, err := payload.ApplyState(context.Background(), r, state, registry.PayloadRequest{
		Provider: "toy", Payload: []byte(`{"model":"m","notes":["Be long."],"turns":[1,2]}`),
	}, payload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range result.Edits() {
		fmt.Println(e.Op, e.At, string(e.Value))
	}
	// Output: set ["notes",0] "Be brief."
}
