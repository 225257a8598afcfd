package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

func newSessionCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE…",
		Short: "Check whether logs can be taken up, and say what that would do to them",
		Long: `Check whether logs can be taken up: each is read through and validated like a session that is opened,
and nothing is written. For a log that would be refused it says why and where; for the others what taking
them up would do: bytes that are cut from the end of the file, events that close an open turn, and what
the model had said in it that is not in the history.

  pintle session check session.jsonl

` + exitHelp,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: logFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			checks := make([]logCheck, 0, len(args))
			p := newPrinter(cmd.OutOrStdout())
			var failures []error
			refused := false
			for _, path := range args {
				c, err := checkLog(cmd, path)
				if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				if err != nil {
					failures = append(failures, err)
					continue
				}
				refused = refused || c.Refused != nil
				if checks = append(checks, c); !asJSON(cmd) {
					printCheck(p, &c)
				}
			}
			if asJSON(cmd) && len(checks)+len(args) > 1 {
				p.err = printJSON(cmd, checks)
			}
			switch {
			case p.err != nil:
				return p.err
			case len(failures) == 1:
				return failures[0]
			case len(failures) > 1:
				return errors.Join(failures...)
			case refused:
				return errQuiet
			}
			return nil
		},
	}
}

// A logCheck is what is known of one log, as data.
type logCheck struct {
	File     string  `json:"file"`
	Encoding string  `json:"encoding"`
	Bytes    int64   `json:"bytes"`
	Session  *string `json:"session,omitempty"`
	Events   int64   `json:"events"`
	Messages int     `json:"messages"`
	recoveryData
	Refused *refusal `json:"refused,omitempty"`
}

// recoveryData is what taking up a log cuts, appends and reports.
type recoveryData struct {
	Tail        int64         `json:"tail"`
	Closers     []string      `json:"closers"`
	Uncommitted []uncommitted `json:"uncommitted"`
}

func newRecoveryData(r session.Recovery) recoveryData {
	d := recoveryData{Tail: r.Tail, Closers: []string{}, Uncommitted: []uncommitted{}}
	for i := range r.Closed {
		d.Closers = append(d.Closers, r.Closed[i].Type)
	}
	for _, u := range r.Uncommitted {
		d.Uncommitted = append(d.Uncommitted, uncommitted(u))
	}
	return d
}

type uncommitted struct {
	Turn   int64           `json:"turn"`
	Step   int64           `json:"step"`
	Blocks []message.Block `json:"blocks"`
}

type refusal struct {
	Code     session.Code `json:"code"`
	Line     int64        `json:"line,omitempty"`
	Offset   int64        `json:"offset"`
	Expected *int64       `json:"expected,omitempty"`
	Found    *int64       `json:"found,omitempty"`
	Message  string       `json:"message"`
	Hint     string       `json:"hint"`

	detail string
}

func checkLog(cmd *cobra.Command, path string) (logCheck, error) {
	c := logCheck{File: path, recoveryData: newRecoveryData(session.Recovery{})}
	v, err := viewLog(cmd, path)
	if err == nil {
		defer v.Close()
		h := v.Header()
		c.Session, c.Events = &h.ID, v.Next()
		var i *session.Inspection
		if i, err = session.Inspect(cmd.Context(), v, logOptions(cmd)); err == nil {
			c.Messages = len(i.State.Messages())
			c.recoveryData = newRecoveryData(i.Recovery)
		} else {
			err = logError(path, err)
		}
	}
	if refused := (*logRefused)(nil); errors.As(err, &refused) {
		e := refused.err
		c.Refused = &refusal{Code: e.Code, Line: e.Line, Offset: e.Offset, Message: e.Error(), Hint: refused.hint(), detail: e.Detail}
		if e.Code == session.SeqGap {
			c.Refused.Expected, c.Refused.Found = &e.Expected, &e.Found
		}
	} else if err != nil {
		return c, err
	}
	c.Encoding, c.Bytes, err = encoding(path)
	return c, err
}

func printCheck(p *printer, c *logCheck) {
	p.printf("%s  ", p.paint(bold, oneLine(c.File, 400)))
	if c.Session != nil {
		p.printf("session %s · %s · %s · ", oneLine(*c.Session, 80), pluralOf(int(c.Events), "event", "events"),
			pluralOf(c.Messages, "message", "messages"))
	}
	p.printf("%s, %s\n", bytesText(int(c.Bytes)), c.Encoding)
	if r := c.Refused; r != nil {
		p.printf("  %s\n", p.paint(red, fmt.Sprintf("refused: %s (%s)", oneLine(safeText(r.detail), 600), r.Code)))
		if r.Line > 0 {
			p.printf("  line %d, byte %d\n", r.Line, r.Offset)
		}
		p.printf("  %s\n", oneLine(r.Hint, 600))
		return
	}
	p.printf("  %s\n", p.paint(green, "can be taken up"))
	printTodo(p, &c.recoveryData)
}

// printTodo says what taking up a log does.
func printTodo(p *printer, r *recoveryData) {
	if r.Tail > 0 {
		p.printf("  cuts %s from the end of the file: a write that was not finished\n", bytesText(int(r.Tail)))
	}
	if len(r.Closers) > 0 {
		p.printf("  appends what closes the open turn: %s\n", runs(r.Closers))
	}
	for _, u := range r.Uncommitted {
		p.printf("  leaves out of the history what the model had said when turn %d, step %d was interrupted: %s\n",
			u.Turn, u.Step, blockTexts(u.Blocks, 200))
	}
}

// runs lists words, each run of one and the same as its number.
func runs(words []string) string {
	var list []string
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && words[to] == words[from] {
			to++
		}
		if word := words[from]; to-from == 1 {
			list = append(list, word)
		} else {
			list = append(list, fmt.Sprintf("%d %s", to-from, word))
		}
		from = to
	}
	return strings.Join(list, ", ")
}

// blockTexts shows the beginning of the texts of blocks.
func blockTexts(blocks []message.Block, n int) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = "“" + oneLine(safeText(b.Text), n) + "”"
	}
	return strings.Join(texts, " ")
}
