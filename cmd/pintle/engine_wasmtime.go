//go:build wasmtime && cgo

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wasmtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// engines are those of this build, the default one first.
func engines() []runtime.Engine {
	return []runtime.Engine{wazero.New(wazero.Config{}), wasmtime.New()}
}

func addEngineFlag(root *cobra.Command) {
	name := engineName("wazero")
	root.PersistentFlags().Var(&name, "engine", "what runs guests: wazero, or wasmtime, which has no cache")
}

// chosenEngine returns the engine that the flag names, nil for the host's own.
func chosenEngine(cmd *cobra.Command) runtime.Engine {
	if cmd.Flag("engine").Value.String() == "wasmtime" {
		return wasmtime.New()
	}
	return nil
}

// An engineName is the value of the flag.
type engineName string

func (e *engineName) String() string { return string(*e) }

func (e *engineName) Type() string { return "name" }

func (e *engineName) Set(name string) error {
	if name != "wazero" && name != "wasmtime" {
		return fmt.Errorf("there is no engine %q; there are wazero and wasmtime", name)
	}
	*e = engineName(name)
	return nil
}
