package session

import (
	"errors"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Rebuild makes the events of a new session of what a salvage gave: the replay-state protocol, section
// "Salvage". h is the salvaged header, the zero Header if it was lost; it gives messages of older shapes
// the ids that they always had. The events have seqs from 0 without gaps, older shapes are brought up to
// date, and turns that were left open are closed. A [Session] that is created takes them all.
//
// Where something is missing, what remains is made fit: a message no longer cites what is lost; one that
// replaced messages replaces those that are left, or is appended if its range cannot be told any more;
// calls whose results are lost get results that say so, as providers insist on one for each call; and for
// the same reason a result is left out whose call is lost, or has got such a result.
//
// Errors pass through, those that are an *[Error] without ending it. Among them it yields an *Error for
// each event that is left out (EventUnsupported, LegacyUnsupported or Validation, which no session would
// take) or that had to be changed (CitationLost).
func Rebuild(h Header, salvaged iter.Seq2[Event, error], o Options) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		b := rebuilder{state: NewState(h), importer: importer{session: h.ID}, kinds: o.kinds(), yield: yield, last: -1}
		for e, err := range salvaged {
			var entry *Error
			switch {
			case errors.As(err, &entry):
				b.report(entry)
			case err != nil:
				yield(Event{}, err)
				return
			default:
				b.event(e)
			}
			if b.cancelled {
				return
			}
		}
		b.close(true)
	}
}

type rebuilder struct {
	state    *State
	importer importer
	kinds    kindSet
	seqs     seqMap
	last     int64 // the seq of the last salvaged event
	// missing says that something is, somewhere so far.
	missing   bool
	yield     func(Event, error) bool
	cancelled bool
}

func (b *rebuilder) report(entry *Error) {
	b.missing = true
	b.cancelled = b.cancelled || !b.yield(Event{}, entry)
}

// take appends an event to the new session.
func (b *rebuilder) take(e Event) *Error {
	err := checkLength(&e) // it may have grown
	if err == nil {
		err = checkAnswerable(&e)
	}
	if err == nil {
		err = b.state.apply(&e)
	}
	if err != nil {
		return err
	}
	b.cancelled = b.cancelled || !b.yield(e, nil)
	return nil
}

func (b *rebuilder) event(e Event) {
	old := e.Seq
	b.missing = b.missing || old != b.last+1
	b.last = old
	fault := checkEnvelope(&e)
	if fault == nil {
		e, fault = b.importer.event(e)
	}
	switch {
	case fault != nil:
		b.report(fault)
		return
	case !b.kinds.knows(&e):
		b.report(e.unsupported())
		return
	}
	b.bracket(&e)
	renamed := Event{Type: e.Type, Seq: b.state.next}
	if fault := b.renew(&e); fault != nil {
		fault.Detail = e.describe() + " is left out: " + strings.TrimPrefix(fault.Detail, renamed.describe()+": ")
		b.report(fault)
		return
	}
	b.seqs.add(old, e.Seq)
}

// bracket closes what an event shows to be over although its own end is missing.
func (b *rebuilder) bracket(e *Event) {
	switch e.Type {
	case TurnStart, StepStart, TurnEnd:
		if over := e.Type == TurnStart && b.state.inTurn; over || b.missing {
			b.close(over)
		}
	case StepEnd:
		if b.missing {
			b.answer()
		}
	}
}

// answer gives results to the calls that have none.
func (b *rebuilder) answer() {
	for l := b.state.calls.head; l != nil && !b.cancelled; l = b.state.calls.head {
		e := interruptedResult(l.key, l.value, b.state.next)
		e.Seq, e.Time = b.state.next, b.state.time
		if b.take(e) != nil {
			return
		}
	}
}

// close closes the open step, and the open turn too if it is over.
func (b *rebuilder) close(turn bool) {
	b.answer()
	if b.state.inStep && !b.cancelled {
		_ = b.take(Event{
			Type: StepEnd, Seq: b.state.next, Time: b.state.time,
			Data: append(numbers(b.state.turn, b.state.step), '}'),
		})
	}
	if !turn {
		return
	}
	for _, e := range b.state.Closers() {
		if b.cancelled || b.take(e) != nil {
			return
		}
	}
}

// renew takes an event under its new seq. On success e is the new event.
func (b *rebuilder) renew(e *Event) *Error {
	n := *e
	n.raw, n.sound, n.bare = nil, false, false
	n.Seq = b.state.next
	if !utf8.Valid(n.Data) {
		n.Data = []byte(wtf8.ToUTF8(string(n.Data)))
	}
	if fault := lossy(n.Data); fault != "" {
		return n.invalid("its data %s", fault)
	}
	if !surfaces(n.Type) {
		*e = n
		return b.take(n)
	}
	at, fault := surfaceOp(e)
	if fault != nil {
		return fault
	}
	lost := false
	n.Sources, lost = b.cite(e.Sources)
	var first, last *node
	if at != nil {
		first, last = b.span(at, n.Sources)
	}
	if first != nil {
		n.SurfaceOp = replaceOp(first.key, last.key)
		fault = b.take(n)
	}
	if at != nil && (first == nil || fault != nil && n.Type != ToolResult) {
		// The range is lost, or is not what was replaced.
		n.SurfaceOp, n.Sources, first, lost = AtEnd(), nil, nil, true
	}
	if first == nil {
		if fault = b.orphan(&n); fault == nil {
			fault = b.take(n)
		}
	}
	if fault != nil {
		return fault
	}
	if lost {
		detail := "it was made of events that are lost, and no longer names them"
		if at != nil && first == nil {
			detail = "it replaced messages that are lost, and is appended instead"
		}
		b.report(e.refuse(CitationLost, "%s", detail))
	}
	*e = n
	return nil
}

func replaceOp(start, end int64) []byte {
	op := strconv.AppendInt([]byte(`{"op":"replace","start":`), start, 10)
	return append(strconv.AppendInt(append(op, `,"end":`...), end, 10), '}')
}

// cite maps the events that a message was made of, and says whether some are lost. If all of them are,
// the message does not say any more what it was made of.
func (b *rebuilder) cite(old []int64) (sources []int64, lost bool) {
	if len(old) == 0 {
		return old, false
	}
	sources = make([]int64, 0, len(old))
	for _, seq := range old {
		if at, ok := b.seqs.find(seq); ok {
			sources = append(sources, at)
		} else {
			lost = true
		}
	}
	if len(sources) == 0 {
		return nil, lost
	}
	return sources, lost
}

// span finds what is left of the messages that a message replaced, which it cites all. nil if that cannot
// be told.
func (b *rebuilder) span(at *span, sources []int64) (first, last *node) {
	find := func(old int64) *node {
		if seq, ok := b.seqs.find(old); ok {
			return b.state.surface.find(seq)
		}
		return nil
	}
	if first, last = find(at.start), find(at.end); first != nil && last != nil {
		return first, last
	}
	cited := make(map[*node]bool, len(sources))
	var some *node
	for _, seq := range sources {
		if n := b.state.surface.find(seq); n != nil {
			cited[n] = true
			some = n
		}
	}
	switch {
	case first != nil:
		for last = first; last.next != nil && cited[last.next]; last = last.next {
		}
		return first, last
	case last != nil:
		for first = last; first.prev != nil && cited[first.prev]; first = first.prev {
		}
		return first, last
	case some == nil:
		return nil, nil
	}
	// Both ends are lost: it is the cited messages if they stand together.
	for first = some; first.prev != nil && cited[first.prev]; first = first.prev {
	}
	n := 1
	for last = first; last.next != nil && cited[last.next]; last = last.next {
		n++
	}
	if n != len(cited) {
		return nil, nil
	}
	return first, last
}

// orphan refuses a tool result that is appended without a call that waits for it, if that may be because
// something is missing.
func (b *rebuilder) orphan(e *Event) *Error {
	if e.Type != ToolResult || !b.missing {
		return nil
	}
	h, fault := checkMessage(e)
	if fault == nil && b.state.calls.find(h.message.Source.CallID) == nil {
		fault = e.invalid("the call that it answers is lost, or has got another result")
	}
	return fault
}
