package wasmbin_test

import (
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// A module is read, looked at, and rewritten for the engine.
func ExampleModule_Instrument() {
	file := (&wasmtest.Module{Pages: 1, Globals: 2, Functions: []wasmtest.Function{
		{Export: "count", Type: wasmtest.SigNone, Code: wasmtest.Loop(wasmtest.GlobalGet(0), wasmtest.GlobalSet(1))},
	}}).Encode()

	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		log.Fatal(err)
	}
	count, _ := m.Export("count")
	fmt.Println("count is", count.Type)

	out, err := m.Instrument()
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range out.Globals {
		fmt.Println("global", g.Index, g.Type, "is exported as", g.Export)
	}
	fmt.Println("fresh:", len(out.Fresh) > 0, "start:", out.Start, "writes:", out.Writes)
	// Output:
	// count is () -> ()
	// global 0 i32 is exported as $pintle.global.0
	// global 1 i32 is exported as $pintle.global.1
	// fresh: false start: false writes: false
}

// Code beyond core 2.0 is refused with the name of what it uses.
func ExampleUnsupportedError() {
	file := (&wasmtest.Module{Functions: []wasmtest.Function{{Code: []byte{0x12, 0}}}, Pages: 1}).Encode()
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Instrument()
	fmt.Println(err)
	// Output:
	// module not supported: function 0: an instruction of the proposal tail calls (at byte 40)
}
