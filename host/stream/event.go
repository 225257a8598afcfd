package stream

import "github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"

// The types of events.
const (
	EventStart         = "start"
	EventTextStart     = "text_start"
	EventTextDelta     = "text_delta"
	EventTextEnd       = "text_end"
	EventThinkingStart = "thinking_start"
	EventThinkingDelta = "thinking_delta"
	EventThinkingEnd   = "thinking_end"
	EventToolCallStart = "toolcall_start"
	EventToolCallDelta = "toolcall_delta"
	EventToolCallEnd   = "toolcall_end"
	EventImageEnd      = "image_end"
	EventDone          = "done"  // terminal
	EventError         = "error" // terminal
)

// An Event is one step of an assistant message. Apart from Message it does not change any more.
//
// The first event of a stream is a start, and the last one, which is the only one of its kind, a done or
// an error. Blocks are numbered from 0 in the order in which they open; a delta or an end comes behind
// the start of its block. A block need not end, and may go on behind its end, which then comes again.
type Event struct {
	Type string
	// ContentIndex is the place of the block in the message that a block event is about.
	ContentIndex int
	// Delta is the fragment of a delta. That of a tool call is in the provider's words.
	Delta string
	// Content is the whole text of a block that has ended.
	Content string
	// Block is that of a toolcall_end or image_end event.
	Block *Block
	// Reason is that of a terminal event: the message's stop reason.
	Reason string
	// Message is the message so far: one value that all events of a stream share and that grows with them.
	// Use its Snapshot to keep what it holds now. In a terminal event it is whole.
	Message *Message
}

// MarshalJSON implements [encoding/json.Marshaler]: the event with its message.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil, true), nil }

// AppendJSON appends the event as hosts have it, with or without its message: the member partial, or that
// of a terminal event. The JSON has no line breaks.
func (e *Event) AppendJSON(dst []byte, withMessage bool) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", e.Type)
	message := "partial"
	switch e.Type {
	case EventStart:
	case EventDone:
		o.Text("reason", e.Reason)
		message = "message"
	case EventError:
		o.Text("reason", e.Reason)
		message = "error"
	default:
		o.Whole("contentIndex", int64(e.ContentIndex))
	}
	switch e.Type {
	case EventTextDelta, EventThinkingDelta, EventToolCallDelta:
		o.Text("delta", e.Delta)
	case EventTextEnd, EventThinkingEnd:
		o.Text("content", e.Content)
	case EventToolCallEnd:
		o.Key("toolCall")
		o.Out = e.Block.AppendJSON(o.Out)
	case EventImageEnd:
		o.Key("content")
		o.Out = e.Block.AppendJSON(o.Out)
	}
	if withMessage && e.Message != nil {
		o.Key(message)
		o.Out = e.Message.AppendJSON(o.Out)
	}
	return o.End()
}
