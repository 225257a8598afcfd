package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A run is one turn while it lasts.
type run struct {
	*Loop
	// ctx is the caller's. log is the same without its end: what has happened is written, cancelled or not.
	ctx, log context.Context
	at       place
	preface  Preface
	usage    message.Usage
	// cut says that an answer was cut at the output limit. It stays for the rest of the turn.
	cut bool
	// broken is the first failure of the log's store.
	broken error

	mu          sync.Mutex
	diagnostics []replay.Diagnostic
	degrading   map[string]bool // by message id
}

// append logs events. An event that is refused is the fault of its content; any other failure is the
// log's.
func (r *run) append(events ...session.Event) (int64, error) {
	first, err := r.Session.Append(r.log, events...)
	var refused *session.Error
	switch {
	case err == nil:
		r.tell(events)
	case !errors.As(err, &refused):
		r.fail(err)
	}
	return first, err
}

// tell shows the messages among events that are in the log.
func (r *run) tell(events []session.Event) {
	if r.OnMessage == nil {
		return
	}
	for i := range events {
		e := &events[i]
		if e.SurfaceOp == nil {
			continue
		}
		data := []byte(e.Data)
		if e.Type != session.UserMessage {
			data = jsonvalue.Pick(data, "message")[0]
		}
		if m, err := message.ParseMessage(data); err == nil {
			r.OnMessage(&m)
		}
	}
}

func (r *run) sync() error {
	err := r.Session.Sync(r.log)
	if err != nil {
		r.fail(err)
		return fmt.Errorf("sync the session's log: %w", err)
	}
	return nil
}

func (r *run) fail(err error) {
	if r.broken == nil {
		r.broken = err
	}
}

// degraded takes the diagnostics of a provider, which may read messages on goroutines of its own.
func (r *run) degraded(d replay.Diagnostic) {
	r.mu.Lock()
	if !r.degrading[d.MessageID] {
		if r.degrading == nil {
			r.degrading = map[string]bool{}
		}
		r.degrading[d.MessageID] = true
		r.diagnostics = append(r.diagnostics, d)
	}
	r.mu.Unlock()
	if r.OnDiagnostic != nil {
		r.OnDiagnostic(d)
		return
	}
	replay.Process().Diagnostic(d)
}

func (r *run) report(report replay.Report) {
	if r.OnReport != nil {
		r.OnReport(report)
		return
	}
	r.Router.report(report)
}

// begin logs what a turn begins with, all or nothing.
func (r *run) begin(content []message.Block) error {
	state := r.Session.State()
	last, _ := state.Turn()
	r.at = place{last + 1, 1}
	// A turn that is open here is one whose end could not be written.
	events := now(state.Closers())
	events = append(events, turnStart(r.at.turn), r.at.event(session.StepStart), userMessage(content))
	events = append(events, r.headers(state.RequestHeader())...)
	_, err := r.append(events...)
	return err
}

// headers are the events for what has changed in the header of the requests. The context says no more
// than the header does about the route, so it changes with it.
func (r *run) headers(inForce []byte) []session.Event {
	head := header(r.Route, r.preface.System, r.Tools)
	if inForce == nil {
		return []session.Event{requestHeader(head, "initial"), requestContext(r.Route)}
	}
	if jsonspan.Equal(inForce, head) {
		return nil
	}
	events := []session.Event{requestHeader(head, "change")}
	if !jsonspan.Equal(config(inForce), config(head)) {
		events = append(events, requestContext(r.Route))
	}
	return events
}

func config(header []byte) []byte {
	doc, err := jsonspan.Scan(header, 1)
	if err != nil {
		return nil
	}
	config := jsonvalue.Member(doc.Root(), "config")
	return config.Raw()
}

// steps runs the turn up to its end, and returns why it has ended before it was completed.
func (r *run) steps() error {
	for {
		calls, err := r.step()
		if err != nil || len(calls) == 0 {
			return err
		}
		for i := range calls {
			if err := r.call(&calls[i]); err != nil {
				return err
			}
		}
		switch {
		case r.ctx.Err() != nil:
			return errCancelled
		case r.MaxSteps > 0 && r.at.step >= r.MaxSteps:
			return &message.Failure{
				Message: fmt.Sprintf("the model wanted more than the %d steps that a turn may take", r.MaxSteps),
				Code:    StepLimit,
			}
		}
		// The sync between steps is the one before the next request.
		next := place{r.at.turn, r.at.step + 1}
		if _, err := r.append(r.at.event(session.StepEnd), next.event(session.StepStart)); err != nil {
			return err
		}
		r.at = next
	}
}

// end closes the turn.
func (r *run) end(err error) (Outcome, error) {
	outcome, reason := r.outcome(err)
	// What the state would close after a crash is what there is to close now: it also has a result for
	// each call that did not get one.
	events := now(r.Session.State().Closers())
	if n := len(events); n > 0 {
		events[n-1] = r.at.turnEnd(reason)
		if _, err := r.append(events...); err != nil {
			r.fail(err)
		}
	}
	_ = r.sync()
	if r.broken != nil {
		return outcome, fmt.Errorf("the session's log has failed: %w", r.broken)
	}
	return outcome, nil
}

// now lets the log give events their times.
func now(events []session.Event) []session.Event {
	for i := range events {
		events[i].Time = 0
	}
	return events
}

// call runs one tool call and logs its result.
func (r *run) call(call *message.Block) error {
	if r.ctx.Err() != nil {
		return errCancelled
	}
	recorded, err := r.append(r.at.toolCall(call))
	if err != nil {
		return err
	}
	tool, arguments, result := prepare(r.Tools, call)
	if tool != nil {
		if err := r.sync(); err != nil {
			never := notStarted("the session could not be saved")
			_, _ = r.append(r.at.toolResult(call.ID, &never, recorded))
			return err
		}
		done := tool.run(r.ctx, arguments)
		result = &done
	}
	_, err = r.append(r.at.toolResult(call.ID, result, recorded))
	var refused *session.Error
	if errors.As(err, &refused) {
		lost := toolError(ResultRefused, "The tool has run, but its result cannot be kept: %s", refused.Detail)
		_, err = r.append(r.at.toolResult(call.ID, &lost, recorded))
	}
	return err
}
