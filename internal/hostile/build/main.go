//go:build wasmtime && cgo

// Command build assembles the sources of the hostile guests and gives them their manifests.
//
//	go run -tags wasmtime ./internal/hostile/build testdata/guests/hostile
package main

import (
	"fmt"
	"os"

	"github.com/pintle-wasm/pintle/internal/hostile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: build FOLDER")
		os.Exit(2)
	}
	if err := build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(dir string) error {
	corpus, err := hostile.Open(dir)
	if err != nil {
		return err
	}
	for _, e := range corpus.Assembled() {
		file, err := corpus.Assemble(&e)
		if err == nil {
			err = os.WriteFile(corpus.Path(&e, ".wasm"), file, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
