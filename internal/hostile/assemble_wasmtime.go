//go:build wasmtime && cgo

package hostile

import (
	"fmt"
	"os"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// Assemble builds the file of an entry from its source, as `pintle build --module` would.
func (c *Corpus) Assemble(e *Entry) ([]byte, error) {
	source, err := os.ReadFile(c.Path(e, ".wat"))
	if err != nil {
		return nil, err
	}
	module, err := wasmtime.Wat2Wasm(string(source))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Path(e, ".wat"), err)
	}
	return guestbuild.Attach(module, e.Manifest())
}
