package registry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// One contribution of a guest is asked alone, without a registry.
func ExampleContributionOf() {
	ctx := context.Background()
	run := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer run.Close(ctx)
	file := wasmtest.Says("Answer briefly.") // in life: a file that `pintle build` made
	g, err := run.Load(ctx, "style.wasm", file, runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	offers := g.Artifact().Manifest.Contributions
	c, ok := registry.ContributionOf(g, offers[0].ID)
	if !ok {
		log.Fatal("there is none")
	}
	text, err := c.Render(ctx, &registry.RenderContext{SessionID: "s1"})
	fmt.Println(text, err)
	_, ok = registry.AdapterOf(g, offers[0].ID)
	fmt.Println(ok)
	// Output:
	// Answer briefly. <nil>
	// false
}
