package sidecar

import (
	"fmt"
	"os"
	"testing"
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
