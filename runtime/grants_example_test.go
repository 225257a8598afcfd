package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// A host that lets guests from its own folder keep something, and nobody else do anything but what the
// build before did.
func ExampleOptions_decide() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{
		Decide: func(_ context.Context, q runtime.GrantRequest) (runtime.GrantDecision, error) {
			for _, c := range q.Asks {
				fmt.Printf("%s from %s wants %s: %s\n", q.ID, q.Source, c.Name, c.Reason)
			}
			for _, w := range q.Widened {
				fmt.Printf("version %s wants more: %s\n", q.Version, w)
			}
			if q.Source == "/srv/guests/style.wasm" && q.Previous == nil {
				return runtime.GrantDecision{Accept: true, Capabilities: []string{abi.CapabilityKV}}, nil
			}
			return runtime.GrantDecision{}, nil
		},
	})
	defer r.Close(ctx)

	load := func(version string, asks ...string) (*runtime.Guest, error) {
		m := wasmtest.Manifest() // in life: a file that `pintle build` made
		m.ID, m.Version = "acme/style", version
		for _, name := range asks {
			m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "says each rule once"})
		}
		file := wasmtest.Guest(wasmtest.Module{}, m, wasmtest.Answer(16, 2))
		return r.Load(ctx, "style.wasm", file, runtime.GuestOptions{Source: "/srv/guests/style.wasm"})
	}
	g, err := load("1", abi.CapabilityKV)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("granted:", g.Granted())
	_, err = load("2", abi.CapabilityKV, abi.CapabilityRandom)
	fmt.Println(err)
	// Output:
	// acme/style from /srv/guests/style.wasm wants kv: says each rule once
	// granted: [kv]
	// acme/style from /srv/guests/style.wasm wants kv: says each rule once
	// acme/style from /srv/guests/style.wasm wants random: says each rule once
	// version 2 wants more: capability "random"
	// guest acme/style@2: denied: it wants more than version 1 had: capability "random"
}

func ExampleWidened() {
	before, after := wasmtest.Manifest(), wasmtest.Manifest()
	after.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	after.State = abi.StateSession
	for _, w := range runtime.Widened(before, after, runtime.Limits{}) {
		fmt.Println(w)
	}
	// Output:
	// contribution "a" sees prompt
	// state session: its memory lives as long as the session
}

func ExampleWidenings() {
	before, after := wasmtest.Manifest(), wasmtest.Manifest()
	after.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	for _, w := range runtime.Widenings(before, after, runtime.Limits{}) {
		fmt.Println(w.Part, w.ID, w.Field)
	}
	// Output: contribution a needs
}
