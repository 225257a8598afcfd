package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

func newGrant() *cobra.Command {
	var yes, none bool
	cmd := &cobra.Command{
		Use:   "grant FILE [CAPABILITY…]",
		Short: "Show what a guest asks for, and grant it",
		Long: `Show what a guest asks for and why, and grant it after a question. Nothing of the file is run. With
capabilities (clock, kv, random) only those are granted, and all others that it was granted before are taken
back. With --none nothing is granted, and that is remembered: in Pi nobody is told any more that the guest
goes without. Without an answer nothing changes.

The grant is for this file and the id in it. Another build in its place gets the same if it asks for no
more. What one asks for beyond it is listed here.

` + exitHelp,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
			}
			return runtime.Grantable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return grant(cmd, args[0], args[1:], yes, none) },
	}
	cmd.Flags().BoolVar(&none, "none", false, "grant nothing of what it asks for")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "grant without a question")
	return cmd
}

// A grantReport is the outcome of `pintle grant` as data.
type grantReport struct {
	listedGrant
	// Widened is what goes beyond the grant of before.
	Widened []string `json:"widened"`
	Done    bool     `json:"done"`
}

func grant(cmd *cobra.Command, path string, names []string, yes, none bool) error {
	if none && len(names) > 0 {
		return misused(cmd, errors.New("--none and capabilities: give one of them"))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		inside, err := guestPath(path)
		if err != nil {
			return err
		}
		return &usageError{err: fmt.Errorf("%s is a folder, and grants are for files", path),
			hint: "name the guest in it: " + inside}
	}
	file, err := runtime.ReadFile(path)
	if err != nil {
		return &usageError{err: err}
	}
	a, err := runtime.Examine(filepath.Base(path), file)
	if err != nil {
		return err
	}
	source, err := filepath.Abs(path)
	if err != nil {
		return &usageError{err: err}
	}
	if names, err = grantNames(a.Manifest, names); err != nil {
		return err
	}
	asks := len(names) > 0
	if none {
		names = nil
	}
	f, err := userGrants()
	if err != nil {
		return err
	}
	before, known, err := f.Get(source, a.Manifest.ID)
	if err != nil {
		return err
	}
	decided := runtime.Grant{Source: source, ID: a.Manifest.ID, Version: a.Manifest.Version, Digest: a.Digest(),
		Capabilities: names, Manifest: a.Manifest}
	r := grantReport{Widened: []string{}}
	record, err := recordOf(decided)
	if err == nil {
		r.listedGrant, err = listed(record)
	}
	if err != nil {
		return err
	}
	if known {
		r.Widened = append(r.Widened, runtime.Widened(before.Manifest, a.Manifest, runtime.Limits{})...)
	}
	p := newPrinter(cmd.OutOrStdout())
	if !asJSON(cmd) {
		printRequest(p, a.Manifest, r, before)
	}
	if !asks && !known {
		if asJSON(cmd) {
			return printJSON(cmd, r)
		}
		p.printf("it asks for nothing that has to be granted\n")
		return p.err
	}
	if p.err != nil {
		return p.err
	}
	if !yes {
		if yes, err = confirm(cmd, question(r)); err != nil {
			return err
		}
	}
	if !yes {
		p.printf("nothing was changed\n")
		return errors.Join(p.err, errQuiet)
	}
	if err := f.Put(decided); err != nil {
		return err
	}
	r.Done = true
	if asJSON(cmd) {
		return printJSON(cmd, r)
	}
	p.printf("granted: %s\n", orDefault(strings.Join(names, ", "), "nothing"))
	return p.err
}

// grantNames checks the capabilities of the command line; without any it returns all that a guest asks for.
func grantNames(m *abi.Manifest, names []string) ([]string, error) {
	var granted []string
	for _, name := range runtime.Grantable() {
		if m.Asks(name) && (len(names) == 0 || slices.Contains(names, name)) {
			granted = append(granted, name)
		}
	}
	for _, name := range names {
		switch {
		case !slices.Contains(runtime.Grantable(), name):
			return nil, &usageError{err: fmt.Errorf("%q cannot be granted", name),
				hint: "what can be: " + strings.Join(runtime.Grantable(), ", ") + "; the log is every guest's, and values of the configuration are handed over in the turn file"}
		case !m.Asks(name):
			return nil, &usageError{err: fmt.Errorf("%s does not ask for %s", oneLine(m.ID, 80), name),
				hint: "`pintle inspect` shows what it asks for"}
		}
	}
	return granted, nil
}

// printRequest shows what a guest asks for, and what of it is new.
func printRequest(p *printer, m *abi.Manifest, r grantReport, before runtime.Grant) {
	p.printf("%s\n", p.paint(bold, oneLine(m.ID+"@"+m.Version, 200)))
	if m.Description != "" {
		p.printf("  %s\n", oneLine(m.Description, 400))
	}
	p.printf("  source  %s\n  sha256  %s\n", oneLine(r.Source, 400), r.SHA256)
	if before.Manifest != nil {
		p.printf("  so far  %s, by version %s\n", orDefault(oneLine(strings.Join(before.Capabilities, ", "), 200), "nothing"), oneLine(before.Version, 80))
	}
	printAsks(p, m)
	if seen := sees(m); seen != "" {
		p.printf("  %-12s %s\n", "sees", seen)
	}
	if len(r.Widened) > 0 {
		p.head("more than before")
	}
	for _, w := range r.Widened {
		p.printf("  %s\n", oneLine(w, 400))
	}
	p.printf("\n")
}

// sees lists what a guest learns of a turn.
func sees(m *abi.Manifest) string {
	var fields []string
	for _, field := range abi.ContextFields() {
		if slices.ContainsFunc(m.Contributions, func(c abi.Contribution) bool { return slices.Contains(c.Needs, field) }) {
			fields = append(fields, string(field))
		}
	}
	if len(m.Adapters) > 0 {
		fields = append(fields, "request payloads")
	}
	return strings.Join(fields, ", ")
}

// question puts a decision into words.
func question(r grantReport) string {
	what := orDefault(strings.Join(r.Granted, ", "), "nothing")
	if without := r.without(); len(without) > 0 && len(r.Granted) > 0 {
		what += ", but not " + strings.Join(without, ", ") + ","
	}
	if len(r.Widened) > 0 {
		what += " and the rest of what it asks for"
	}
	return fmt.Sprintf("Grant %s to %s?", what, oneLine(r.ID, 80))
}

// confirm asks a person on a terminal.
func confirm(cmd *cobra.Command, question string) (bool, error) {
	if asJSON(cmd) {
		return false, &usageError{err: errors.New("--json shows nobody what there is to decide"), hint: "--yes grants without a question"}
	}
	if !isPerson(cmd.InOrStdin()) {
		return false, &usageError{err: errors.New("nobody can be asked: standard input is not a terminal"), hint: "--yes grants without a question"}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, nil // the end of input is a no
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
