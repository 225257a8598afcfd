package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/message"
)

type doctorFlags struct {
	route        string
	fix, inPlace bool
}

func newDoctor() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor FILE…",
		Short: "Find what a session would lose or be stuck on, here and in other systems, and repair it",
		Long: `Look over the logs of sessions, of this system or of the reference, damaged ones too: every message that
would go without its replay state on the next request and why, everything that another system would be
stuck on, and what was left unfinished. Each finding says what happens elsewhere and what happens here.
Notes are about what is in order and may still surprise.

A session file of Pi is known by its first lines: looked over are its lines, the tree of its entries, the
messages of its branch, and what the developer messages' extension has stored in it. Nothing else of this
program reads such a file.

With --fix a file that has something to repair gets a repaired copy beside it, session.repaired.jsonl for
session.jsonl: what can be read of a damaged log, open turns closed, states that do not fit dropped, a
result for each call that has none. The copy is checked before it is there; the file stays as it is. With
--in-place the copy takes the file's name, and the file is kept as FILE.bak. The copy of a session file of
Pi goes without lines that hold no entry, and entries that have lost their parent with such a line are
linked to the one before it; no message is made, changed or left out. Close the session in Pi first.

  pintle doctor session.jsonl
  pintle doctor ~/.pi/agent/sessions/--work-ferry--/*.jsonl
  pintle doctor --fix --in-place session.jsonl

Exit status: 0 healthy, or with --fix the repaired copies are; 1 there are findings that are no notes, with
--fix those that are left, curable or not; 2 the command line or an input file cannot be used.`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: logFiles(),
		RunE:              func(cmd *cobra.Command, args []string) error { return runDoctor(cmd, args, f) },
	}
	kindFlag(cmd)
	cmd.Flags().StringVar(&f.route, "route", "", "where the next request goes, `PROVIDER/MODEL` (default: where the last one went)")
	cmd.Flags().BoolVar(&f.fix, "fix", false, "make a repaired copy of each file that has something to repair")
	cmd.Flags().BoolVar(&f.inPlace, "in-place", false, "with --fix: keep the file as FILE.bak and give the copy its name")
	_ = cmd.RegisterFlagCompletionFunc("route", cobra.NoFileCompletions)
	return cmd
}

func (f *doctorFlags) options(cmd *cobra.Command) (doctor.Options, error) {
	o := doctor.Options{Session: logOptions(cmd)}
	if f.route == "" {
		return o, nil
	}
	provider, model, ok := strings.Cut(f.route, "/")
	if !ok || provider == "" || model == "" {
		return o, fmt.Errorf("--route %q is not PROVIDER/MODEL", f.route)
	}
	o.Route = message.Route{Provider: provider, Model: model}
	return o, nil
}

// A checkup is what the doctor says of one file, as data.
type checkup struct {
	File     string           `json:"file"`
	Session  *string          `json:"session"`
	Route    message.Route    `json:"route"`
	Events   int64            `json:"events"`
	Messages int              `json:"messages"`
	Healthy  bool             `json:"healthy"`
	Refused  bool             `json:"refused"`
	Pi       *doctor.Pi       `json:"pi,omitempty"`
	Findings []doctor.Finding `json:"findings"`
	Unknown  []string         `json:"unknownKinds,omitempty"`
	Repair   *repairReport    `json:"repair,omitempty"`

	// incurable tells that a repair was asked for, and that nothing of what was found can be cured.
	incurable bool
}

func runDoctor(cmd *cobra.Command, args []string, f doctorFlags) error {
	o, err := f.options(cmd)
	if err != nil {
		return misused(cmd, err)
	}
	if f.inPlace && !f.fix {
		return misused(cmd, errors.New("--in-place needs --fix"))
	}
	checkups := make([]checkup, 0, len(args))
	p := newPrinter(cmd.OutOrStdout())
	ill := false
	var failures []error
	var interrupted error
	for _, path := range args {
		if interrupted = cmd.Context().Err(); interrupted != nil {
			break
		}
		c, cured, err := examineLog(cmd, path, f, o)
		// A repair that has been made is told of, whatever has happened since.
		if interrupted = cmd.Context().Err(); interrupted != nil && (c == nil || c.Repair == nil) {
			break
		}
		interrupted = nil
		if err != nil {
			failures = append(failures, err)
		}
		if c == nil {
			continue
		}
		ill = ill || !cured
		if checkups = append(checkups, *c); !asJSON(cmd) {
			printCheckup(p, c)
		}
	}
	if asJSON(cmd) && (interrupted == nil || len(checkups) > 0) {
		p.err = printJSON(cmd, checkups)
	}
	switch {
	case p.err != nil:
		return p.err
	case interrupted != nil:
		return interrupted
	case len(failures) > 0:
		return errors.Join(failures...)
	case ill:
		return errQuiet
	}
	return nil
}

// examineLog checks one file and repairs it, if asked to. cured tells whether no fault is left, of the
// copy if there is one. There may be a checkup beside an error: what was found, and why it was not repaired.
func examineLog(cmd *cobra.Command, path string, f doctorFlags, o doctor.Options) (c *checkup, cured bool, err error) {
	r, err := doctor.Check(cmd.Context(), path, o)
	if err != nil {
		return nil, false, openError(cmd, path, err)
	}
	c = newCheckup(path, r)
	if !f.fix || !r.Curable() {
		c.incurable = f.fix && !c.Healthy
		return c, c.Healthy, nil
	}
	c.Repair, err = repairLog(cmd, path, f.inPlace, o)
	if err != nil {
		return c, false, err
	}
	return c, c.Repair.After.Faults() == 0, nil
}

func newCheckup(path string, r *doctor.Report) *checkup {
	c := &checkup{File: path, Route: r.Route, Events: r.Events, Messages: r.Messages,
		Healthy: r.Faults() == 0, Refused: r.Refused != nil, Findings: append([]doctor.Finding{}, r.Findings...),
		Unknown: r.Unknown()}
	switch c.Pi = r.Pi; {
	case r.Header != nil:
		c.Session = &r.Header.ID
	case r.Pi != nil && r.Pi.Session != "":
		c.Session = &r.Pi.Session
	}
	return c
}

func printCheckup(p *printer, c *checkup) {
	line := []string{}
	if c.Session != nil {
		line = append(line, "session "+oneLine(*c.Session, 80))
	}
	if c.Route.Provider != "" {
		line = append(line, "next request to "+oneLine(c.Route.String(), 120))
	}
	p.printf("%s  %s\n", p.paint(bold, oneLine(c.File, 400)), strings.Join(line, " · "))
	if c.Pi != nil {
		printPi(p, c.Pi)
	}
	faults, notes := 0, 0
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Level == doctor.Fault {
			faults += max(1, f.Count)
		} else {
			notes += max(1, f.Count)
		}
		printFinding(p, f)
	}
	summary := fmt.Sprintf("%s in %s", plural(faults, "finding"), plural(c.Messages, "message"))
	if faults == 0 {
		summary = "healthy"
	}
	if notes > 0 {
		summary += ", " + plural(notes, "note")
	}
	code := green
	if faults > 0 {
		code = red
	}
	p.printf("  %s\n", p.paint(code, summary))
	if len(c.Unknown) > 0 {
		p.printf("  if you know that such events do not change what others mean:%s\n", kindFlags(c.Unknown))
	}
	if c.Repair != nil {
		printRepair(p, c.Repair)
	}
	if c.incurable {
		p.printf("  not repaired: nothing of this can be cured, and there is no copy\n")
	}
}

// printPi says what a session file of Pi has.
func printPi(p *printer, pi *doctor.Pi) {
	line := []string{"a session file of Pi"}
	if pi.Version > 0 {
		line[0] += fmt.Sprintf(", version %d", pi.Version)
	}
	line = append(line, pluralOf(pi.Entries, "entry", "entries"), plural(pi.Roots, "root"))
	if pi.Leaf != "" {
		line = append(line, "leaf "+oneLine(pi.Leaf, 60))
	}
	line = append(line, fmt.Sprintf("%d on the branch", pi.Branch))
	p.printf("  %s\n", p.paint(dim, strings.Join(line, " · ")))
	roles := make([]string, 0, len(pi.Roles))
	for _, r := range pi.Roles {
		roles = append(roles, fmt.Sprintf("%d %s", r.Count, oneLine(r.Role, 40)))
	}
	if len(roles) > 0 {
		p.printf("  %s\n", p.paint(dim, "in the next request: "+strings.Join(roles, ", ")))
	}
}

// kindFlags are the flags by which a person vouches for kinds of events, to be copied into a shell.
func kindFlags(kinds []string) string {
	var b strings.Builder
	for _, kind := range kinds {
		if kind == "" || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-") != "" {
			kind = "'" + strings.ReplaceAll(safeText(kind), "'", `'\''`) + "'"
		}
		b.WriteString(" --kind " + kind)
	}
	return b.String()
}

func printFinding(p *printer, f *doctor.Finding) {
	mark, code := "!", red
	if f.Level == doctor.Note {
		mark, code = "-", dim
	}
	var where []string
	if f.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", f.Line))
	}
	if f.MessageID != "" {
		where = append(where, "message "+oneLine(f.MessageID, 60))
	}
	if f.EntryID != "" {
		where = append(where, "entry "+oneLine(f.EntryID, 60))
	}
	if f.Seq != nil {
		where = append(where, fmt.Sprintf("seq %d", *f.Seq))
	}
	head := p.paint(code, mark+" "+string(f.Code))
	if len(where) > 0 {
		head += "  " + p.paint(dim, strings.Join(where, ", "))
	}
	p.printf("  %s\n", head)
	p.printf("      %s\n", oneLine(safeText(f.Detail), 400))
	p.printf("      %s %s\n", p.paint(dim, "elsewhere:"), oneLine(f.Effect, 400))
	p.printf("      %s      %s\n", p.paint(dim, "here:"), oneLine(f.Here, 400))
}
