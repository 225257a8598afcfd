package main

import (
	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of pintle.toml",
		Long: `Print the JSON Schema (draft 2020-12) of pintle.toml, by which editors complete and check it:

  pintle schema > pintle.schema.json

and as the first line of pintle.toml, for editors with Taplo:

  #:schema ./pintle.schema.json

` + exitHelp,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(abi.ManifestSchema())
			return err
		},
	}
}
