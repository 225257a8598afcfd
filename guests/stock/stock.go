// Package stock carries the guests that come with Pintle, built and compressed, so that a program that
// embeds the runtime has them without files of its own. They are ordinary guests: their source is in
// guests/adapters, and the build is reproducible with the toolchain named in the file go.version.
package stock

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"
)

//go:embed adapters.wasm.gz
var adaptersGz []byte

// AdaptersName is the name under which hosts load the adapters.
const AdaptersName = "adapters.wasm"

var adapters = sync.OnceValues(func() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(adaptersGz))
	if err != nil {
		return nil, fmt.Errorf("stock adapters: %w", err)
	}
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("stock adapters: %w", err)
	}
	return file, nil
})

// APIs returns the provider APIs that Adapters has adapters for.
func APIs() []string {
	return []string{"openai-codex-responses", "openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai"}
}

// Adapters returns the guest with the payload adapters for the provider APIs of [APIs]. The slice is
// shared and must not be changed.
func Adapters() ([]byte, error) { return adapters() }
