//go:build !wasip1

// Package sdk carries the SDK for guests in Go. Its packages cannot do so themselves, as those of the other
// languages do: what they embed would be in every guest.
package sdk

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

//go:embed go/*.go go/*/*.go go/*/*/*.go
var embedded embed.FS

const (
	// Module is the path of the SDK's package for guests that are in this module, or require it.
	Module     = "github.com/pintle-wasm/pintle/guests/sdk/go"
	ecmaModule = "github.com/pintle-wasm/pintle/internal/ecma"
)

// Go returns the sources of the SDK as packages below the import path at: their text by their paths, with
// slashes. Tests are left out. Nothing in them is imported but the standard library and each other.
func Go(at string) (map[string]string, error) {
	moved := strings.NewReplacer(`"`+Module, `"`+at, `"`+ecmaModule+`"`, `"`+at+`/internal/ecma"`)
	files := map[string]string{"internal/ecma/quote.go": ecma.QuoteSource}
	return files, fs.WalkDir(embedded, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := embedded.ReadFile(name)
		files[strings.TrimPrefix(name, "go/")] = moved.Replace(string(text))
		return err
	})
}
