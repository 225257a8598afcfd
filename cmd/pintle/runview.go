package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// printAnswer prints what a guest answered. What is not the answer goes to standard error.
func printAnswer(cmd *cobra.Command, a guesttest.Answer) error {
	if verbose(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: the call took %s\n", orDefault(effortText(a.Duration, a.Fuel, false), "no time"))
	}
	p := newPrinter(cmd.OutOrStdout())
	switch a.Kind {
	case guesttest.Failure:
		most := 8
		if verbose(cmd) {
			most = 0
		}
		return &tracedError{a.Err, most}
	case guesttest.Text:
		p.printf("%s\n", printable(a.Text))
	case guesttest.Nothing:
		if a.Why != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: %s\n", oneLine(a.Why, 600))
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: hint: --provider and --tool say what turn it is, or --context\n")
		}
		p.printf("nothing\n")
	case guesttest.Unchanged:
		what := "the payload is unchanged"
		if a.Why != "" {
			what += ": " + a.Why
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: %s\n", oneLine(what, 600))
		p.printf("%s\n", harmless(a.Payload))
	case guesttest.Payload:
		if a.Why != "" { // a part of it stays
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: %s\n", oneLine(a.Why, 600))
		}
		p.printf("%s\n", harmless(a.Payload))
	}
	return p.err
}

// A tracedError tells the guest's functions beside what went wrong.
type tracedError struct {
	err  error
	most int // functions
}

func (e *tracedError) Error() string {
	return e.err.Error() + strings.ReplaceAll(traceUpTo(e.err, e.most), "\n          ", "\n  ")
}

func (e *tracedError) Unwrap() error { return e.err }

// A ranGuest is the outcome of `pintle run` as data.
type ranGuest struct {
	File         string          `json:"file"`
	Guest        string          `json:"guest"`
	Contribution string          `json:"contribution,omitempty"`
	Adapter      string          `json:"adapter,omitempty"`
	Kind         guesttest.Kind  `json:"kind"`
	Text         string          `json:"text,omitempty"`
	Payload      json.RawMessage `json:"payload,omitempty"`
	Why          string          `json:"why,omitempty"`
	Error        *ranError       `json:"error,omitempty"`
	Duration     time.Duration   `json:"durationNs"`
	Fuel         uint64          `json:"fuel,omitempty"`
}

type ranError struct {
	Kind   runtime.Kind `json:"kind,omitempty"`
	Reason string       `json:"reason"`
	Trace  []string     `json:"trace,omitempty"`
}

func printAnswerJSON(cmd *cobra.Command, g *ownGuest, c *guesttest.Case, a guesttest.Answer) error {
	r := ranGuest{File: g.path, Guest: g.artifact.Title(), Contribution: c.Contribution, Adapter: c.Adapter, Kind: a.Kind,
		Text: a.Text, Payload: a.Payload, Why: a.Why, Duration: a.Duration, Fuel: a.Fuel}
	if a.Err != nil {
		r.Error = &ranError{Reason: a.Err.Error()}
		if e := (*runtime.Error)(nil); errors.As(a.Err, &e) {
			*r.Error = ranError{Kind: e.Kind, Reason: e.Reason, Trace: e.Trace}
		}
	}
	err := printJSON(cmd, r)
	if err == nil && a.Err != nil {
		return errQuiet
	}
	return err
}
