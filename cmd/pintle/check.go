package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestcheck"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

func newCheck() *cobra.Command {
	strict := false
	cmd := &cobra.Command{
		Use:   "check [DIR|FILE]",
		Short: "Look over a guest before it is given away: contract, sizes, what it asks for and does not use",
		Long: `Look over the guest that is built in a folder (by default the one that you are in), or a file: whether it keeps
the contract, whether it is what the sources and pintle.toml say, how large it is and what a call begins with, and
whether it uses the capabilities, context fields and limits that it asks for. For that it is loaded in the sandbox,
and asked what the cases beside it ask.

Of code in JavaScript it is looked at what it imports from "pintle" and which words it has, so a capability that
seems to be used may not be. That a context field changes no answer of a case is a warning, since the cases may be
too few.

  ✓ in order   - a note   ! a warning   ✗ an error: a host would refuse it, or every call fails

` + jsonErrorHelp + `

Exit status: 0 no errors; 1 there are errors, or with --strict warnings; 2 the command line or a file cannot be
used.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completesGuests,
		RunE:              func(cmd *cobra.Command, args []string) error { return runCheck(cmd, dirOrFile(args), strict) },
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "let warnings fail the check")
	return cmd
}

// A checkReport is the outcome of `pintle check` as data.
type checkReport struct {
	File      string               `json:"file"`
	Guest     string               `json:"guest"`
	Transport string               `json:"transport"`
	Size      int                  `json:"size"`
	Errors    int                  `json:"errors"`
	Warnings  int                  `json:"warnings"`
	Findings  []guestcheck.Finding `json:"findings"`
}

func runCheck(cmd *cobra.Command, arg string, strict bool) error {
	g, err := findGuest(arg)
	if err != nil {
		return err
	}
	suite, err := casesBeside(cmd.Context(), g)
	if err != nil {
		return err
	}
	about := guestcheck.Of(g.artifact, g.file)
	var r guestcheck.Report
	about.Static(&r)
	if err := g.checkSources(cmd, &r); err != nil {
		return err
	}
	if r.Count(guestcheck.Error) == 0 {
		if err := g.checkRunning(cmd, &r, about, suite); err != nil {
			return err
		}
	}
	out := checkReport{File: g.path, Guest: g.artifact.Title(), Transport: g.artifact.Transport(), Size: g.artifact.Size,
		Errors: r.Count(guestcheck.Error), Warnings: r.Count(guestcheck.Warning), Findings: r.Findings}
	if asJSON(cmd) {
		err = printJSON(cmd, out)
	} else {
		err = out.print(newPrinter(cmd.OutOrStdout()))
	}
	if err == nil && (out.Errors > 0 || strict && out.Warnings > 0) {
		return errQuiet
	}
	return err
}

// checkSources compares the guest with what stands beside it.
func (g *ownGuest) checkSources(cmd *cobra.Command, r *guestcheck.Report) error {
	if !exists(filepath.Join(g.dir, guestbuild.ManifestFile)) {
		return nil
	}
	again := fmt.Sprintf("`%s`", buildCommand(g.dir))
	if newer := g.stale(); newer != "" {
		r.Add(guestcheck.Build, guestcheck.Warning, again, "it is older than %s", newer)
	} else {
		r.Add(guestcheck.Build, guestcheck.OK, "", "no source is newer")
	}
	m, err := guestbuild.ManifestFor(cmd.Context(), g.dir, cacheDir(cmd), g.artifact, g.file)
	input := (*guestbuild.InputError)(nil)
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case errors.As(err, &input):
		r.Add(guestcheck.Manifest, guestcheck.Error, "", "%s", err)
	case err != nil: // the code does not start, which is told when it is loaded
	case differ(m, g.artifact.Manifest):
		r.Add(guestcheck.Manifest, guestcheck.Warning, again, "pintle.toml says something else than the guest")
	default:
		r.Add(guestcheck.Manifest, guestcheck.OK, "", "pintle.toml says the same as the guest")
	}
	return nil
}

func differ(a, b *abi.Manifest) bool {
	one, err := abi.EncodeManifest(a)
	two, errTwo := abi.EncodeManifest(b)
	return err != nil || errTwo != nil || string(one) != string(two)
}

// checkRunning loads the guest and puts the cases to it.
func (g *ownGuest) checkRunning(cmd *cobra.Command, r *guestcheck.Report, about *guestcheck.Guest, suite *guesttest.Suite) (err error) {
	ctx := cmd.Context()
	h := trialHost(cmd, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	load := func(_ context.Context, config map[string]string) (*runtime.Guest, error) {
		return g.load(cmd, h, config)
	}
	start := time.Now()
	guest, err := load(ctx, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		about.NotStarted(r, err)
		return nil
	}
	about.Started(r, guest, time.Since(start))
	about.Handled(ctx, r, guest)
	if err := guest.Close(ctx); err != nil {
		return err
	}
	runner := &guesttest.Runner{Load: load}
	if suite == nil || len(suite.Cases) == 0 {
		r.Add(guestcheck.Cases, guestcheck.Note, "`pintle test --help` shows one", "there are none")
		about.Tried(ctx, r, runner, plainCases(g.artifact.Manifest))
		return errors.Join(ctx.Err(), runner.Close(ctx))
	}
	defer slow(cmd.ErrOrStderr(), "running "+plural(len(suite.Cases), "case"))()
	about.Answered(ctx, r, runner, suite.Cases)
	return errors.Join(ctx.Err(), runner.Close(ctx))
}

// plainCases ask each contribution in a plain turn.
func plainCases(m *abi.Manifest) []*guesttest.Case {
	var turns []*guesttest.Case
	for i := range m.Contributions {
		turns = append(turns, plainCase(&m.Contributions[i]))
	}
	return turns
}

func (r *checkReport) print(p *printer) error {
	p.printf("%s  %s  %s  %s\n", p.paint(bold, oneLine(r.Guest, 200)), oneLine(r.File, 400), bytesText(r.Size), r.Transport)
	for _, group := range guestcheck.Groups() {
		first := true
		for _, f := range r.Findings {
			if f.Group != group {
				continue
			}
			if first {
				p.printf("%s\n", p.paint(bold, string(group)))
				first = false
			}
			mark, code := findingMark(f.Level)
			p.printf("  %s %s\n", p.paint(code, mark), indentRest(f.Text))
			if f.Hint != "" {
				p.printf("    %s\n", p.paint(dim, oneLine(f.Hint, 400)))
			}
		}
	}
	summary, code := "nothing to complain about", green
	if r.Errors+r.Warnings > 0 {
		summary, code = plural(r.Errors, "error")+", "+plural(r.Warnings, "warning"), cyan
	}
	if r.Errors > 0 {
		code = red
	}
	p.printf("%s\n", p.paint(code, summary))
	return p.err
}

func findingMark(l guestcheck.Level) (mark, code string) {
	switch l {
	case guestcheck.OK:
		return "✓", green
	case guestcheck.Warning:
		return "!", cyan
	case guestcheck.Error:
		return "✗", red
	}
	return "-", dim
}
