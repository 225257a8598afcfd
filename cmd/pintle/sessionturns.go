package main

import (
	"encoding/json"
	"iter"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A loggedTurn is one turn of a log, as data. What stands in front of a log's first turn, or between two,
// has the turn 0.
type loggedTurn struct {
	Turn  int64 `json:"turn"`
	Start int64 `json:"start"` // ms since the epoch
	End   int64 `json:"end"`
	// Reason is that of the turn's end, null if it has not ended.
	Reason   json.RawMessage `json:"reason"`
	Messages []loggedMessage `json:"messages"`
	// Lost counts the chunks of attempts that became no message.
	Lost int `json:"lostChunks"`
}

// A loggedMessage is a message with what its event says of it.
type loggedMessage struct {
	Seq         int64           `json:"seq"`
	Step        int64           `json:"step,omitempty"`
	Message     message.Message `json:"message"`
	Usage       *message.Usage  `json:"usage,omitempty"`
	Interrupted bool            `json:"interrupted,omitempty"`
	// Replaces is the range of messages whose place it takes.
	Replaces json.RawMessage `json:"replaces,omitempty"`
	// Error is why a tool has no real result.
	Error json.RawMessage `json:"error,omitempty"`
	// Degrades says why the message goes without its replay state.
	Degrades *replay.Diagnostic `json:"degrades,omitempty"`
	// OtherLayout says that the replay state is one that only its own adapter can judge.
	OtherLayout bool `json:"otherLayout,omitempty"`
}

// turns groups the events of a log. It holds one turn at a time, without its chunks.
func turns(events iter.Seq2[session.Event, error]) iter.Seq2[*loggedTurn, error] {
	return func(yield func(*loggedTurn, error) bool) {
		var t *loggedTurn
		more := true
		done := func() {
			if more && t != nil && (t.Turn != 0 || len(t.Messages) > 0) {
				more = yield(t, nil)
			}
			t = nil
		}
		for e, err := range events {
			if err != nil {
				yield(nil, err)
				return
			}
			if e.Type == session.TurnStart {
				done()
			}
			if t == nil {
				t = &loggedTurn{Start: e.Time, Messages: []loggedMessage{}}
			}
			t.take(&e)
			if e.Type == session.TurnEnd {
				done()
			}
			if !more {
				return
			}
		}
		done()
	}
}

// eventData is what is read of the data of events. What has another type stays empty.
type eventData struct {
	turn, step    int64
	reason, error json.RawMessage
	message       *message.Message
	usage         *message.Usage
	interrupted   bool
}

// readEventData reads keys as the session does: as they are written.
func readEventData(data []byte) (d eventData) {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil {
		return d
	}
	member := func(key string) jsonspan.Node { return jsonvalue.Member(doc.Root(), key) }
	d.turn, _ = jsonvalue.Whole(member("turn"))
	d.step, _ = jsonvalue.Whole(member("step"))
	d.reason, d.error = member("reason").Raw(), member("error").Raw()
	if m, err := message.ParseMessage(member("message").Raw()); err == nil {
		d.message = &m
	}
	if u, err := message.ParseUsage(member("usage").Raw()); err == nil {
		d.usage = &u
	}
	d.interrupted = string(member("interrupted").Raw()) == "true"
	return d
}

func (t *loggedTurn) take(e *session.Event) {
	t.End = e.Time
	var d eventData
	switch e.Type {
	case session.AssistantChunk:
		t.Lost++
		return
	case session.UserMessage:
		if m, err := message.ParseMessage(e.Data); err == nil {
			d.message = &m
		}
	case session.TurnStart, session.TurnEnd, session.AssistantMessage, session.ToolResult:
		d = readEventData(e.Data)
	default:
		return
	}
	switch e.Type {
	case session.TurnStart:
		t.Turn, t.Start = d.turn, e.Time
	case session.TurnEnd:
		t.Reason = d.reason
	}
	if d.message == nil {
		return
	}
	m := loggedMessage{Seq: e.Seq, Step: d.step, Message: *d.message, Usage: d.usage, Interrupted: d.interrupted, Error: d.error}
	if string(e.SurfaceOp) != string(session.AtEnd()) {
		m.Replaces = e.SurfaceOp
	}
	if e.Type == session.AssistantMessage {
		t.Lost = max(0, t.Lost-len(e.Sources))
		if s := d.message.Source; s.ReplayState != nil {
			if d, ok := (&replay.Reader{}).Validate(m.Message).(*replay.Diagnostic); ok {
				if m.OtherLayout = doctor.IsOtherLayout(&m.Message, d); !m.OtherLayout {
					m.Degrades = d
				}
			}
		}
	}
	t.Messages = append(t.Messages, m)
}

// usage sums up what a turn's answers took.
func (t *loggedTurn) usage() *message.Usage {
	var sum *message.Usage
	for _, m := range t.Messages {
		if u := m.Usage; u != nil {
			if sum == nil {
				sum = &message.Usage{}
			}
			sum.Input += u.Input
			sum.Output += u.Output
			sum.CacheRead += u.CacheRead
			sum.CacheWrite += u.CacheWrite
			sum.Reasoning += u.Reasoning
		}
	}
	return sum
}
