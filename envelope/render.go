package envelope

import (
	"context"
	"errors"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/registry"
	guests "github.com/pintle-wasm/pintle/runtime"
)

// ErrPanicked is wrapped by the error of a contribution that panicked.
var ErrPanicked = errors.New("contribution panicked")

// Render renders the developer messages for one turn, without the environment message: filters, order,
// evaluation, trimming. The error is a *BuildError; it wraps a *ContributionError if a contribution
// with policy Fail failed, or ctx's error. Last-good texts of the session are used but not recorded. The
// extra contributions take part as those of a [Request] do.
func (s *Service) Render(
	ctx context.Context, rc *registry.RenderContext, extra ...*registry.Contribution,
) ([]registry.Message, Report, error) {
	start := time.Now()
	messages, outcomes, _, err := s.render(ctx, rc, extra)
	report := Report{Contributions: outcomes, Duration: time.Since(start)}
	if err != nil {
		return nil, report, &BuildError{report, err}
	}
	return messages, report, nil
}

// job is one contribution in evaluation.
type job struct {
	*registry.Contribution
	policy  registry.FailurePolicy
	text    string
	err     error
	elapsed time.Duration
	usage   guests.Usage
	ran     bool // or was remembered
	// remembered says that no guest ran for the text.
	remembered bool
}

// render returns the messages, an outcome for every contribution, and the texts to be remembered for
// policy LastGood.
func (s *Service) render(ctx context.Context, rc *registry.RenderContext, extra []*registry.Contribution) (
	[]registry.Message, []Outcome, goodTexts, error,
) {
	var snap registry.Snapshot
	if s.Registry != nil {
		var release func()
		snap, release = s.Registry.Hold()
		defer release()
	}
	snap = snap.With(extra...)
	chosen, excluded := snap.Select(rc)
	keys := keysOf(extra)
	jobs := make([]job, len(chosen))
	for i, c := range chosen {
		jobs[i] = job{Contribution: c, policy: c.OnFailure}
		if jobs[i].policy == registry.DefaultPolicy {
			jobs[i].policy = s.Policy
		}
	}
	s.evaluate(ctx, jobs, rc)

	good := s.lastGood(rc.SessionID)
	messages, outcomes, fresh, err := settle(jobs, good, keys)
	for _, x := range excluded {
		outcomes = append(outcomes, Outcome{
			ID: x.Contribution.ID, Source: SourceName(x.Contribution.Source), Reason: x.Reason, Tools: x.Tools,
		})
		if content, ok := good[keys.of(x.Contribution)]; ok {
			fresh.add(keys.of(x.Contribution), content)
		}
	}
	for _, x := range snap.Replaced {
		outcomes = append(outcomes, Outcome{
			ID: x.ID, Source: SourceName(x.Source), Reason: Replaced, By: SourceName(x.By),
		})
	}
	// A turn that is called off must not look like one whose contributions failed.
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return messages, outcomes, fresh, err
}

// settle turns finished jobs into messages and outcomes.
func settle(jobs []job, good goodTexts, keys goodKeys) ([]registry.Message, []Outcome, goodTexts, error) {
	messages := make([]registry.Message, 0, len(jobs)+1)
	outcomes := make([]Outcome, 0, len(jobs))
	var fresh goodTexts
	var first error
	for i := range jobs {
		j := &jobs[i]
		o := Outcome{
			ID: j.ID, Source: SourceName(j.Source),
			Duration: j.elapsed, Fuel: j.usage.Fuel, Remembered: j.remembered,
		}
		content := ecma.Trim(j.text)
		remembered, known := good[keys.of(j.Contribution)]
		switch {
		case !j.ran:
			o.Reason = NotReached
			content = ""
		case j.err != nil && j.policy == registry.Fail:
			o.fail(Failed, j.err)
			content = ""
			if first == nil {
				first = &ContributionError{j.ID, j.Source, j.err}
			}
		case j.err != nil && j.policy == registry.LastGood && known:
			o.fail(LastGoodUsed, j.err)
			content = remembered
		case j.err != nil:
			o.fail(Failed, j.err)
			content = ""
		case content == "":
			o.Reason = Blank
		}
		if j.policy == registry.LastGood && (j.ran && j.err == nil || known) {
			fresh.add(keys.of(j.Contribution), content)
		}
		if content != "" {
			messages = append(messages, registry.Message{ID: j.ID, Content: content})
			o.Included, o.Bytes = true, len(content)
		}
		outcomes = append(outcomes, o)
	}
	return messages, outcomes, fresh, first
}
