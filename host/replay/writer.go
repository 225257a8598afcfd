package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// StreamClosed is the code of the failure of a stream that ends without a done or error event.
const StreamClosed = "STREAM_CLOSED"

// A Writer turns the native (pi-ai) events of one answer into chunks. It is for one stream and one
// goroutine; the zero value is ready. See the replay-state protocol, sections "Native events to chunks"
// and "Stop reasons".
type Writer struct {
	// Reference switches to the behaviour of the reference: entries are listed in the native order
	// whatever was streamed, every done event has an envelope, and a route that answers for another one is
	// not told.
	Reference bool
	// Requested is the route that the adapter was called with. If the native answer names another one, the
	// finish chunk says so in Answered.
	Requested message.Route
	// ContextWindow is how many tokens the model takes, 0 if that is not known. It serves to recognise
	// answers to a request that was too long.
	ContextWindow int64

	// emitted are the indexes of all blocks, in the order of their first chunk.
	emitted []float64
	known   map[float64]bool
	calls   map[float64]call
	ended   bool
	out     [2]message.Chunk
}

// A call is what the deltas of a tool call repeat.
type call struct{ id, name string }

// Event takes one event, a JSON object, and returns the chunks that it stands for. The slice is valid
// until the next call; the chunks in it may be kept. Events of an unknown type, and whatever comes
// behind a done or error event, are nothing. The error says what is wrong with an event; the stream can
// be gone on with.
//
// An answer that the provider calls complete may be an error for all that: without any content
// (EMPTY_RESPONSE), or of a request that did not fit the model (CONTEXT_WINDOW_EXCEEDED). The finish
// chunk then has a failure and the envelope too.
func (w *Writer) Event(data json.RawMessage) ([]message.Chunk, error) {
	if w.ended {
		return nil, nil
	}
	doc, err := jsonspan.Scan(data, 1)
	if err != nil {
		return nil, fmt.Errorf("native event: %w", err)
	}
	kind, ok := jsonvalue.Text(jsonvalue.Member(doc.Root(), "type"))
	if !ok {
		return nil, errors.New("native event: type is not a string")
	}
	n, err := w.event(kind, doc.Root())
	if err != nil {
		return nil, fmt.Errorf("native event %s: %w", kind, err)
	}
	return w.out[:n], nil
}

// End says that the stream is over. The error, a *[message.Failure] with the code StreamClosed, says
// that it has ended too early.
func (w *Writer) End() error {
	if w.ended {
		return nil
	}
	return &message.Failure{
		Message: "the native event stream ended without a done or error event", Code: StreamClosed,
	}
}

// event puts the chunks into w.out and returns their number.
func (w *Writer) event(kind string, n jsonspan.Node) (int, error) {
	switch kind {
	case "done", "error":
		return 2, w.finish(kind, n)
	case "text_start", "thinking_start", "toolcall_start",
		"text_delta", "thinking_delta", "toolcall_delta",
		"text_end", "thinking_end", "toolcall_end":
	default:
		return 0, nil
	}
	index, ok := jsonvalue.Number(jsonvalue.Member(n, "contentIndex"))
	if !ok {
		return 0, errors.New("contentIndex is not a number")
	}
	c, err := w.chunk(kind, n, index)
	if err != nil {
		return 0, err
	}
	w.out[0] = c
	if !w.known[index] {
		if w.known == nil {
			w.known = map[float64]bool{}
		}
		w.known[index] = true
		w.emitted = append(w.emitted, index)
	}
	return 1, nil
}

func (w *Writer) chunk(kind string, n jsonspan.Node, index float64) (message.Chunk, error) {
	c := message.Chunk{Index: index}
	var err error
	switch kind {
	case "text_start":
		c.Type, c.BlockType = message.BlockStart, message.Text
	case "thinking_start":
		c.Type, c.BlockType = message.BlockStart, message.Reasoning
	case "toolcall_start":
		c.Type, c.BlockType = message.BlockStart, message.ToolCall
		if w.calls == nil {
			w.calls = map[float64]call{}
		}
		w.calls[index] = startedCall(n, index)
	case "text_delta":
		c.Type = message.TextDelta
		c.Text, err = need(n, "delta")
	case "thinking_delta":
		c.Type = message.ReasoningDelta
		c.Text, err = need(n, "delta")
	case "toolcall_delta":
		c.Type = message.ToolCallDelta
		c.ID, c.Name = w.calls[index].id, w.calls[index].name
		c.ArgumentsDelta, err = need(n, "delta")
	case "text_end":
		c.Type, c.Block = message.BlockEnd, &message.Block{Type: message.Text}
		c.Block.Text, err = need(n, "content")
	case "thinking_end":
		c.Type, c.Block = message.BlockEnd, &message.Block{Type: message.Reasoning}
		c.Block.Text, err = need(n, "content")
	case "toolcall_end":
		c.Type = message.BlockEnd
		c.Block, err = endedCall(jsonvalue.Member(n, "toolCall"))
	}
	return c, err
}

func need(n jsonspan.Node, key string) (string, error) {
	s, ok := jsonvalue.Text(jsonvalue.Member(n, key))
	if !ok {
		return "", errors.New(key + " is not a string")
	}
	return s, nil
}

// startedCall looks the call up in the part at index of the message so far.
func startedCall(event jsonspan.Node, index float64) call {
	if index < 0 || index != math.Trunc(index) {
		return call{}
	}
	part := jsonvalue.Member(jsonvalue.Member(event, "partial"), "content").First()
	for at := float64(0); at < index && part.Kind() != jsonspan.Absent; at++ {
		part = part.Next()
	}
	if !jsonvalue.Member(part, "type").Is(PartToolCall) {
		return call{}
	}
	return call{
		id:   jsonvalue.String(jsonvalue.Member(part, "id")),
		name: jsonvalue.String(jsonvalue.Member(part, "name")),
	}
}

func endedCall(n jsonspan.Node) (*message.Block, error) {
	if n.Kind() != jsonspan.Object {
		return nil, errors.New("toolCall is not an object")
	}
	b := &message.Block{
		Type: message.ToolCall,
		ID:   jsonvalue.String(jsonvalue.Member(n, "id")),
		Name: jsonvalue.String(jsonvalue.Member(n, "name")),
	}
	parsed := []byte("{}")
	if arguments := jsonvalue.Member(n, "arguments"); arguments.Kind() != jsonspan.Absent {
		var err error
		if parsed, err = ordered.Reserialize(nil, arguments.Raw()); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
	}
	b.Arguments = string(parsed)
	return b, nil
}

// finish takes the last event.
func (w *Writer) finish(kind string, n jsonspan.Node) error {
	carrier := "message"
	if kind == "error" {
		carrier = "error"
	}
	answer := jsonvalue.Member(n, carrier)
	if answer.Kind() != jsonspan.Object {
		return errors.New(carrier + " is not an object")
	}
	a := readAnswer(answer)
	a.settle(kind, jsonvalue.String(jsonvalue.Member(n, "reason")))
	reason := a.reason(w.ContextWindow)
	finish := message.Chunk{Type: message.FinishChunk, Reason: &reason}
	if kind == "done" {
		finish.ReplayState = w.envelope(a)
	}
	if !w.Reference {
		finish.Answered = a.answered(w.Requested)
	}
	w.out = [2]message.Chunk{{Type: message.UsageChunk, Usage: &a.usage}, finish}
	w.ended = true
	return nil
}
