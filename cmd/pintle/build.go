package main

import (
	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

func newBuild() *cobra.Command {
	var opts guestbuild.Options
	cmd := &cobra.Command{
		Use:   "build DIR",
		Short: "Compile a guest and write its manifest into it",
		Long: `Compile the Go package in DIR as a guest, write the manifest from DIR/pintle.toml into it, and check
that the two fit. The file is written only if they do. Go is the language that is compiled; a module of
another language is compiled first and named with --module.

` + exitHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Dir, opts.Stderr = args[0], cmd.ErrOrStderr()
			done := slow(cmd.ErrOrStderr(), "building "+args[0])
			out, a, err := guestbuild.Build(cmd.Context(), opts)
			done()
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return printJSON(cmd, struct {
					File    string `json:"file"`
					Name    string `json:"name"`
					SHA256  string `json:"sha256"`
					Size    int    `json:"size"`
					Version string `json:"version"`
				}{out, a.Manifest.ID, a.Digest(), a.Size, a.Manifest.Version})
			}
			p := newPrinter(cmd.OutOrStdout())
			p.printf("%s  %s  %s  sha256 %s\n", printable(out), printable(a.Title()), bytesText(a.Size), a.Digest()[:12])
			return p.err
		},
	}
	cmd.Flags().StringVarP(&opts.Out, "output", "o", "", "file to write (default: DIR/<name of DIR>.wasm)")
	cmd.Flags().StringVar(&opts.Module, "module", "", "module that is already compiled")
	return cmd
}
