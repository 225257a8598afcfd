package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func newConformance() *cobra.Command {
	var adapters, agent string
	cmd := &cobra.Command{
		Use:   "conformance DIR…",
		Short: "Run the vector files of the conformance kit",
		Long: `Run the vector files of the conformance kit. A DIR is a family's folder (developer-messages), a folder
of such folders, or a single file. Cases of adapters go through the stock adapter guest, or the one given
with --adapters: through its operations of version 1, and where it has adapters of version 2, through
these as well.

With --acp-agent, the cases that drive an agent of the Agent Client Protocol as a process are run, and no
others. The command is started once for each case and is told by two variables of its environment what
stands in for the model and where logs go: ` + conformance.AgentScript + ` is a file with the case's input, whose script has
the model's answers, ` + conformance.AgentSessions + ` a folder for the session logs. When an answer of the script begins to
hang, the agent says "` + conformance.AgentHanging + `" in a line on standard error.

It prints a readable difference for each case that fails, a line for each file, and last
"N passed, N failed". The status is 0 only if nothing failed and at least one case ran.

` + exitHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			source := &guestAdapters{cmd: cmd, hosts: map[[2]string]*host.Host{}}
			if err := source.read(adapters); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, source.close(cmd.Context())) }()
			var unwritten error
			report := func(r conformance.FileResult) {
				if !asJSON(cmd) {
					unwritten = cmp.Or(unwritten, r.WriteText(cmd.OutOrStdout()))
				}
			}
			run := func() (conformance.Summary, error) {
				if cmd.Flags().Changed("acp-agent") {
					return conformance.RunAgent(cmd.Context(), args, strings.Fields(agent), report)
				}
				return conformance.Run(cmd.Context(), args, source.find, report)
			}
			sum, err := run()
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
				hint := "a path is a folder named after a family, a folder of such folders, or one vector file"
				if errors.Is(err, conformance.ErrNothingRun) && cmd.Flags().Changed("acp-agent") {
					hint = "with --acp-agent only the cases of replay/acp.json are run; the path is that file or a folder above it"
				}
				return &usageError{err: err, hint: hint}
			}
			if sum.Failed > 0 {
				return errQuiet
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&adapters, "adapters", "", "adapter guest to check instead of the stock adapters")
	_ = cmd.MarkFlagFilename("adapters", "wasm")
	cmd.Flags().StringVar(&agent, "acp-agent", "", "command of an ACP agent to check, with arguments; split at spaces")
	cmd.MarkFlagsMutuallyExclusive("adapters", "acp-agent")
	return cmd
}

// guestAdapters runs an adapter guest once for each configuration that cases ask for.
type guestAdapters struct {
	cmd   *cobra.Command
	name  string
	file  []byte
	hosts map[[2]string]*host.Host
}

// read reads the guest's file; an empty path is the stock adapters.
func (g *guestAdapters) read(path string) (err error) {
	if path == "" {
		g.name = stock.AdaptersName
		g.file, err = stock.Adapters()
		return err
	}
	g.name = filepath.Base(path)
	if g.file, err = runtime.ReadFile(path); err != nil {
		return &usageError{err: fmt.Errorf("--adapters: %w", err)}
	}
	return nil
}

func (g *guestAdapters) find(api, compat, developerRole string) (registry.Adapter, error) {
	key := [2]string{compat, developerRole}
	h, ok := g.hosts[key]
	if !ok {
		h = openHost(g.cmd)
		g.hosts[key] = h
		done := slow(g.cmd.ErrOrStderr(), "compiling "+g.name)
		_, err := h.Load(g.cmd.Context(), g.name, g.file, runtime.GuestOptions{Config: map[string]string{"compat": compat, "developerRole": developerRole}})
		done()
		if err != nil {
			return registry.Adapter{}, err
		}
	}
	// The stock adapters are there for any provider; others may name the one whose requests the cases have.
	const anyProvider, codex = "any", "openai-codex"
	a, _, ok := h.Registry.FindAdapter(anyProvider, api, "")
	if !ok {
		a, _, ok = h.Registry.FindAdapter(codex, api, "")
	}
	if !ok {
		return a, fmt.Errorf("%s has no adapter for api %q", g.name, api)
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
