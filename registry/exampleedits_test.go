package registry_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/registry"
)

// A native adapter of version 2: it names the places, and the payload is never decoded.
func ExamplePlanEdits() {
	at := adaptersv2.Address{adaptersv2.Member("system")}
	adapter := registry.Adapter{
		Provider: "toy",
		Edit: func(_ context.Context, req *registry.PayloadRequest, prompt string, _ []registry.Message) (*registry.Edits, error) {
			return registry.PlanEdits(req.Payload, &adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{
				At:    at,
				Edits: []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON(`"` + prompt + `"`)}},
			}})
		},
	}
	req := &registry.PayloadRequest{Provider: "toy", Payload: []byte(`{"turns":[1.0, 2], "system":"Built by the host."}`)}
	edits, err := adapter.Edit(context.Background(), req, "You are Harbour.", nil)
	if err != nil {
		log.Fatal(err)
	}
	// Whoever applies the edits looks whether the prompt is the one that the host had built.
	fmt.Println(edits.PromptIs("Built by the host."), edits.Changes(true, false))
	fmt.Printf("%s\n", bytes.Join(edits.Pieces(true, true), nil))
	// Output:
	// true true
	// {"turns":[1.0, 2], "system":"You are Harbour."}
}
