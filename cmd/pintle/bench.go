package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbench"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/rounds"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// Bounds of the flag --time.
const (
	benchTime    = 3 * time.Second
	maxBenchTime = 10 * time.Minute
	benchRounds  = 5
)

func newBench() *cobra.Command {
	var f runFlags
	long := benchTime
	cmd := &cobra.Command{
		Use:   "bench [DIR|FILE]",
		Short: "Measure a guest: loading, starting, calls, memory, fuel",
		Long: `Measure the guest that is built in a folder (by default the one that you are in), or a file: how large it is,
what it takes to compile it with and without a cache, to start an instance, to put one back before a call, and
to call each of its offers; the memory and the fuel that they use. A call of an offer is the first case in
cases.json that expects a text or a payload, else any that expects no error; a contribution without a case is
asked in a plain turn. With flags that say what to ask, as for pintle run, that one call is measured.

Beside it stands a floor, measured in the same run: a guest that does nothing but answer one letter. Times of
a machine that does other things as well say little; the ratio to the floor says more. Times are those of
the fastest of several rounds, in which everything that is measured has its turn. Nothing is remembered
between calls, and each call includes putting the instance back, as in a turn.

` + jsonErrorHelp + "\n\n" + exitHelp,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completesGuests,
		RunE:              func(cmd *cobra.Command, args []string) error { return bench(cmd, dirOrFile(args), f, long) },
	}
	f.add(cmd)
	cmd.Flags().DurationVar(&long, "time", benchTime, "how long to measure, beside what has to be compiled")
	_ = cmd.RegisterFlagCompletionFunc("time", fixedWords("1s", "3s", "10s", "1m"))
	return cmd
}

// A benchReport is the outcome of `pintle bench` as data.
type benchReport struct {
	File  string             `json:"file"`
	Guest guestbench.Figures `json:"guest"`
	Floor guestbench.Figures `json:"floor"`
	// NotAsked are the ids of adapters without a case to ask.
	NotAsked []string `json:"notAsked"`
}

func bench(cmd *cobra.Command, arg string, f runFlags, long time.Duration) error {
	if long <= 0 || long > maxBenchTime {
		return misused(cmd, fmt.Errorf("--time: want more than 0 and at most %v, found %v", maxBenchTime, long))
	}
	g, err := findGuest(arg)
	if err != nil {
		return err
	}
	if err := g.keepsContract(); err != nil {
		return err
	}
	r := benchReport{File: g.path, NotAsked: []string{}}
	asked, err := r.choose(cmd, g, f)
	if err != nil {
		return err
	}
	g.warnStale(cmd)
	dir, err := os.MkdirTemp("", "pintle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	done, logger := func() {}, standardLogger(cmd)
	figures, err := guestbench.Measure(cmd.Context(), guestbench.Options{
		Clock: rounds.Clock{Rounds: benchRounds}, Time: long, Dir: dir, Grants: trialGrants,
		Engine: func(cache string) runtime.Engine {
			if e := chosenEngine(cmd); e != nil {
				return e
			}
			e := wazero.New(wazero.Config{CacheDir: cache, Logger: logger})
			if cache != "" {
				logger = nil // the others have nothing else to say
			}
			return e
		},
		Progress: func(what string) {
			done()
			done = slow(cmd.ErrOrStderr(), what)
		},
	}, guestbench.Floor(), guestbench.Guest{Name: filepath.Base(g.path), File: g.file, Asked: asked})
	done()
	if err != nil {
		return err
	}
	r.Floor, r.Guest = figures[0], figures[1]
	if asJSON(cmd) {
		return printJSON(cmd, r)
	}
	p := newPrinter(cmd.OutOrStdout())
	r.print(p)
	return p.err
}

// choose returns the calls to measure: one that the flags make, or one of each offer.
func (r *benchReport) choose(cmd *cobra.Command, g *ownGuest, f runFlags) ([]*guesttest.Case, error) {
	if slices.ContainsFunc(slices.Concat([]string{"contribution", "adapter", "provider"}, contributionFlags, adapterFlags), cmd.Flags().Changed) {
		c, err := f.question(cmd, g)
		if err != nil {
			return nil, err
		}
		c.Name = "as the flags say"
		return []*guesttest.Case{c}, nil
	}
	suite, err := casesBeside(cmd.Context(), g)
	if err != nil {
		return nil, err
	}
	var asked []*guesttest.Case
	m := g.artifact.Manifest
	for i := range m.Contributions {
		offer := &m.Contributions[i]
		c := chosenCase(suite, offer.ID, "")
		if c == nil {
			c = plainCase(offer)
		}
		asked = append(asked, c)
	}
	for i := range m.Adapters {
		if c := chosenCase(suite, "", m.Adapters[i].ID); c != nil {
			asked = append(asked, c)
		} else {
			r.NotAsked = append(r.NotAsked, m.Adapters[i].ID)
		}
	}
	for _, c := range asked {
		if err := f.fill(cmd, c); err != nil { // the configuration
			return nil, err
		}
	}
	return asked, nil
}

// chosenCase is a copy of the case to measure of an offer; nil if there is none.
func chosenCase(suite *guesttest.Suite, contribution, adapter string) *guesttest.Case {
	if suite == nil {
		return nil
	}
	c := guestbench.Choose(suite, contribution, adapter)
	if c == nil {
		return nil
	}
	chosen := *c
	return &chosen
}

// plainCase asks a contribution in a turn in which a host asks it.
func plainCase(offer *abi.Contribution) *guesttest.Case {
	prompt := "Which quay does the 07:40 leave from?"
	c := guesttest.Case{Name: "a plain turn", Contribution: offer.ID, Context: guesttest.Context{
		Provider: "openai", ActiveTools: offer.ActiveTools, SessionID: "bench", Prompt: &prompt}}
	if offer.Providers != nil && len(*offer.Providers) > 0 {
		c.Context.Provider = (*offer.Providers)[0]
	}
	return &c
}
