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
		// However busy the machine is: a test that reads gets what is said at the end, and what it renders, and
		// guests answer.
		jsonrpc.DefaultLimits.Flush, renderPatience, guestLimits.Time = slack, slack, slack
		return m.Run()
	}())
}
