package guestcheck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// Answered puts cases to the guest and reports what they took of its limits, and which context fields change
// no answer.
func (g *Guest) Answered(ctx context.Context, r *Report, runner *guesttest.Runner, cases []*guesttest.Case) {
	var most guesttest.Answer
	failed, ended, limit := 0, 0, runtime.Kind("")
	answers := make([]guesttest.Answer, len(cases))
	for i, c := range cases {
		result := runner.Run(ctx, c)
		if ctx.Err() != nil {
			return
		}
		if !result.Passed {
			failed++
			if kind := limitOf(&result.Answer); kind != "" {
				ended, limit = ended+1, kind
			}
		}
		answers[i] = result.Answer
		most.Fuel = max(most.Fuel, result.Answer.Fuel)
	}
	if ended > 0 {
		level := Warning
		if ended == len(cases) {
			level = Error // so will every call
		}
		r.Add(Limits, level, raise, "%s: %d of %d cases end at the limit", limit, ended, len(cases))
	}
	switch {
	case failed > 0:
		r.Add(Cases, Warning, "`pintle test` shows them", "%d of %d cases fail", failed, len(cases))
	default:
		r.Add(Cases, OK, "", "%d cases pass", len(cases))
	}
	if asked := g.Artifact.Manifest.Limits.Fuel; asked > 0 && most.Fuel > 0 && ended == 0 {
		level := OK
		if asked/100 > most.Fuel {
			level = Note
		}
		r.Add(Limits, level, "", "fuel: it asks for %d, and the cases take up to %d", asked, most.Fuel)
	}
	for _, offer := range g.Artifact.Manifest.Contributions {
		g.idleNeeds(ctx, r, runner, cases, answers, offer)
	}
}

const raise = "raise it in [limits] of pintle.toml, or make the guest need less"

// limitOf is the kind of an error that a limit of pintle.toml makes, "" for another answer.
func limitOf(a *guesttest.Answer) runtime.Kind {
	if e := (*runtime.Error)(nil); errors.As(a.Err, &e) {
		switch e.Kind {
		case runtime.KindFuel, runtime.KindMemory, runtime.KindTimeout:
			return e.Kind
		}
	}
	return ""
}

// Tried asks the guest in plain turns, where there are no cases, and reports those that fail.
func (g *Guest) Tried(ctx context.Context, r *Report, runner *guesttest.Runner, turns []*guesttest.Case) {
	for _, c := range turns {
		a := runner.Ask(ctx, c)
		switch kind := limitOf(&a); {
		case a.Err == nil || ctx.Err() != nil || unhandled(a.Err) != "":
		case kind != "":
			r.Add(Limits, Error, raise, "%s: %s ends at the limit in a plain turn", kind, c.Contribution)
		default:
			r.Add(Cases, Warning, "if it should, say so in a case", "%s fails in a plain turn: %s", c.Contribution, firstLine(a.Err.Error()))
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// idleNeeds asks again without each of the fields that a contribution needs. A field that changes no answer is
// either not used, or no case shows what for.
func (g *Guest) idleNeeds(ctx context.Context, r *Report, runner *guesttest.Runner, cases []*guesttest.Case, answers []guesttest.Answer, offer abi.Contribution) {
	for _, need := range offer.Needs {
		asked, matters := 0, false
		for i, c := range cases {
			without := *c
			if c.Contribution != offer.ID || answers[i].Why != "" || !drop(&without.Context, need) {
				continue
			}
			a := runner.Ask(ctx, &without)
			if a.Why != "" {
				continue // without it the guest is not asked at all
			}
			asked++
			if !same(&a, &answers[i]) {
				matters = true
				break
			}
		}
		switch {
		case matters || ctx.Err() != nil:
		case asked == 0:
			r.Add(Needs, Note, "", "%s needs %s, and no case can tell what for", offer.ID, need)
		default:
			r.Add(Needs, Warning, "take it out of needs, or add a case in which it matters",
				"%s needs %s, and no case has another answer without it (%s)", offer.ID, need, countCases(asked))
		}
	}
}

func countCases(n int) string {
	if n == 1 {
		return "1 case has it"
	}
	return fmt.Sprintf("%d cases have it", n)
}

// drop takes a field out of a context, and tells whether it was there.
func drop(c *guesttest.Context, field abi.ContextField) bool {
	before := *c
	switch field {
	case abi.FieldProvider:
		c.Provider = ""
		return before.Provider != ""
	case abi.FieldActiveTools:
		c.ActiveTools = nil
		return len(before.ActiveTools) > 0
	case abi.FieldSessionID:
		c.SessionID = ""
		return before.SessionID != ""
	case abi.FieldPrompt:
		c.Prompt = nil
		return before.Prompt != nil
	case abi.FieldSystemPromptOptions:
		c.Options = registry.PromptOptions{}
		text, err := before.Options.MarshalJSON()
		return err == nil && string(text) != "{}"
	}
	return false
}

// same compares answers, of errors their words.
func same(a, b *guesttest.Answer) bool {
	if a.Kind == guesttest.Failure && b.Kind == guesttest.Failure {
		return a.Err.Error() == b.Err.Error()
	}
	return a.Kind == b.Kind && a.Text == b.Text
}
