package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/newfile"
	"github.com/pintle-wasm/pintle/internal/spelling"
	"github.com/pintle-wasm/pintle/runtime"
)

type testFlags struct {
	cases, run, junit string
	update            bool
}

func newTest() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [DIR|FILE]",
		Short: "Run the cases of a guest: what it is asked, and what it is to answer",
		Long: `Run the cases of a guest, the one that is built in a folder (by default the one that you are in) or a file. A
case is what the guest is asked, as in a turn, and what it is to answer. Cases stand in cases.json beside the
guest, a list of objects:

  {"name": "with a prompt", "contribution": "hello", "context": {"prompt": "hi"}, "text": "Be brief."}

A case of a contribution has a context, of which everything may be left out: provider, activeTools,
sessionId, prompt and systemPromptOptions. It expects text, a text; or nothing, true; or error, a part of what
the error says. A case of an adapter has a payload; beside it provider, api, base (the prompt that the host
had built), systemPrompt (the one that takes its place) and messages, a list of {id, content}. It expects
result, a payload; or unchanged, true; or error. Payloads are compared without white space: the order of keys
and how numbers are written count. Both may have config, an object.

With --update what the guest answers is written into the file in the place of what differs, or is missing.
Look at the difference before you keep it. That a call fails is written only where an error is expected.

Each case stands alone. A guest that asks for kv has it, empty; times and random numbers are virtual. A call ends
when its fuel is used up; how long it takes does not count, so that busy machines change nothing.

` + jsonErrorHelp + `

Exit status: 0 all cases passed; 1 some failed; 2 the command line or a file cannot be used, or no case ran.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completesGuests,
		RunE:              func(cmd *cobra.Command, args []string) error { return runTest(cmd, dirOrFile(args), f) },
	}
	cmd.Flags().StringVar(&f.cases, "cases", "", "`FILE` with the cases (default: cases.json beside the guest)")
	cmd.Flags().StringVar(&f.run, "run", "", "run only the cases whose name matches this `REGEXP`")
	cmd.Flags().StringVar(&f.junit, "junit", "", "write a report for build servers into this `FILE`")
	cmd.Flags().BoolVar(&f.update, "update", false, "write what the guest answers into the file with the cases")
	_ = cmd.MarkFlagFilename("cases", "json")
	_ = cmd.MarkFlagFilename("junit", "xml")
	_ = cmd.RegisterFlagCompletionFunc("run", cobra.NoFileCompletions)
	return cmd
}

// A testReport is the outcome of `pintle test` as data.
type testReport struct {
	File    string       `json:"file"`
	Guest   string       `json:"guest"`
	Cases   string       `json:"cases"`
	Passed  int          `json:"passed"`
	Failed  int          `json:"failed"`
	Updated int          `json:"updated"`
	Results []testResult `json:"results"`

	all []guesttest.Result
}

func runTest(cmd *cobra.Command, arg string, f testFlags) error {
	g, err := findGuest(arg)
	if err != nil {
		return err
	}
	if err := g.keepsContract(); err != nil {
		return err
	}
	if f.cases == "" {
		f.cases = filepath.Join(g.dir, guestbuild.CasesFile)
	}
	suite, err := readCases(cmd.Context(), f.cases)
	if err != nil {
		return err
	}
	chosen, err := chooseCases(suite, f)
	if err != nil {
		return err
	}
	g.warnStale(cmd)
	warnUndeclared(cmd, g, chosen)
	r := &testReport{File: g.path, Guest: g.artifact.Title(), Cases: f.cases}
	if err := r.run(cmd, g, chosen); err != nil {
		return err
	}
	if f.update {
		if err := r.update(suite); err != nil {
			return err
		}
	}
	if f.junit != "" {
		if err := r.writeJUnit(f.junit); err != nil {
			return err
		}
	}
	if asJSON(cmd) {
		err = printJSON(cmd, r)
	} else {
		err = r.print(newPrinter(cmd.OutOrStdout()), verbose(cmd))
	}
	if err == nil && r.Failed > 0 {
		return errQuiet
	}
	return err
}

func readCases(ctx context.Context, path string) (*guesttest.Suite, error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, &usageError{err: err, hint: "a file with cases stands beside the guest; `pintle test --help` shows one"}
	}
	suite, err := guesttest.Parse(path, text)
	if err != nil {
		return nil, &usageError{err: err, hint: "`pintle test --help` says what a case has"}
	}
	return suite, nil
}

// chooseCases returns the cases to run, of which there has to be one.
func chooseCases(suite *guesttest.Suite, f testFlags) ([]*guesttest.Case, error) {
	if len(suite.Cases) == 0 {
		return nil, &usageError{err: fmt.Errorf("%s has no cases", suite.Name), hint: "`pintle test --help` shows one"}
	}
	wanted, err := regexp.Compile(f.run)
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("--run: %w", err)}
	}
	var chosen []*guesttest.Case
	for _, c := range suite.Cases {
		if wanted.MatchString(c.Name) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, &usageError{err: fmt.Errorf("no case of %s matches --run %q", suite.Name, f.run),
			hint: "its cases: " + oneLine(strings.Join(caseNames(suite.Cases), ", "), 400)}
	}
	return chosen, nil
}

// warnUndeclared tells of configuration that cases give and the guest does not get.
func warnUndeclared(cmd *cobra.Command, g *ownGuest, cases []*guesttest.Case) {
	declared := g.artifact.Manifest.ConfigKeys()
	told := map[string]bool{}
	for _, c := range cases {
		for _, key := range slices.Sorted(maps.Keys(c.Config)) {
			if slices.Contains(declared, key) || told[key] {
				continue
			}
			told[key] = true
			text := fmt.Sprintf("case %q sets %q, which the guest does not declare under the keys of its capability config", c.Name, key)
			if near := spelling.Nearest(key, declared); near != "" {
				text += "; did you mean " + near + "?"
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s\n", oneLine(text, 400))
		}
	}
}

func caseNames(cases []*guesttest.Case) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.Name
	}
	return names
}

func (r *testReport) run(cmd *cobra.Command, g *ownGuest, cases []*guesttest.Case) (err error) {
	ctx := cmd.Context()
	var logs strings.Builder
	h := trialHost(cmd, slog.New(newLogHandler(&logs, slog.LevelDebug)))
	runner := &guesttest.Runner{Load: func(_ context.Context, config map[string]string) (*runtime.Guest, error) {
		return g.load(cmd, h, config)
	}}
	defer func() { err = errors.Join(err, runner.Close(ctx), h.Close(ctx)) }()
	defer slow(cmd.ErrOrStderr(), "running "+plural(len(cases), "case"))()
	for _, c := range cases {
		logs.Reset()
		result := runner.Run(ctx, c)
		if err := ctx.Err(); err != nil {
			return err
		}
		r.add(result, logLines(logs.String()))
	}
	return nil
}

// logLines are the lines of a logHandler without what they have in common.
func logLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), "pintle: "))
	}
	return lines
}

// update takes the answers over into the file.
func (r *testReport) update(suite *guesttest.Suite) error {
	text, taken, err := suite.Update(r.all)
	if err != nil || len(taken) == 0 {
		return err
	}
	if err := newfile.Replace(suite.Name, text); err != nil {
		return err
	}
	for _, t := range taken {
		for i := range r.Results {
			if r.all[i].Case == t.Case {
				r.all[i].Passed = true // for the report to build servers: the file says so now
				r.Results[i].Updated = true
				r.Failed--
				r.Updated++
			}
		}
	}
	return nil
}

func (r *testReport) writeJUnit(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return &usageError{err: fmt.Errorf("--junit: %w", err)}
	}
	return errors.Join(guesttest.WriteJUnit(file, r.Guest, r.all), file.Close())
}
