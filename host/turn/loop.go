package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A Loop runs the turns of one session. Session, Router and Route are needed; the rest may be left out.
// Fields may be changed between turns. A loop must not be copied.
type Loop struct {
	// Session is where everything is kept, and where the history comes from. The loop does not close it.
	Session *session.Session
	Router  *Router
	// Route is the model to ask.
	Route message.Route
	// System is the system prompt, "" for none.
	System string
	// Tools are those that the model may call, each name once.
	Tools []Tool
	// MaxSteps ends a turn that wants more steps than this, with the failure StepLimit; each step is one
	// answer of the model. 0 is no limit: only the caller's context then ends a model that never stops
	// calling tools.
	MaxSteps int64

	// Recover, if set, decides whether a failed attempt is made again within its step. attempt counts from
	// 1 in each step. It is the place to wait before the next one, with an eye on ctx. Without it a
	// failure ends the turn.
	Recover func(ctx context.Context, failure message.Failure, attempt int) bool
	// OnChunk, if set, sees each chunk after it is in the log, as it arrives. The chunk must not be kept.
	// A prompt waits for it.
	OnChunk func(c *message.Chunk)
	// OnMessage, if set, sees each message that the turn adds to the history, after it is in the log: the
	// user's, the model's answers, also those that were interrupted, and the results of tools. The message
	// must not be changed. A prompt waits for it.
	OnMessage func(m *message.Message)
	// OnDiagnostic, if set, is told of each message that degrades in a request, as far as the provider reads
	// with [Request.Reader]; possibly on a goroutine of the provider's. nil is as for [replay.Reader].
	OnDiagnostic func(replay.Diagnostic)
	// OnReport, if set, takes the reports about replay state that is lost to this or to all requests. If
	// it is nil, the router's hook takes them.
	OnReport func(replay.Report)
	// Reference makes the loop behave like the protocol's reference, weak spots included: malformed replay
	// envelopes are handled as there, nothing is reported, and the log does not say which route has
	// answered in the place of the one that was asked.
	Reference bool

	running   sync.Mutex
	assembler assembler.Assembler
	buffer    []byte
}

// ErrBusy is returned by [Loop.Prompt] while another prompt of the same loop is running.
var ErrBusy = errors.New("a turn is running already")

// Prompt runs one turn: it puts a user message into the session's history, sends the history to the
// model, runs the tools that the answer calls, one after the other, and asks again until there are no
// calls. It returns when the turn is over; there is one turn at a time, and nobody else may use the
// session meanwhile.
//
// All of it is in the log, in the order of the replay-state protocol, section "The events that matter
// here", each chunk before anything else is done with it. The log is synced before a request is sent,
// before a tool runs, and when the turn has ended; if that fails, the request is not sent, or the tool
// does not run. A turn that fails or is cancelled leaves a history that can go on. If the process dies,
// opening the session again closes the turn.
//
// ctx cancels the turn. What the model has said until then is kept as an interrupted message, without
// tool calls and replay state, and the turn's end is still written.
//
// The error is nil if the outcome is in the log, whatever it is. Otherwise there was no turn (no Session
// or Route, ErrBusy, ctx done, content that the log refuses), or the log has failed: then the outcome is
// what is known, and a turn that could not be closed is closed by the next prompt.
func (l *Loop) Prompt(ctx context.Context, content []message.Block) (Outcome, error) {
	return l.PromptWith(ctx, content, nil)
}

// A Preface is what the requests of one turn say before the conversation.
type Preface struct {
	// System is the system prompt, "" for none.
	System string
	// Messages go in front of the history. They are never in the log, nor in the session's messages.
	Messages []message.Message
}

// PromptWith is Prompt for a turn that is composed: compose is called once when the turn is about to begin,
// while no other one can run, and says what takes the place of System. Its error, which comes back
// wrapped, means that there is no turn. A nil compose leaves System what it is.
func (l *Loop) PromptWith(
	ctx context.Context, content []message.Block, compose func(context.Context) (Preface, error),
) (Outcome, error) {
	if !l.running.TryLock() {
		return Outcome{}, ErrBusy
	}
	defer l.running.Unlock()
	if err := l.check(); err != nil {
		return Outcome{}, fmt.Errorf("prompt: %w", err)
	}
	if ctx.Err() != nil {
		return Outcome{}, fmt.Errorf("prompt: %w", context.Cause(ctx))
	}
	r := run{Loop: l, ctx: ctx, log: context.WithoutCancel(ctx), preface: Preface{System: l.System}}
	if compose != nil {
		var err error
		if r.preface, err = compose(ctx); err != nil {
			return Outcome{}, fmt.Errorf("prompt: %w", err)
		}
	}
	l.assembler.Reference = l.Reference
	if err := r.begin(content); err != nil {
		return Outcome{}, fmt.Errorf("prompt: %w", err)
	}
	return r.end(r.steps())
}

func (l *Loop) check() error {
	switch {
	case l.Session == nil:
		return errors.New("the loop has no session")
	case l.Router == nil:
		return errors.New("the loop has no router")
	case l.Route.Provider == "" || l.Route.Model == "":
		return errors.New("the loop's route needs a provider and a model")
	}
	names := make(map[string]bool, len(l.Tools))
	for i := range l.Tools {
		t := &l.Tools[i]
		switch {
		case t.Run == nil:
			return fmt.Errorf("the tool %q cannot be run", t.Name)
		case names[t.Name]:
			return fmt.Errorf("there are two tools %q", t.Name)
		case len(t.Parameters) > 0 && !jsonspan.Valid(t.Parameters):
			return fmt.Errorf("the parameters of the tool %q are not JSON", t.Name)
		}
		names[t.Name] = true
	}
	return nil
}
