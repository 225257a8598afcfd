package guesttest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func ExampleRunner() {
	ctx := context.Background()
	id := wasmtest.Manifest().Contributions[0].ID
	suite, err := guesttest.Parse("cases.json", fmt.Appendf(nil, `[
		{"name": "is brief", "contribution": %q, "text": "Answer briefly."},
		{"name": "is silent", "contribution": %q, "nothing": true}
	]`, id, id))
	if err != nil {
		log.Fatal(err)
	}
	run := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer run.Close(ctx)
	r := &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
		return run.Load(ctx, "style.wasm", wasmtest.Says("Answer briefly."), runtime.GuestOptions{Config: config})
	}}
	defer r.Close(ctx)
	for _, c := range suite.Cases {
		result := r.Run(ctx, c)
		fmt.Println(c.Name, result.Passed)
	}
	// Output:
	// is brief true
	// is silent false
}
