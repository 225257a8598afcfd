package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/registry"
)

func newConformance() *cobra.Command {
	return &cobra.Command{
		Use:   "conformance DIR…",
		Short: "Run the vector files of the conformance kit",
		Long: `Run the vector files of the conformance kit. A DIR is a family's folder (developer-messages), a folder
of such folders, or a single file. Cases of adapters go through the stock adapter guest.

It prints a readable difference for each case that fails, a line for each file, and last
"N passed, N failed". The status is 0 only if nothing failed and at least one case ran.

` + exitHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			adapters := &guestAdapters{cmd: cmd, hosts: map[[2]string]*host.Host{}}
			defer func() { err = errors.Join(err, adapters.close(cmd.Context())) }()
			var unwritten error
			report := func(r conformance.FileResult) {
				if !asJSON(cmd) {
					unwritten = cmp.Or(unwritten, r.WriteText(cmd.OutOrStdout()))
				}
			}
			sum, err := conformance.Run(cmd.Context(), args, adapters.find, report)
			if asJSON(cmd) {
				unwritten = printJSON(cmd, sum)
			} else {
				_, last := fmt.Fprintln(cmd.OutOrStdout(), sum)
				unwritten = cmp.Or(unwritten, last)
			}
			if unwritten != nil {
				return unwritten
			}
			if err != nil {
				return &usageError{err: err, hint: "a path is a folder named after a family, a folder of such folders, or one vector file"}
			}
			if sum.Failed > 0 {
				return errQuiet
			}
			return nil
		},
	}
}

// guestAdapters runs the stock adapter guest once for each configuration that cases ask for.
type guestAdapters struct {
	cmd   *cobra.Command
	hosts map[[2]string]*host.Host
}

func (g *guestAdapters) find(api, compat, developerRole string) (registry.Adapter, error) {
	key := [2]string{compat, developerRole}
	h, ok := g.hosts[key]
	if !ok {
		file, err := stock.Adapters()
		if err != nil {
			return registry.Adapter{}, err
		}
		h = openHost(g.cmd)
		g.hosts[key] = h
		done := slow(g.cmd.ErrOrStderr(), "compiling "+stock.AdaptersName)
		_, err = h.Load(g.cmd.Context(), stock.AdaptersName, file, map[string]string{"compat": compat, "developerRole": developerRole})
		done()
		if err != nil {
			return registry.Adapter{}, err
		}
	}
	const anyProvider = "any"
	a, _, ok := h.Registry.FindAdapter(anyProvider, api, "")
	if !ok {
		return a, fmt.Errorf("the stock adapters have none for api %q", api)
	}
	return a, nil
}

func (g *guestAdapters) close(ctx context.Context) error {
	var errs []error
	for _, h := range g.hosts {
		errs = append(errs, h.Close(ctx))
	}
	return errors.Join(errs...)
}
