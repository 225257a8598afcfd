package proof_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func ExampleCheck() {
	guest := wasmtest.Says("hello")
	m, err := wasmbin.Parse(guest, wasmbin.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	rewritten, err := m.Instrument()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proof.Check(rewritten.Bytes))
	fmt.Println(proof.Check(guest))
	// Output:
	// <nil>
	// rewritten module not proved, offset 0x0: tick or grow is not imported
}
