package turn

import (
	"crypto/rand"
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// newID returns a fresh id of a message.
func newID() string { return rand.Text() }

// A place is where in a session something happens.
type place struct{ turn, step int64 }

// open begins the data of an event of a step; it has to be closed.
func (p place) open(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"turn":`...), p.turn, 10)
	return strconv.AppendInt(append(dst, `,"step":`...), p.step, 10)
}

// event is an event of a step that says nothing but where it is.
func (p place) event(kind string) session.Event {
	return session.Event{Type: kind, Data: append(p.open(nil), '}')}
}

func turnStart(turn int64) session.Event {
	data := strconv.AppendInt([]byte(`{"turn":`), turn, 10)
	return session.Event{Type: session.TurnStart, Data: append(data, '}')}
}

func (p place) turnEnd(reason []byte) session.Event {
	data := strconv.AppendInt([]byte(`{"turn":`), p.turn, 10)
	data = append(append(data, `,"reason":`...), reason...)
	return session.Event{Type: session.TurnEnd, Data: append(data, '}')}
}

func userMessage(content []message.Block) session.Event {
	m := message.Message{
		ID: newID(), Role: message.User, Content: content, Source: message.Source{Kind: message.FromUser},
	}
	return session.Event{Type: session.UserMessage, Data: m.AppendJSON(nil), SurfaceOp: session.AtEnd()}
}

// chunk makes the event of a chunk in a buffer, which the log does not keep.
func (p place) chunk(buffer []byte, c *message.Chunk) session.Event {
	buffer = append(p.open(buffer), `,"chunk":`...)
	return session.Event{Type: session.AssistantChunk, Data: append(c.AppendJSON(buffer), '}')}
}

// answer makes the event of an assistant message. cited are the seqs of its chunks and not nil.
func (p place) answer(
	m *message.Message, usage *message.Usage, interrupted bool, cited []int64,
) session.Event {
	data := append(p.open(nil), `,"message":`...)
	data = m.AppendJSON(data)
	if interrupted {
		data = append(data, `,"interrupted":true`...)
	}
	if usage != nil {
		data = usage.AppendJSON(append(data, `,"usage":`...))
	}
	return session.Event{
		Type: session.AssistantMessage, Data: append(data, '}'),
		SurfaceOp: session.AtEnd(), Sources: cited,
	}
}

func (p place) toolCall(call *message.Block) session.Event {
	data := append(p.open(nil), `,"callId":`...)
	data = append(wtf8.AppendQuote(data, call.ID), `,"name":`...)
	data = append(wtf8.AppendQuote(data, call.Name), `,"arguments":`...)
	return session.Event{Type: session.ToolCall, Data: append(wtf8.AppendQuote(data, call.Arguments), '}')}
}

// toolResult makes the event of a result. The block is written here since it says that it is no error
// too, which a message.Block leaves out.
func (p place) toolResult(callID string, r *toolResult, recorded int64) session.Event {
	data := append(p.open(nil), `,"message":{"id":`...)
	data = append(wtf8.AppendQuote(data, newID()), `,"role":"user","content":[{"type":"tool-result",`...)
	data = append(data, `"toolCallId":`...)
	data = append(wtf8.AppendQuote(data, callID), `,"content":[`...)
	for i := range r.content {
		if i > 0 {
			data = append(data, ',')
		}
		data = r.content[i].AppendJSON(data)
	}
	data = append(data, `],"isError":`...)
	data = append(strconv.AppendBool(data, r.code != ""), `}],"source":{"kind":"tool","callId":`...)
	data = append(wtf8.AppendQuote(data, callID), "}}"...)
	if r.code != "" {
		data = append(data, `,"error":{"name":"ToolError","code":`...)
		data = append(wtf8.AppendQuote(data, r.code), '}')
	}
	return session.Event{
		Type: session.ToolResult, Data: append(data, '}'),
		SurfaceOp: session.AtEnd(), Sources: []int64{recorded},
	}
}

// header makes the header of a request.
func header(route message.Route, system string, tools []Tool) []byte {
	data := wtf8.AppendQuote([]byte(`{"config":{"provider":`), route.Provider)
	data = append(wtf8.AppendQuote(append(data, `,"model":`...), route.Model), '}')
	if system != "" {
		data = wtf8.AppendQuote(append(data, `,"system":`...), system)
	}
	for i := range tools {
		t := &tools[i]
		if i == 0 {
			data = append(data, `,"tools":[`...)
		} else {
			data = append(data, ',')
		}
		data = wtf8.AppendQuote(append(data, `{"name":`...), t.Name)
		data = wtf8.AppendQuote(append(data, `,"description":`...), t.Description)
		if len(t.Parameters) > 0 {
			data = append(append(data, `,"parameters":`...), t.Parameters...)
		}
		data = append(data, '}')
	}
	if len(tools) > 0 {
		data = append(data, ']')
	}
	return append(data, '}')
}

// requestHeader is the event of a header. reason is "initial" or "change".
func requestHeader(header []byte, reason string) session.Event {
	data := append(append([]byte(`{"header":`), header...), `,"reason":`...)
	return session.Event{Type: session.RequestHeader, Data: append(wtf8.AppendQuote(data, reason), '}')}
}

func requestContext(route message.Route) session.Event {
	data := wtf8.AppendQuote([]byte(`{"provider":`), route.Provider)
	data = wtf8.AppendQuote(append(data, `,"model":`...), route.Model)
	return session.Event{Type: session.RequestContext, Data: append(data, '}')}
}
