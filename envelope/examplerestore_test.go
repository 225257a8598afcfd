package envelope_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// A process that takes another one's place goes on with what that knew of a session.
func ExampleService_Restore() {
	first := &envelope.Service{Registry: &registry.Registry{}}
	turn := envelope.Request{SessionID: "s1", CWD: "/srv", Options: registry.PromptOptions{CustomPrompt: "You are Harbour."}}
	if _, err := first.Capture(context.Background(), turn); err != nil {
		log.Fatal(err)
	}
	state, _ := first.PayloadState("s1")
	kept, err := json.Marshal(state)
	if err != nil {
		log.Fatal(err)
	}

	second := &envelope.Service{Registry: &registry.Registry{}}
	if err := json.Unmarshal(kept, &state); err != nil {
		log.Fatal(err)
	}
	second.Restore("s1", &turn, &state)
	again, _ := second.PayloadState("s1")
	fmt.Println(*again.Prompt)
	// Output: You are Harbour.
}
