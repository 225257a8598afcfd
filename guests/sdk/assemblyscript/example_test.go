package assemblyscriptsdk_test

import (
	"fmt"
	"io/fs"

	assemblyscriptsdk "github.com/pintle-wasm/pintle/guests/sdk/assemblyscript"
)

// What a guest imports as "pintle/message" is the file message.ts.
func Example() {
	modules, err := fs.Glob(assemblyscriptsdk.Files, "*.ts")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(modules)
	// Output: [developer.ts edit.ts index.ts json.ts message.ts payload.ts quote.ts value.ts view.ts]
}
