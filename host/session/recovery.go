package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Recovery is what had to be done to take up a log.
type Recovery struct {
	// Tail is how many bytes were cut from its end: a write that had not been finished.
	Tail int64
	// Closed are the events that were appended to close what was open.
	Closed []Event
	// Uncommitted is what a model had said when the session was interrupted, and what the history lacks.
	Uncommitted []Uncommitted
}

// UncommittedOutput is the code of an [Uncommitted].
const UncommittedOutput Code = "UNCOMMITTED_OUTPUT"

// An Uncommitted is the text and reasoning of an answer that was streaming when its session was
// interrupted. The log has its chunks, but it never becomes a message: the model had not finished it.
type Uncommitted struct {
	Turn, Step int64
	// Blocks are not empty, and none of them is blank.
	Blocks []message.Block
}

// Repair makes a log fit to go on, as the replay-state protocol says, section "Loading". It reads the log
// through and checks it with the events that close what is open. Then, and only if all of it is valid, it
// cuts a torn tail, appends those events and syncs. To repair a log twice changes nothing the second time.
//
// The error is an *[Error] that names the file and the line, if the log is in a file: one of those of a
// damaged log, EventUnsupported, LegacyUnsupported or Validation. The log has not been changed then.
func Repair(ctx context.Context, log Log, o Options) (Recovery, error) {
	l, err := repair(ctx, log, o)
	if err != nil {
		return Recovery{}, err
	}
	return l.recovery, nil
}

func repair(ctx context.Context, log Log, o Options) (*loaded, error) {
	l, err := load(ctx, log, o)
	if err != nil {
		return nil, err
	}
	if l.recovery.Tail == 0 && len(l.recovery.Closed) == 0 {
		return l, nil
	}
	if err := log.Cut(ctx); err != nil {
		return nil, err
	}
	if len(l.recovery.Closed) > 0 {
		if err := log.Append(ctx, l.recovery.Closed...); err != nil {
			return nil, err
		}
	}
	return l, log.Sync(ctx)
}

// An Inspection is a log as Repair would make it, without anything having been written.
type Inspection struct {
	// State is that of the log with the events that close what is open. It must not be changed.
	State *State
	// Recovery is what there is to be done.
	Recovery Recovery

	view  View
	older bool
}

// Inspect reads a log through and checks it, under the terms of Repair. It cannot tell a session that is
// being written at this moment from one that was interrupted.
func Inspect(ctx context.Context, v View, o Options) (*Inspection, error) {
	l, err := load(ctx, v, o)
	if err != nil {
		return nil, err
	}
	return &Inspection{l.state, l.recovery, v, l.older}, nil
}

// Events yields the log's events from a seq on, in today's shapes, and behind them those that close what
// is open. The view has to be open still.
func (i *Inspection) Events(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range suffix(ctx, i.view, from, i.older) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		for _, e := range i.Recovery.Closed {
			if e.Seq >= from && !yield(e, nil) {
				return
			}
		}
	}
}

// suffix yields a log's events from a seq on, in today's shapes.
func suffix(ctx context.Context, v View, from int64, older bool) iter.Seq2[Event, error] {
	if !older || from < 0 {
		return v.Events(ctx, from)
	}
	return func(yield func(Event, error) bool) {
		// What an older event becomes may depend on an earlier one.
		for e, err := range Import(v.Header(), v.Events(ctx, 0)) {
			if (err != nil || e.Seq >= from) && !yield(e, err) {
				return
			}
		}
	}
}

// A loaded log has been read through, but not written.
type loaded struct {
	state    *State // with the closers
	recovery Recovery
	older    bool
}

func load(ctx context.Context, v View, o Options) (*loaded, error) {
	state, older, err := read(ctx, v, o)
	if err != nil {
		return nil, locate(v, err)
	}
	l := loaded{state: state, older: older, recovery: Recovery{Tail: v.Tail()}}
	if l.recovery.Uncommitted, err = uncommitted(ctx, v, state); err != nil {
		return nil, locate(v, err)
	}
	l.recovery.Closed = state.Closers()
	for i := range l.recovery.Closed {
		e := &l.recovery.Closed[i]
		err := state.apply(e)
		if err == nil {
			err = checkLength(e) // as they are to be written
		}
		if err != nil {
			return nil, locate(v, fmt.Errorf("the turn that is open cannot be closed: %w", err))
		}
	}
	return &l, nil
}

// read reads a log through. A log that has several faults is refused for one that keeps it from being
// read at all before one that makes it invalid.
func read(ctx context.Context, v View, o Options) (s *State, older bool, _ error) {
	h := v.Header()
	s = NewState(h)
	im := importer{session: h.ID}
	kinds := o.kinds()
	var unsupported, invalid *Error
	for e, err := range v.Events(ctx, 0) {
		if err != nil {
			return nil, false, err
		}
		e, bad := im.event(e)
		switch {
		case bad != nil:
			return nil, false, bad
		case unsupported != nil:
		case !kinds.knows(&e):
			unsupported = e.unsupported()
		case invalid == nil:
			invalid = s.apply(&e)
		}
	}
	switch {
	case unsupported != nil:
		return nil, false, unsupported
	case invalid != nil:
		return nil, false, invalid
	}
	return s, im.changed, nil
}

// locate gives an error the name of the file that a log is in.
func locate(v View, err error) error {
	var e *Error
	if f, ok := v.(interface{ Path() string }); ok && errors.As(err, &e) && e.Path == "" {
		e.Path = f.Path()
	}
	return err
}

// Path is the file that the log is in.
func (v *view) Path() string { return v.path }

// uncommitted reads again what the open step has streamed since its last message.
func uncommitted(ctx context.Context, v View, s *State) ([]Uncommitted, error) {
	if !s.inTurn || s.chunk < 0 {
		return nil, nil
	}
	var a assembler.Assembler
	for e, err := range v.Events(ctx, s.chunk) {
		if err != nil {
			return nil, err
		}
		if e.Type != AssistantChunk {
			continue
		}
		doc, err := jsonspan.Scan(e.Data, 1)
		if err != nil {
			continue
		}
		c, err := message.ParseChunk(jsonvalue.Member(doc.Root(), "chunk").Raw())
		if err != nil {
			continue
		}
		if c.Type == message.FinishChunk {
			a.Reset() // an attempt that failed
			continue
		}
		_ = a.Push(&c) // what it does not take is not shown
	}
	blocks := a.Interrupted()
	if len(blocks) == 0 {
		return nil, nil
	}
	return []Uncommitted{{Turn: s.turn, Step: s.step, Blocks: blocks}}, nil
}
