package main

import (
	"encoding/json"
	"iter"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
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
	Turn        int64            `json:"turn"`
	Step        int64            `json:"step"`
	Reason      json.RawMessage  `json:"reason"`
	Message     *message.Message `json:"message"`
	Usage       *message.Usage   `json:"usage"`
	Interrupted bool             `json:"interrupted"`
	Error       json.RawMessage  `json:"error"`
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
			d.Message = &m
		}
	case session.TurnStart, session.TurnEnd, session.AssistantMessage, session.ToolResult:
		_ = json.Unmarshal(e.Data, &d)
	default:
		return
	}
	switch e.Type {
	case session.TurnStart:
		t.Turn, t.Start = d.Turn, e.Time
	case session.TurnEnd:
		t.Reason = d.Reason
	}
	if d.Message == nil {
		return
	}
	m := loggedMessage{Seq: e.Seq, Step: d.Step, Message: *d.Message, Usage: d.Usage, Interrupted: d.Interrupted, Error: d.Error}
	if string(e.SurfaceOp) != string(session.Append) {
		m.Replaces = e.SurfaceOp
	}
	if e.Type == session.AssistantMessage {
		t.Lost = max(0, t.Lost-len(e.Sources))
		if s := d.Message.Source; s.ReplayState != nil {
			if d, ok := replay.Validate(s.ReplayState, m.Message, false).(*replay.Diagnostic); ok {
				m.Degrades = d
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

// lastRoute is the route that a session is on: that of its last request, or else of its last answer.
func lastRoute(s *session.State) message.Route {
	var header struct {
		Config message.Route `json:"config"`
	}
	if json.Unmarshal(s.RequestHeader(), &header) == nil && header.Config.Provider != "" {
		return header.Config
	}
	messages := s.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if m := &messages[i]; m.Source.Kind == message.FromModel {
			return m.Source.Requested()
		}
	}
	return message.Route{}
}
