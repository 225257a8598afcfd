package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

func newGrants() *cobra.Command {
	return &cobra.Command{
		Use:   "grants",
		Short: "List what guests were granted",
		Long: `List what guests were granted, by the file that they come from. A grant is for one file and the id in it.
Another build in its place gets the same if it asks for no more; otherwise it is refused until pintle grant
or pintle revoke has been run.

The grants are kept in pintle/grants.json in the user's configuration directory.

` + exitHelp,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := userGrants()
			if err != nil {
				return err
			}
			grants, err := f.all()
			if err != nil {
				return err
			}
			return printGrants(cmd, grants)
		},
	}
}

// A listedGrant is a grant as data.
type listedGrant struct {
	Source  string   `json:"source"`
	ID      string   `json:"id"`
	Version string   `json:"version"`
	SHA256  string   `json:"sha256"`
	Granted []string `json:"granted"`
	// Asked is what the build that was decided about asks for.
	Asked []abi.Capability `json:"asked"`
}

func listed(r grantRecord) (listedGrant, error) {
	g, err := r.grant()
	l := listedGrant{r.Source, r.ID, r.Version, r.SHA256, append([]string{}, r.Capabilities...), []abi.Capability{}}
	if err == nil {
		l.Asked = append(l.Asked, g.Manifest.Capabilities...)
	}
	return l, err
}

func printGrants(cmd *cobra.Command, records []grantRecord) error {
	p := newPrinter(cmd.OutOrStdout())
	list := make([]listedGrant, len(records))
	var bad error
	for i, r := range records {
		var err error
		list[i], err = listed(r)
		bad = errors.Join(bad, err)
		if asJSON(cmd) {
			continue
		}
		if i > 0 {
			p.printf("\n")
		}
		list[i].print(p)
	}
	if asJSON(cmd) {
		return errors.Join(printJSON(cmd, list), bad)
	}
	if len(list) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "pintle: nothing has been granted")
	}
	return errors.Join(p.err, bad)
}

func (g *listedGrant) print(p *printer) {
	p.printf("%s\n", p.paint(bold, oneLine(g.ID+"@"+g.Version, 200)))
	p.printf("  source       %s\n  sha256       %s\n", oneLine(g.Source, 400), oneLine(g.SHA256, 64))
	p.printf("  granted      %s\n", orDefault(oneLine(strings.Join(g.Granted, ", "), 200), "nothing"))
	if without := g.without(); len(without) > 0 {
		p.printf("  not granted  %s\n", strings.Join(without, ", "))
	}
}

// without lists what was asked for and could be granted and is not.
func (g *listedGrant) without() []string {
	var without []string
	for _, name := range runtime.Grantable() {
		asked := slices.ContainsFunc(g.Asked, func(c abi.Capability) bool { return c.Name == name })
		if asked && !slices.Contains(g.Granted, name) {
			without = append(without, name)
		}
	}
	return without
}

func newRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke FILE…",
		Short: "Take back what guests from a file were granted",
		Long: `Take back what guests from a file were granted, and forget the file. It need not exist any more. What was
granted before it was loaded stays with a program that is running.

` + exitHelp,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeSources,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := userGrants()
			if err != nil {
				return err
			}
			var sources []string
			for _, path := range args {
				source, err := filepath.Abs(path)
				if err != nil {
					return &usageError{err: err}
				}
				sources = append(sources, source)
			}
			removed, err := f.remove(sources)
			if err != nil {
				return err
			}
			for i, source := range sources {
				if !slices.ContainsFunc(removed, func(r grantRecord) bool { return r.Source == source }) {
					err = errors.Join(err, fmt.Errorf("nothing was granted to %s", args[i]))
				}
			}
			if asJSON(cmd) {
				return errors.Join(printGrants(cmd, removed), hinted(err))
			}
			p := newPrinter(cmd.OutOrStdout())
			for _, g := range removed {
				p.printf("revoked: %s from %s\n", oneLine(g.ID, 200), oneLine(g.Source, 400))
			}
			return errors.Join(p.err, hinted(err))
		},
	}
}

// A hintedError says what to do.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

func hinted(err error) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, "`pintle grants` lists what was granted"}
}

// completeSources offers the files that something was granted to.
func completeSources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	f, err := userGrants()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	grants, _ := f.all() // the command itself says what is wrong
	var sources []string
	for _, g := range grants {
		if !slices.Contains(sources, g.Source) {
			sources = append(sources, g.Source)
		}
	}
	return sources, cobra.ShellCompDirectiveNoFileComp
}
