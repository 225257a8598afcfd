package runtime

import (
	"context"
	"errors"
	"strings"
)

// A Kind classifies what went wrong with a guest.
type Kind string

// The kinds of errors.
const (
	KindRefused        Kind = "refused"          // the host does not accept the artifact, or has no room for the call
	KindContract       Kind = "contract"         // imports, exports or manifest do not fit the ABI
	KindFuel           Kind = "fuel"             // the fuel of a call was used up
	KindTimeout        Kind = "timeout"          // the wall clock ran out
	KindCanceled       Kind = "canceled"         // the caller gave up, or its own deadline passed
	KindMemory         Kind = "memory"           // more memory was asked for than is allowed
	KindTrap           Kind = "trap"             // the guest's code failed
	KindAnswerTooLarge Kind = "answer-too-large" // the answer is beyond its limit
	KindBadAnswer      Kind = "bad-answer"       // the answer does not follow the ABI
	KindFailed         Kind = "failed"           // the guest answered an error of its own
	KindQuarantined    Kind = "quarantined"      // the guest failed too often and is not called for a while
	KindClosed         Kind = "closed"           // the guest was closed
	KindDenied         Kind = "denied"           // it wants more than the host grants
)

// An Origin says who has to do something about an error.
type Origin string

// The origins of errors.
const (
	OriginHost     Origin = "host"     // limits, configuration, the caller
	OriginGuest    Origin = "guest"    // the guest's own code
	OriginContract Origin = "contract" // guest and host disagree about the ABI
)

// An Error is everything that can go wrong with a guest after its file was read.
type Error struct {
	Kind   Kind
	Guest  string   // id@version, or the name under which it was loaded
	Func   string   // the exported function that ran; empty if none did
	Reason string   // for people; a panic's own words where the guest gave them. Not escaped.
	Trace  []string // guest functions, innermost first; may be empty
	Fuel   uint64   // used by the call until then
	Err    error    // the cause; may be nil
}

// Origin says who has to do something about the error.
func (e *Error) Origin() Origin {
	switch e.Kind {
	case KindContract, KindBadAnswer:
		return OriginContract
	case KindRefused, KindCanceled, KindQuarantined, KindClosed, KindDenied:
		return OriginHost
	}
	return OriginGuest
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("guest ")
	b.WriteString(e.Guest)
	if e.Func != "" {
		b.WriteString(": ")
		b.WriteString(e.Func)
	}
	b.WriteString(": ")
	b.WriteString(string(e.Kind))
	if e.Reason != "" {
		b.WriteString(": ")
		b.WriteString(e.Reason)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// canceled makes the error of what the caller's context ended.
func canceled(ctx context.Context, guest, function string) *Error {
	e := &Error{Kind: KindCanceled, Guest: guest, Func: function, Reason: "the caller gave up", Err: ctx.Err()}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		e.Reason = "the caller's deadline passed"
	}
	return e
}
