package abi_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/abi"
)

func ExampleManifestSchema() {
	var schema struct {
		Title    string   `json:"title"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(abi.ManifestSchema(), &schema); err != nil {
		log.Fatal(err)
	}
	fmt.Println(schema.Title, schema.Required)
	// Output: pintle.toml [id version]
}
