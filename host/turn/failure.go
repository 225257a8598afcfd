package turn

import (
	"context"
	"errors"
	"math"

	"github.com/pintle-wasm/pintle/host/message"
)

// Codes of failures that this package tells of. Providers have codes of their own.
const (
	// NoAdapter: no provider is registered for the route's provider.
	NoAdapter = "NO_ADAPTER"
	// RerouteLimit: listeners sent a call from route to route without end.
	RerouteLimit = "REROUTE_LIMIT"
	// Cancelled: the attempt was aborted.
	Cancelled = "ABORTED"
	// StepLimit: the turn reached Loop.MaxSteps.
	StepLimit = "STEP_LIMIT"
)

// noReason stands for a message that a failure does not have.
const noReason = "the failure gives no reason"

// failureOf returns the facts of an error.
func failureOf(err error) message.Failure {
	var f *message.Failure
	if errors.As(err, &f) && f != nil {
		return trusted(*f)
	}
	return trusted(message.Failure{Message: err.Error(), Code: message.Unknown})
}

// attemptFailure is failureOf for what ended an attempt: an error that is no more than the end of ctx has
// the code Cancelled.
func attemptFailure(ctx context.Context, err error) message.Failure {
	f := failureOf(err)
	if f.Code == message.Unknown && ctx.Err() != nil &&
		(errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return message.Failure{Message: f.Message, Code: Cancelled}
	}
	return f
}

// trusted replaces facts with a wrong value by their message and the code Unknown. It takes over what the
// protocol knows and no more: whatever else a failure carries could keep it out of the log.
func trusted(f message.Failure) message.Failure {
	status := f.Status == 0 || f.Status >= 100 && f.Status <= 599
	delay := f.RetryAfterMS == 0 || f.RetryAfterMS > 0 && !math.IsInf(f.RetryAfterMS, 1)
	if f.Message != "" && f.Code != "" && status && delay {
		return message.Failure{
			Message: f.Message, Code: f.Code, Status: f.Status, RetryAfterMS: f.RetryAfterMS, RequestID: f.RequestID,
		}
	}
	text := f.Message
	if text == "" {
		text = noReason
	}
	return message.Failure{Message: text, Code: message.Unknown}
}

// finishFailure returns the facts of a finish of kind Failed or Aborted.
func finishFailure(f message.Finish) message.Failure {
	switch {
	case f.Failure != nil:
		return trusted(*f.Failure)
	case f.Kind == message.Aborted:
		return message.Failure{Message: "the provider aborted the request", Code: Cancelled}
	}
	return message.Failure{Message: noReason, Code: message.Unknown}
}

// isFailure tells whether a finish means that there is no answer.
func isFailure(f *message.Finish) bool {
	return f != nil && (f.Kind == message.Failed || f.Kind == message.Aborted)
}
