package templates_test

import (
	"fmt"
	"io/fs"
	"log"
	"strings"

	"github.com/pintle-wasm/pintle/guests/templates"
)

func ExampleOf() {
	template, err := templates.Of("go", "contribution")
	if err != nil {
		log.Fatal(err)
	}
	text, err := fs.ReadFile(template, "pintle.toml")
	if err != nil {
		log.Fatal(err)
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(string(text), "{{name}}", "hello"), "\n")
	fmt.Println(first)
	// Output: id = "example/hello"
}
