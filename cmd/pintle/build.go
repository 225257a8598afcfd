package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

func newBuild() *cobra.Command {
	var opts guestbuild.Options
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Compile a guest and write its manifest into it",
		Long: `Compile the sources in DIR, by default the folder that you are in, as a guest, write the manifest from its
pintle.toml into it, and check that the two fit. The file is written only if they do.

What is there decides the language: go.mod or *.go is Go, Cargo.toml, src/lib.rs or lib.rs Rust, asconfig.json or
assembly/index.ts AssemblyScript, *.c C, and package.json or an index or main file TypeScript or JavaScript,
which need no compiler. A module of another language is compiled first and named with --module.

` + jsonErrorHelp + "\n\n" + exitHelp,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Dir = dirOrFile(args)
			return runBuild(cmd, opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Out, "output", "o", "", "`FILE` to write (default: DIR/<name of DIR>.wasm)")
	cmd.Flags().StringVar(&opts.Module, "module", "", "`FILE` with a module that is already compiled")
	_ = cmd.MarkFlagFilename("output", "wasm")
	_ = cmd.MarkFlagFilename("module", "wasm")
	return cmd
}

// A buildReport is the outcome of `pintle build` as data.
type buildReport struct {
	File     string         `json:"file"`
	Name     string         `json:"name"`
	SHA256   string         `json:"sha256"`
	Size     int            `json:"size"`
	Version  string         `json:"version"`
	Language string         `json:"language,omitempty"` // absent for a module that was compiled before
	Offers   []offeredThing `json:"offers"`
	Warnings []string       `json:"warnings"`
}

// An offeredThing is a contribution or an adapter of a guest.
type offeredThing struct {
	Interface string `json:"interface"`
	ID        string `json:"id"`
}

func runBuild(cmd *cobra.Command, opts guestbuild.Options) error {
	r := buildReport{Warnings: []string{}}
	opts.Stderr, opts.CacheDir = cmd.ErrOrStderr(), cacheDir(cmd)
	opts.Warn = func(message string) { r.Warnings = append(r.Warnings, message) }
	what := "building " + opts.Dir
	if opts.Module == "" {
		if language, err := guestbuild.LanguageOf(opts.Dir); err == nil {
			r.Language = language
			what += " (" + language + ")"
		}
	}
	done := slow(cmd.ErrOrStderr(), what)
	out, a, err := guestbuild.Build(cmd.Context(), opts)
	done()
	for _, w := range r.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s\n", indented(w))
	}
	if err != nil {
		return err
	}
	r.File, r.Name, r.SHA256, r.Size, r.Version = out, a.Manifest.ID, a.Digest(), a.Size, a.Manifest.Version
	r.Offers = offersOf(a.Manifest)
	if asJSON(cmd) {
		return printJSON(cmd, r)
	}
	p := newPrinter(cmd.OutOrStdout())
	p.printf("%s  %s  %s  sha256 %s\n", printable(out), printable(a.Title()), bytesText(a.Size), a.Digest()[:12])
	return p.err
}

func offersOf(m *abi.Manifest) []offeredThing {
	var offers []offeredThing
	for _, c := range m.Contributions {
		offers = append(offers, offeredThing{c.Interface, c.ID})
	}
	for _, a := range m.Adapters {
		offers = append(offers, offeredThing{a.Interface, a.ID})
	}
	return slices.Clip(offers)
}
