//go:build !(wasmtime && cgo)

package main

import (
	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// engines are those of this build, the default one first.
func engines() []runtime.Engine { return []runtime.Engine{wazero.New(wazero.Config{})} }

// addEngineFlag has nothing to do: there is no choice.
func addEngineFlag(*cobra.Command) {}

// chosenEngine returns nil, the host's own engine.
func chosenEngine(*cobra.Command) runtime.Engine { return nil }
