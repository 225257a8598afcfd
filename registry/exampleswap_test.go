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

// A new build is in use at once; the old one ends with the turns that began with it.
func ExampleGuest_Swap() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer r.Close(ctx)
	load := func(text string) *runtime.Guest {
		g, err := r.Load(ctx, "style.wasm", wasmtest.Says(text), runtime.GuestOptions{})
		if err != nil {
			log.Fatal(err)
		}
		return g
	}
	var reg registry.Registry
	old := load("Be brief.")
	guest, err := reg.AddGuest(old)
	if err != nil {
		log.Fatal(err)
	}
	turn, release := reg.Hold()
	if err := guest.Swap(ctx, load("Answer in verse.")); err != nil {
		log.Fatal(err)
	}
	text, err := turn.Contributions[0].Render(ctx, &registry.RenderContext{})
	fmt.Println(text, err)
	text, err = reg.Snapshot().Contributions[0].Render(ctx, &registry.RenderContext{})
	fmt.Println(text, err)
	release()
	fmt.Println(guest.Drain(ctx), old.Hold())
	// Output:
	// Be brief. <nil>
	// Answer in verse. <nil>
	// <nil> false
}
