package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/pintle-wasm/pintle/host/message"
)

// A Session is a log that is being written, with what it amounts to. One call at a time.
type Session struct {
	log    Log
	state  *State
	kinds  kindSet
	older  bool // the log has events in older shapes
	closed bool
}

// Create begins a session. Nothing is stored before its first Append. CreatedAt is now if it is 0. It
// fails with ErrExists, at the latest with the first Append, and with an *[Error] (HeaderInvalid) for a
// header that no log can have.
func Create(ctx context.Context, store Store, h Header, o Options) (*Session, error) {
	if h.CreatedAt == 0 {
		h.CreatedAt = time.Now().UnixMilli()
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	log, err := store.Create(ctx, h)
	if err != nil {
		return nil, err
	}
	return &Session{log: log, state: NewState(h), kinds: o.kinds()}, nil
}

// Open takes up a stored session: it is repaired as Repair does, and an event session/end-seed marks in
// the log where its new part begins, unless it ends in one. A log that is refused is left as it is; the
// error is then an *[Error]. Open fails with ErrNotFound, and with ErrLocked if another writer has it.
func Open(ctx context.Context, store Store, id string, o Options) (*Session, Recovery, error) {
	log, err := store.Open(ctx, id)
	if err != nil {
		return nil, Recovery{}, err
	}
	var s *Session
	var r Recovery
	if h := log.Header(); h.ID != id {
		err = locate(log, &Error{
			Code: IdentityMismatch, Line: 1, Detail: fmt.Sprintf("this is the log of session %q, not of %q", h.ID, id),
		})
	} else {
		s, r, err = Take(ctx, log, o)
	}
	if err != nil {
		log.Close()
		return nil, Recovery{}, err
	}
	return s, r, nil
}

// Take is Open for a log at hand. The session closes the log; if Take fails, the log stays open.
func Take(ctx context.Context, log Log, o Options) (*Session, Recovery, error) {
	l, err := repair(ctx, log, o)
	if err != nil {
		return nil, Recovery{}, err
	}
	s := &Session{log: log, state: l.state, kinds: o.kinds(), older: l.older}
	if l.state.Last() != EndSeed {
		if _, err := s.Append(ctx, Event{Type: EndSeed, Data: json.RawMessage("{}")}); err != nil {
			return nil, Recovery{}, err
		}
	}
	return s, l.recovery, nil
}

// Append checks events and stores them. It gives them their seqs, whatever they have, and the time of now
// to those whose Time is 0, and returns the first seq. Either all of them are stored or none: then the
// session is as it was, and can go on. Once Append has returned, the events survive the death of the
// process (see [Log]); the session keeps nothing of them that the caller may change.
//
// An *[Error] says that an event cannot be in the log. EventUnsupported and LegacyUnsupported are of kinds
// that could not be read again (see [Options]). Validation is of an event that does not pass
// [State.Apply], has a shape that only older versions wrote, has data that would not survive JSON
// unchanged (text that is not UTF-8, a negative zero, a number beyond the range of a double), is longer
// than MaxLine, or asks for a tool call with an id of more than 1 MiB. Any other error is the store's.
func (s *Session) Append(ctx context.Context, events ...Event) (first int64, err error) {
	if s.closed {
		return 0, ErrClosed
	}
	first = s.state.Next()
	if len(events) == 0 {
		return first, nil
	}
	own := make([]Event, len(events))
	before := s.state.save()
	for i := range events {
		var bad *Error
		if own[i], bad = s.admit(events[i], first+int64(i)); bad == nil {
			bad = checkAnswerable(&own[i])
		}
		if bad == nil {
			bad = s.state.apply(&own[i])
		}
		if bad != nil {
			s.state.back(before)
			return 0, bad
		}
	}
	if err := s.log.Append(ctx, own...); err != nil {
		s.state.back(before)
		return 0, err
	}
	s.state.keep()
	return first, nil
}

// admit returns the event as it will be read again, in memory of its own.
func (s *Session) admit(e Event, seq int64) (Event, *Error) {
	if e.raw != nil {
		if err := checkEnvelope(&e); err != nil {
			return Event{}, err
		}
		e.raw, e.sound, e.bare = nil, false, false
	}
	e.Seq = seq
	if e.Time == 0 {
		e.Time = time.Now().UnixMilli()
	}
	if err := checkEnvelope(&e); err != nil {
		return Event{}, err
	}
	if fault := lossy(e.Data); fault != "" {
		return Event{}, e.invalid("its data %s", fault)
	}
	line := e.AppendJSON(make([]byte, 0, len(e.Type)+len(e.Data)+len(e.SurfaceOp)+20*len(e.Sources)+128))
	if len(line) > MaxLine {
		return Event{}, e.invalid("it has %d bytes, the limit is %d", len(line), MaxLine)
	}
	own, err := ParseEvent(line)
	switch {
	case err != nil:
		return Event{}, e.invalid("%v", err)
	case own.Type != e.Type:
		return Event{}, e.invalid("its type is not text in UTF-8")
	case !s.kinds.knows(&own):
		return Event{}, own.unsupported()
	}
	im := importer{}
	if _, err := im.event(own); err != nil {
		return Event{}, err
	} else if im.changed {
		return Event{}, own.invalid("this is how an older version has written it")
	}
	return own, nil
}

// Sync returns when all that was appended also survives the failure of the machine.
func (s *Session) Sync(ctx context.Context) error {
	if s.closed {
		return ErrClosed
	}
	return s.log.Sync(ctx)
}

// Header is the log's.
func (s *Session) Header() Header { return s.log.Header() }

// State is what the log amounts to. It changes with the session, and must not be changed by others.
func (s *Session) State() *State { return s.state }

// Messages returns the history. See [State.Messages].
func (s *Session) Messages() []message.Message { return s.state.Messages() }

// Events yields the log's events from a seq on, in today's shapes.
func (s *Session) Events(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return suffix(ctx, s.log, from, s.older)
}

// Close ends the session and gives the log free. A turn that is open stays open, and is closed when the
// session is taken up again. It can be called twice.
func (s *Session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.log.Close()
}
