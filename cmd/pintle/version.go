package main

import (
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// version is that of the command.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the command, its engines, and the transports and interfaces that it knows",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := struct {
				Version    string   `json:"version"`
				Go         string   `json:"go"`
				Platform   string   `json:"platform"`
				Engines    []string `json:"engines"`
				Transport  int      `json:"transport"`
				Transports []string `json:"transports"`
				Interfaces []string `json:"interfaces"`
			}{version(), goruntime.Version(), goruntime.GOOS + "/" + goruntime.GOARCH, nil, abi.Transport, runtime.Transports(), nil}
			for _, e := range engines() {
				v.Engines = append(v.Engines, e.Name())
			}
			for _, it := range abi.Interfaces() {
				v.Interfaces = append(v.Interfaces, it.ID)
			}
			if asJSON(cmd) {
				return printJSON(cmd, v)
			}
			p := newPrinter(cmd.OutOrStdout())
			p.printf("pintle %s\n  %s %s\n", v.Version, v.Go, v.Platform)
			for _, name := range v.Engines {
				p.printf("  engine %s\n", name)
			}
			for _, name := range v.Transports {
				p.printf("  transport %s\n", name)
			}
			for _, id := range v.Interfaces {
				p.printf("  interface %s\n", id)
			}
			return p.err
		},
	}
}
