package jsbundle_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

func Example() {
	dir, err := os.MkdirTemp("", "guest-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	source := `import { registerDeveloperMessageContribution } from "pintle";
registerDeveloperMessageContribution({ id: "tide", content: "Mind the tide." });`
	if err := os.WriteFile(filepath.Join(dir, "index.ts"), []byte(source), 0o600); err != nil {
		panic(err)
	}
	entry, err := jsbundle.Entry(dir)
	if err != nil {
		panic(err)
	}
	script, err := jsbundle.Bundle(context.Background(), dir, entry, jsbundle.Asks{})
	if err != nil {
		panic(err)
	}
	fmt.Println(entry, jsbundle.TypeScript(entry), strings.Contains(script.Code, "Mind the tide."))
	// Output: index.ts true true
}

func ExampleExports() {
	fmt.Println(jsbundle.Exports()[:3])
	// Output: [registerDeveloperMessageContribution registerSystemPromptPayloadAdapter registerPayloadAdapter]
}
