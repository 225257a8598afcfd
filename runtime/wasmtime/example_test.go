//go:build wasmtime && cgo

package wasmtime_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wasmtime"
)

func Example() {
	ctx := context.Background()
	r := runtime.New(wasmtime.New(), runtime.Options{})
	defer r.Close(ctx)
	file, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	if err != nil {
		log.Fatal(err)
	}
	g, err := r.Load(ctx, "c.wasm", file, runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name())
	// Output: testdata/c@1.0.0
}
