//go:build !wasip1

package sdk_test

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/guests/sdk"
)

func ExampleGo() {
	files, err := sdk.Go("example/hello/pintle")
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(files["message/message.go"]) {
		if strings.Contains(line, `"example/hello/`) {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// pintle "example/hello/pintle"
	// "example/hello/pintle/internal/call"
	// "example/hello/pintle/internal/cbor"
}
