package sidecar

import (
	"fmt"
	"os"
	"testing"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// cacheDir keeps compiled guests for all tests of the package.
var cacheDir string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "pintle-sidecar-*")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		cacheDir = dir
		jsonrpc.DefaultLimits.Flush = slack // what is said at the end reaches a test that reads, on a busy machine too
		return m.Run()
	}())
}
