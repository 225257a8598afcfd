package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// runFlags say what a guest is asked.
type runFlags struct {
	contribution, adapter string
	config                []string
	// of a contribution
	context, provider, session, prompt, options string
	tools                                       []string
	// of an adapter
	payload, api, base, systemPrompt string
	messages                         []string
}

// Flags that make sense for one kind of offer alone.
var (
	contributionFlags = []string{"context", "tool", "session", "prompt", "system-prompt-options"}
	adapterFlags      = []string{"payload", "api", "base", "system-prompt", "message"}
)

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [DIR|FILE]",
		Short: "Ask a guest once, and print what it answers",
		Long: `Ask the guest that is built in a folder (by default the one that you are in), or a file, once, as a turn would,
and print its answer: a text, a payload, or "nothing". Without flags the guest is asked what the first case in
cases.json asks. Flags change that, and --context or --payload replaces it.

A context is a JSON object with the keys provider, activeTools, sessionId, prompt and systemPromptOptions. A guest
that asks for kv has it, empty; times and random numbers are virtual. With --verbose what it logs for
debugging, and what the call took, go to standard error.

  pintle run --prompt "fix the build" --tool bash --set tone=dry
  pintle run --adapter codex --payload request.json --message style="Be brief."

` + jsonErrorHelp + "\n\n" + exitHelp,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completesGuests,
		RunE:              func(cmd *cobra.Command, args []string) error { return runGuest(cmd, dirOrFile(args), f) },
	}
	f.add(cmd)
	return cmd
}

// add adds the flags to a command.
func (f *runFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.contribution, "contribution", "", "`ID` of the contribution to ask (default: the only one)")
	flags.StringVar(&f.adapter, "adapter", "", "`ID` of the adapter to ask (default: the only one)")
	flags.StringArrayVar(&f.config, "set", nil, "`KEY=VALUE` of the guest's configuration; may be repeated")
	flags.StringVar(&f.provider, "provider", "", "`ID` of the provider")
	flags.StringVar(&f.context, "context", "", "`FILE` with the context, a JSON object")
	flags.StringArrayVar(&f.tools, "tool", nil, "`NAME` of an active tool; may be repeated")
	flags.StringVar(&f.session, "session", "", "`ID` of the session")
	flags.StringVar(&f.prompt, "prompt", "", "`TEXT` that starts the turn")
	flags.StringVar(&f.options, "system-prompt-options", "", "`FILE` with the host's structured prompt input, a JSON object")
	flags.StringVar(&f.payload, "payload", "", "`FILE` with the payload to adapt; - is standard input")
	flags.StringVar(&f.api, "api", "", "`API` of the payload (default: the first one of the adapter)")
	flags.StringVar(&f.base, "base", "", "`TEXT` of the prompt that the host had built")
	flags.StringVar(&f.systemPrompt, "system-prompt", "", "`TEXT` of the prompt that takes its place")
	flags.StringArrayVar(&f.messages, "message", nil, "developer message, `ID=TEXT`; may be repeated")
	_ = cmd.MarkFlagFilename("context", "json")
	_ = cmd.MarkFlagFilename("system-prompt-options", "json")
	_ = cmd.MarkFlagFilename("payload", "json")
	for _, name := range []string{"set", "provider", "tool", "session", "prompt", "api", "base", "system-prompt", "message"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	_ = cmd.RegisterFlagCompletionFunc("contribution", completesOffers(contributionIDs))
	_ = cmd.RegisterFlagCompletionFunc("adapter", completesOffers(adapterIDs))
	cmd.MarkFlagsMutuallyExclusive("contribution", "adapter")
}

// completesOffers completes the id of an offer of the guest that the command line names.
func completesOffers(ids func(*ownGuest) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		g, err := findGuest(dirOrFile(args))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return ids(g), cobra.ShellCompDirectiveNoFileComp
	}
}

func contributionIDs(g *ownGuest) (ids []string) {
	for _, c := range g.artifact.Manifest.Contributions {
		ids = append(ids, c.ID)
	}
	return ids
}

func adapterIDs(g *ownGuest) (ids []string) {
	for _, a := range g.artifact.Manifest.Adapters {
		ids = append(ids, a.ID)
	}
	return ids
}

func runGuest(cmd *cobra.Command, arg string, f runFlags) (err error) {
	g, err := findGuest(arg)
	if err != nil {
		return err
	}
	if err := g.keepsContract(); err != nil {
		return err
	}
	c, err := f.question(cmd, g)
	if err != nil {
		return err
	}
	g.warnStale(cmd)
	ctx := cmd.Context()
	h := trialHost(cmd, standardLogger(cmd))
	runner := &guesttest.Runner{Load: func(_ context.Context, config map[string]string) (*runtime.Guest, error) {
		return g.load(cmd, h, config)
	}}
	defer func() { err = errors.Join(err, runner.Close(ctx), h.Close(ctx)) }()
	answer := runner.Ask(ctx, c)
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON(cmd) {
		return printAnswerJSON(cmd, g, c, answer)
	}
	return printAnswer(cmd, answer)
}

// question is the case that the flags make.
func (f *runFlags) question(cmd *cobra.Command, g *ownGuest) (*guesttest.Case, error) {
	suite, err := casesBeside(cmd.Context(), g)
	if err != nil {
		return nil, err
	}
	c, err := f.offer(cmd, g, suite)
	if err != nil {
		return nil, err
	}
	what, other := "contribution "+c.Contribution, adapterFlags
	if c.Adapter != "" {
		what, other = "adapter "+c.Adapter, contributionFlags
	}
	for _, name := range other {
		if cmd.Flags().Changed(name) {
			return nil, misused(cmd, fmt.Errorf("--%s says nothing to the %s", name, what))
		}
	}
	like := ""
	if first := firstCaseOf(suite, c); first != nil && f.context == "" && f.payload == "" {
		c.Config, c.Context, c.Request = first.Config, first.Context, first.Request
		like = first.Name
	}
	if err := f.fill(cmd, c); err != nil {
		return nil, err
	}
	if c.Adapter != "" && c.Request.Payload == nil {
		return nil, misused(cmd, errors.New("an adapter needs --payload"))
	}
	if like != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: asked as in case %q of %s\n", oneLine(like, 120), oneLine(suite.Name, 400))
	}
	return c, nil
}

// casesBeside reads the cases beside a guest; nil if there are none.
func casesBeside(ctx context.Context, g *ownGuest) (*guesttest.Suite, error) {
	path := filepath.Join(g.dir, guestbuild.CasesFile)
	if !exists(path) {
		return nil, nil
	}
	return readCases(ctx, path)
}

// firstCaseOf is the first case that asks what another one asks.
func firstCaseOf(suite *guesttest.Suite, c *guesttest.Case) *guesttest.Case {
	if suite == nil {
		return nil
	}
	i := slices.IndexFunc(suite.Cases, func(o *guesttest.Case) bool { return o.Contribution == c.Contribution && o.Adapter == c.Adapter })
	if i < 0 {
		return nil
	}
	return suite.Cases[i]
}

// offer decides what is asked: what a flag names, the only offer of the kind that the flags are about, or that
// of the first case.
func (f *runFlags) offer(cmd *cobra.Command, g *ownGuest, suite *guesttest.Suite) (*guesttest.Case, error) {
	contributions, adapters := contributionIDs(g), adapterIDs(g)
	switch {
	case f.contribution != "":
		return &guesttest.Case{Contribution: f.contribution}, known("contribution", f.contribution, contributions)
	case f.adapter != "":
		return &guesttest.Case{Adapter: f.adapter}, known("adapter", f.adapter, adapters)
	}
	aboutContribution := slices.ContainsFunc(contributionFlags, cmd.Flags().Changed)
	aboutAdapter := slices.ContainsFunc(adapterFlags, cmd.Flags().Changed)
	switch {
	case len(contributions) == 1 && (len(adapters) == 0 || aboutContribution):
		return &guesttest.Case{Contribution: contributions[0]}, nil
	case len(adapters) == 1 && (len(contributions) == 0 || aboutAdapter):
		return &guesttest.Case{Adapter: adapters[0]}, nil
	case suite != nil && len(suite.Cases) > 0 && !aboutContribution && !aboutAdapter:
		return &guesttest.Case{Contribution: suite.Cases[0].Contribution, Adapter: suite.Cases[0].Adapter}, nil
	}
	return nil, misused(cmd, fmt.Errorf("%s has several offers; name one: %s", g.artifact.Title(), oneLine(offerFlags(contributions, adapters), 400)))
}
