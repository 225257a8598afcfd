package sidecar

import (
	"cmp"
	"fmt"
	"os"
	"testing"

	"github.com/pintle-wasm/pintle/runtime"
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
		return m.Run()
	}())
}

// patient returns options with which a test that reads gets what is said at the end, and what it renders, and
// guests answer, however busy the machine is.
func patient(o Options) Options {
	o.CacheDir = cmp.Or(o.CacheDir, cacheDir)
	o.Limits, o.RenderPatience, o.Flush = runtime.Limits{Time: slack}, slack, slack
	return o
}
