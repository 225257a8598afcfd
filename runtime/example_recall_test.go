package runtime_test

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// A guest without state and grants is asked once for each request of a session.
func ExampleGuest_Recall() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{})
	defer r.Close(ctx)
	g, err := r.Load(ctx, "hello.wasm", wasmtest.Says("hello"), runtime.GuestOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := runtime.Call{Op: abi.RenderV1, Session: "s", Request: []byte{0xa1, 0x62, 'i', 'd'}, Shared: runtime.Share([]byte{0x61, 'a'}), Check: abi.CheckText}
	_, known := g.Recall(call)
	fmt.Println(known)

	var u runtime.Usage
	for range 2 {
		value, err := g.Ask(runtime.WithUsage(ctx, &u), call)
		fmt.Println(abi.CheckedText(value), err)
	}
	fmt.Println(u.Calls, u.Remembered, u.Fuel > 0)
	// Output:
	// false
	// hello <nil>
	// hello <nil>
	// 2 1 true
}
