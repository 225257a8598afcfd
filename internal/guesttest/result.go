package guesttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/runtime"
)

// A Result is a case with what the guest answered.
type Result struct {
	Case   *Case
	Answer Answer
	Passed bool
	// Fault says in one line how the answer differs, Diff how in particular: lines that begin with "- " were
	// expected and are missing, those with "+ " are there instead, those with two spaces are as expected.
	Fault string
	Diff  []string
}

// Run asks the guest and compares.
func (r *Runner) Run(ctx context.Context, c *Case) Result {
	return compare(c, r.Ask(ctx, c))
}

func compare(c *Case, got Answer) Result {
	r := Result{Case: c, Answer: got}
	want := &c.Want
	switch {
	case want.Kind == "":
		r.Fault = fmt.Sprintf("it does not say what it expects; the guest answered %s", got.short())
	case got.Kind == Failure && want.Kind == Failure:
		if r.Passed = strings.Contains(got.Words(), want.Text); !r.Passed {
			r.Fault = "another error than expected"
			r.Diff = diff(want.Text, got.Err.Error()) // the functions are shown beside it
		}
	case got.Kind == Failure:
		r.Fault = firstLine(got.Err.Error())
	case got.Kind != want.Kind:
		r.Fault = fmt.Sprintf("want %s, got %s", want.short(), got.short())
		if got.Kind != Payload {
			r.Fault += got.why()
		}
		r.Diff = kindsDiff(c, &got)
	case got.Kind == Text:
		if r.Passed = got.Text == want.Text; !r.Passed {
			r.Fault = "another text than expected"
			r.Diff = diff(want.Text, got.Text)
		}
	case got.Kind == Payload:
		if r.Passed = Compact(got.Payload) == Compact(want.Payload); !r.Passed {
			r.Fault = "another payload than expected" + got.why()
			r.Diff = diff(indented(want.Payload), indented(got.Payload))
		}
	default:
		r.Passed = true
	}
	return r
}

// kindsDiff shows what there is of two answers of different kinds.
func kindsDiff(c *Case, got *Answer) []string {
	switch {
	case got.Kind == Payload && c.Want.Kind == Unchanged:
		return diff(indented(c.Request.Payload), indented(got.Payload))
	case got.Kind == Unchanged && c.Want.Kind == Payload:
		return diff(indented(c.Want.Payload), indented(got.Payload))
	}
	return diff(c.Want.Text, got.Text)
}

// Words are all that an error says, with the functions of the guest that it names; "" without an error.
func (a *Answer) Words() string {
	if a.Err == nil {
		return ""
	}
	lines := []string{a.Err.Error()}
	if e := (*runtime.Error)(nil); errors.As(a.Err, &e) {
		lines = append(lines, e.Trace...)
	}
	return strings.Join(lines, "\n")
}

func (a *Answer) why() string {
	if a.Why == "" {
		return ""
	}
	return " (" + a.Why + ")"
}

func (a *Answer) short() string {
	if a.Kind == Failure {
		return "an error: " + firstLine(a.Err.Error())
	}
	return short(a.Kind)
}

func (w *Want) short() string { return short(w.Kind) }

func short(k Kind) string {
	return map[Kind]string{Text: "a text", Nothing: "nothing", Payload: "another payload", Unchanged: "the payload unchanged",
		Failure: "an error"}[k]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// indented is a JSON text with one value to a line.
func indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(Compact(text)), "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
