package csdk_test

import (
	"fmt"
	"io/fs"

	csdk "github.com/pintle-wasm/pintle/guests/sdk/c"
)

// A project that has its own copy of the SDK has these files in its folder pintle.
func Example() {
	names, err := fs.Glob(csdk.Files, "pintle.*")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(names)
	// Output: [pintle.c pintle.h]
}
