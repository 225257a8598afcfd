package guesttrace_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/internal/guesttrace"
)

func ExampleLines() {
	for _, line := range guesttrace.Lines([]string{
		"pintle/1.panic(i32,i32)", "std::panicking::begin_panic(i32)", "core::panicking::panic_fmt(i32,i32)",
		"tides::sink(i32)", "tides::sink(i32)", "tides::render(i32)",
	}, 8) {
		fmt.Println(line)
	}
	// Output:
	// … 2 frames of the runtime
	// at tides::sink ×2
	// at tides::render
}
