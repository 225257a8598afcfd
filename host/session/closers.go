package session

import (
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// The codes of the results that are made for the calls of an interrupted turn.
const (
	// ToolNotStarted is that of a call that had not been recorded: it can be made again.
	ToolNotStarted = "TOOL_NOT_STARTED"
	// ToolOutcomeUnknown is that of a call that had been recorded: it may have had its effect.
	ToolOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
)

// The texts that tell the model.
const (
	notStartedText = "This tool call was not started: the session was interrupted before it. " +
		"Call the tool again if it is still needed."
	outcomeUnknownText = "The session was interrupted while this tool call was running, and its result was " +
		"not recorded. It may or may not have taken effect. Do not simply repeat it: if it only reads, or " +
		"if doing it twice does no harm, it can be repeated; otherwise find out first what has happened, " +
		"or ask the user."
)

// A progress is how far a log has come: what a crash at its end would leave open.
type progress struct {
	next, time int64
	last       string // the type of the last event
	turn       int64
	inTurn     bool
	step       int64
	inStep     bool
	// chunk is the first chunk of the open step behind its last message, -1 if there is none.
	chunk int64
	// calls are those that a message asked for and that have no result. It is never emptied but exchanged,
	// so that a copy of a progress keeps what it had.
	calls *chain[string, openCall]
}

// An openCall is a tool call without a result.
type openCall struct {
	turn, step int64
	recorded   int64 // the seq of its tool/call, -1 if there is none
}

func newProgress() progress {
	return progress{chunk: -1, calls: &chain[string, openCall]{}}
}

// pass moves on behind an event. m is its message, nil if it has none. undo, if not nil, is given what
// takes back the change of the calls.
func (p *progress) pass(e *Event, m *message.Message, undo func(func())) {
	p.next, p.time, p.last = e.Seq+1, e.Time, e.Type
	switch e.Type {
	case TurnStart:
		p.turn, p.inTurn = place(e.Data, "turn", p.turn+1), true
		p.leaveStep()
	case TurnEnd:
		p.inTurn = false
		p.leaveStep()
	case StepStart:
		p.step, p.inStep, p.chunk = place(e.Data, "step", p.step+1), true, -1
	case StepEnd:
		p.leaveStep()
	case AssistantChunk:
		if p.inStep && p.chunk < 0 {
			p.chunk = e.Seq
		}
	case AssistantMessage:
		p.chunk = -1
		p.ask(e, m, undo)
	case ToolCall:
		p.record(e, undo)
	case ToolResult:
		if l := p.calls.find(m.Source.CallID); l != nil {
			calls := p.calls
			calls.remove(l)
			if undo != nil {
				undo(func() { calls.reinsert(l) })
			}
		}
	}
}

func (p *progress) leaveStep() {
	p.inStep, p.chunk = false, -1
	if p.calls.head != nil {
		p.calls = &chain[string, openCall]{}
	}
}

// ask adds the calls of a message. One that is open already stays as it is: what is known of it is on
// the safe side.
func (p *progress) ask(e *Event, m *message.Message, undo func(func())) {
	turn, step, known := int64(0), int64(0), false
	for i := range m.Content {
		b := &m.Content[i]
		if b.Type != message.ToolCall || p.calls.find(b.ID) != nil {
			continue
		}
		if !known {
			turn, step, known = place(e.Data, "turn", p.turn), place(e.Data, "step", p.step), true
		}
		l := &item[string, openCall]{key: b.ID, value: openCall{turn, step, -1}}
		calls := p.calls
		calls.add(l)
		if undo != nil {
			undo(func() { calls.remove(l) })
		}
	}
}

// record notes that a call has been recorded.
func (p *progress) record(e *Event, undo func(func())) {
	if p.calls.head == nil {
		return
	}
	doc, err := jsonspan.Scan(e.Data, 1)
	if err != nil {
		return
	}
	l := p.calls.find(jsonvalue.String(jsonvalue.Member(doc.Root(), "callId")))
	if l == nil {
		return
	}
	was := l.value.recorded
	l.value.recorded = e.Seq
	if undo != nil {
		undo(func() { l.value.recorded = was })
	}
}

// place reads the number of a turn or step from an event's data.
func place(data []byte, key string, otherwise int64) int64 {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil {
		return otherwise
	}
	if n, ok := jsonvalue.Whole(jsonvalue.Member(doc.Root(), key)); ok {
		return n
	}
	return otherwise
}

// closers returns the events that close what is open.
func (p *progress) closers() []Event {
	if !p.inTurn {
		return nil
	}
	var events []Event
	add := func(e Event) {
		e.Seq, e.Time = p.next+int64(len(events)), p.time
		events = append(events, e)
	}
	for l := p.calls.head; l != nil; l = l.next {
		add(interruptedResult(l.key, l.value, p.next+int64(len(events))))
	}
	if p.inStep {
		add(Event{Type: StepEnd, Data: append(numbers(p.turn, p.step), '}')})
	}
	add(Event{Type: TurnEnd, Data: append(strconv.AppendInt([]byte(`{"turn":`), p.turn, 10),
		`,"reason":{"kind":"interrupted"}}`...)})
	return events
}

// interruptedResult is the result of a call that has none. Its seq is part of its message's id.
func interruptedResult(call string, c openCall, seq int64) Event {
	code, name, text := ToolNotStarted, "ToolNotStartedError", notStartedText
	e := Event{Type: ToolResult, SurfaceOp: AtEnd()}
	if c.recorded >= 0 {
		code, name, text = ToolOutcomeUnknown, "ToolOutcomeUnknownError", outcomeUnknownText
		e.Sources = []int64{c.recorded}
	}
	m := message.Message{
		ID:   "interrupted-tool-result-" + call + "-" + strconv.FormatInt(seq, 10),
		Role: message.User,
		Content: []message.Block{{
			Type: message.ToolResult, ToolCallID: call, IsError: true,
			Content: []message.Block{{Type: message.Text, Text: text}},
		}},
		Source: message.Source{Kind: message.FromTool, CallID: call},
	}
	e.Data = append(numbers(c.turn, c.step), `,"message":`...)
	e.Data = append(m.AppendJSON(e.Data), `,"error":{"name":`...)
	e.Data = append(wtf8.AppendQuote(e.Data, name), `,"code":`...)
	e.Data = append(wtf8.AppendQuote(e.Data, code), "}}"...)
	return e
}

// numbers begins an event's data.
func numbers(turn, step int64) []byte {
	data := strconv.AppendInt([]byte(`{"turn":`), turn, 10)
	return strconv.AppendInt(append(data, `,"step":`...), step, 10)
}

// Closers returns the events that close what a log leaves open: a result for each tool call that a
// message asked for and that has none, the end of the step, the end of the turn. There are none if the
// last turn has ended. The log need not be valid; that of a [State] is, and it knows its own closers. See
// the replay-state protocol, section "Closers".
func Closers(events []Event) []Event {
	p := newProgress()
	for i := range events {
		e := &events[i]
		var m message.Message
		if e.Type == AssistantMessage || e.Type == ToolResult {
			if doc, err := jsonspan.Scan(e.Data, 1); err == nil {
				m, _ = message.ParseMessage(jsonvalue.Member(doc.Root(), "message").Raw())
			}
		}
		p.pass(e, &m, nil)
	}
	return p.closers()
}
