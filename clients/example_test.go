package clients_test

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/clients"
)

func ExampleProtocolSchema() {
	var schema struct {
		Defs map[string]struct{ Required []string } `json:"$defs"`
	}
	if err := json.Unmarshal(clients.ProtocolSchema(), &schema); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.Defs["stream/open.result"].Required)
	// Output: [stream window]
}
