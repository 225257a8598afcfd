package turn

import (
	"context"
	"errors"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Kind says how a turn has ended.
type Kind string

const (
	// Completed: the model has said all that it wanted to.
	Completed Kind = "completed"
	// MaxTokens: the model's answer was cut at the output limit. What was complete is in the history, no
	// tool call is.
	MaxTokens Kind = "max-tokens"
	// Aborted: the caller's context was done. The text that had arrived is in the history.
	Aborted Kind = "aborted"
	// Failed: see the outcome's Failure. The session goes on with the next prompt.
	Failed Kind = "error"
)

// An Outcome is what has become of a turn.
type Outcome struct {
	Kind Kind
	// Failure is why the turn has failed, nil if it has not. The code is the provider's, or NoAdapter,
	// RerouteLimit, StepLimit, Cancelled (the provider aborted what the caller had not cancelled), or
	// message.Unknown.
	Failure *message.Failure
	// Turn is the number of the turn in its session, from 1, and Steps how many steps it took.
	Turn, Steps int64
	// Usage is the sum over all attempts, also those that failed.
	Usage message.Usage
	// Diagnostics are the messages that degraded in the requests of the turn, each once, as far as the
	// provider reads them with [Request.Reader].
	Diagnostics []replay.Diagnostic
}

// A Cancel is a cause for cancelling a turn's context (see [context.WithCancelCause]) that the log is to
// keep: it stands as the reason of the turn's end. Any other cause is kept as "user".
type Cancel struct{ Kind string }

func (c *Cancel) Error() string { return "cancelled: " + c.Kind }

// errCancelled ends a turn because the caller's context is done.
var errCancelled = errors.New("the turn was cancelled")

// outcome tells what the end of a turn's steps means, and the reason that the log keeps.
func (r *run) outcome(err error) (Outcome, []byte) {
	o := Outcome{Kind: Completed, Turn: r.at.turn, Steps: r.at.step, Usage: r.usage}
	r.mu.Lock()
	o.Diagnostics = r.diagnostics[:len(r.diagnostics):len(r.diagnostics)]
	r.mu.Unlock()
	switch {
	case errors.Is(err, errCancelled):
		o.Kind = Aborted
		why := "user"
		var c *Cancel
		if errors.As(context.Cause(r.ctx), &c) && c != nil && c.Kind != "" {
			why = c.Kind
		}
		reason := wtf8.AppendQuote([]byte(`{"kind":"aborted","reason":{"kind":`), why)
		return o, append(reason, "}}"...)
	case err != nil:
		failure := failureOf(err)
		o.Kind, o.Failure = Failed, &failure
		reason := failure.AppendJSON([]byte(`{"kind":"error","error":`))
		return o, append(reason, '}')
	case r.cut:
		o.Kind = MaxTokens
	}
	return o, append(wtf8.AppendQuote([]byte(`{"kind":`), string(o.Kind)), '}')
}

func (r *run) count(u *message.Usage) {
	if u == nil {
		return
	}
	r.usage.Input += u.Input
	r.usage.Output += u.Output
	r.usage.CacheRead += u.CacheRead
	r.usage.CacheWrite += u.CacheWrite
	r.usage.Reasoning += u.Reasoning
}
