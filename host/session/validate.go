package session

import (
	"bytes"
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// refuse makes the error of an event that cannot be in a log.
func (e *Event) refuse(code Code, format string, args ...any) *Error {
	return &Error{
		Code: code, Line: e.line, Offset: e.offset,
		Detail: e.describe() + ": " + fmt.Sprintf(format, args...),
	}
}

func (e *Event) invalid(format string, args ...any) *Error {
	return e.refuse(Validation, format, args...)
}

// surfaces says whether a kind of event is a message that can be on the surface.
func surfaces(kind string) bool {
	return kind == UserMessage || kind == AssistantMessage || kind == ToolResult
}

// checkEnvelope checks the shape of the event around its data. The fields of an event that was read hide
// what they could not hold, so its JSON is looked at.
func checkEnvelope(e *Event) *Error {
	if e.sound {
		return nil
	}
	if e.raw != nil {
		var m envelopeMembers
		jsonspan.Members(e.raw, m.note)
		switch {
		case m.unknown:
			return e.invalid("an event has no field %q", shorten(m.key, 100))
		case !m.time:
			return e.invalid("time is not an integer")
		case m.ignorable != nil && string(m.ignorable) != "true":
			return e.invalid("ignorable is neither absent nor true")
		case m.sources && e.Sources == nil:
			return e.invalid("sourceEventSeqs is not a list of integers")
		}
	} else if e.SurfaceOp != nil && !jsonspan.Valid(e.SurfaceOp) {
		return e.invalid("surfaceOp is not JSON")
	}
	switch {
	case e.Type == "":
		return e.invalid("type is not a text, or empty")
	case e.Seq < 0 || e.Seq > jsonvalue.MaxSafe:
		return e.invalid("seq is not from 0 to 2^53-1")
	case e.Time < -jsonvalue.MaxSafe || e.Time > jsonvalue.MaxSafe:
		return e.invalid("time is not an integer below 2^53")
	case len(e.Data) == 0:
		return e.invalid("there is no data")
	case e.raw == nil && !jsonspan.Valid(e.Data):
		return e.invalid("data is not JSON")
	}
	return nil
}

// checkLength refuses an event whose line nothing would read.
func checkLength(e *Event) *Error {
	if e.raw == nil && 128+6*len(e.Type)+len(e.Data)+len(e.SurfaceOp)+20*len(e.Sources) <= MaxLine {
		return nil // without having written it
	}
	n := len(e.raw)
	if e.raw == nil {
		n = len(e.AppendJSON(nil))
	}
	if n > MaxLine {
		return e.invalid("it has %d bytes, the limit is %d", n, MaxLine)
	}
	return nil
}

// maxCallID is how long the id of a tool call can be, in bytes.
const maxCallID = 1 << 20

// checkAnswerable refuses a message with a call that could not be closed: the result that is made for it
// has the id three times, and is a line of the log.
func checkAnswerable(e *Event) *Error {
	if e.Type != AssistantMessage || len(e.Data) <= maxCallID {
		return nil
	}
	h, err := checkMessage(e)
	if err != nil {
		return err
	}
	for _, b := range h.message.Content {
		if len(b.ID) > maxCallID {
			return e.invalid("the id of a tool call has %d bytes, the limit is %d", len(b.ID), maxCallID)
		}
	}
	return nil
}

// envelopeMembers is what an event's JSON has that its fields do not show. Of several members with one
// key the last one counts.
type envelopeMembers struct {
	time      bool // is an integer
	sources   bool
	ignorable []byte
	unknown   bool
	key       string // an unknown one
}

func (m *envelopeMembers) note(key, value []byte) {
	name := key[1 : len(key)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(jsonspan.Text(key))
	}
	switch string(name) {
	case "type", "seq", "data", "surfaceOp":
	case "time":
		_, m.time = jsonvalue.WholeOf(value)
	case "sourceEventSeqs":
		m.sources = true
	case "ignorable":
		m.ignorable = value
	default:
		m.unknown = true
		m.key = string(name)
	}
}

// checkHeader checks the data of a request header and returns the header.
func checkHeader(e *Event) ([]byte, *Error) {
	doc, err := jsonspan.Scan(e.Data, 3)
	if err != nil {
		return nil, e.invalid("data is not JSON")
	}
	header := jsonvalue.Member(doc.Root(), "header")
	config := jsonvalue.Member(header, "config")
	for _, key := range [...]string{"provider", "model"} {
		if jsonvalue.String(jsonvalue.Member(config, key)) == "" {
			return nil, e.invalid("header.config.%s is not a text, or empty", key)
		}
	}
	return header.Raw(), nil
}

// A held message is one that is on the surface.
type held struct {
	kind    string // of the event
	message message.Message
	raw     []byte // the message's JSON, in memory of its own
	nothing bool   // it yields no message of the history
}

// checkMessage checks the message of one of the three message events.
func checkMessage(e *Event) (*held, *Error) {
	doc, err := jsonspan.Scan(e.Data, 3)
	if err != nil {
		return nil, e.invalid("data is not JSON")
	}
	n := doc.Root()
	if e.Type != UserMessage {
		n = jsonvalue.Member(n, "message")
	}
	if n.Kind() != jsonspan.Object {
		return nil, e.invalid("there is no message")
	}
	role := message.User
	if e.Type == AssistantMessage {
		role = message.Assistant
	}
	source, content := jsonvalue.Member(n, "source"), jsonvalue.Member(n, "content")
	kind := jsonvalue.String(jsonvalue.Member(source, "kind"))
	switch {
	case jsonvalue.String(jsonvalue.Member(n, "id")) == "":
		return nil, e.invalid("the message's id is not a text, or empty")
	case jsonvalue.String(jsonvalue.Member(n, "role")) != role:
		return nil, e.invalid("the message's role is not %q", role)
	case kind == "":
		return nil, e.invalid("the message's source has no kind")
	case content.Kind() != jsonspan.Array:
		return nil, e.invalid("the message's content is not a list")
	}
	switch e.Type {
	case AssistantMessage:
		provider := jsonvalue.String(jsonvalue.Member(source, "provider"))
		model := jsonvalue.String(jsonvalue.Member(source, "model"))
		if kind != message.FromModel || provider == "" || model == "" {
			return nil, e.invalid("the message's source is not a model with a provider and a model")
		}
	case ToolResult:
		if fault := checkResult(source, content); fault != "" {
			return nil, e.invalid("%s", fault)
		}
	}
	h := held{kind: e.Type, raw: bytes.Clone(n.Raw())}
	if h.message, err = message.ParseMessage(h.raw); err != nil {
		return nil, e.invalid("%v", err)
	}
	h.nothing = e.Type == AssistantMessage && len(h.message.Content) == 0
	return &h, nil
}

// checkResult checks that a message is the answer to one tool call. An empty call id is one: a model may
// give its call no better one, and the call has to have an answer.
func checkResult(source, content jsonspan.Node) string {
	call := jsonvalue.Member(source, "callId")
	if jsonvalue.String(jsonvalue.Member(source, "kind")) != message.FromTool || call.Kind() != jsonspan.String {
		return "the message's source is not a tool with a call id"
	}
	block := content.First()
	if block.Kind() == jsonspan.Absent || block.Next().Kind() != jsonspan.Absent {
		return "the message's content is not one block"
	}
	if jsonvalue.String(jsonvalue.Member(block, "type")) != message.ToolResult {
		return "the message's content is not a tool result"
	}
	if of := jsonvalue.Member(block, "toolCallId"); of.Kind() != jsonspan.String || jsonvalue.String(of) != jsonvalue.String(call) {
		return "the tool result does not name the call that the message's source names"
	}
	return ""
}
