package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// The event kinds that this package and the turn's loop give a meaning to.
const (
	TurnStart        = "turn/start"
	TurnEnd          = "turn/end"
	StepStart        = "step/start"
	StepEnd          = "step/end"
	UserMessage      = "user/message"
	AssistantChunk   = "assistant/chunk"
	AssistantMessage = "assistant/message"
	ToolCall         = "tool/call"
	ToolResult       = "tool/result"
	RequestHeader    = "request/header"
	RequestContext   = "request/context"
	EndSeed          = "session/end-seed"
)

// An Event is one entry of a session's log: the replay-state protocol, section "The session log". An
// event that was read from JSON is written as the text it was read from; it must not be changed.
type Event struct {
	// Type is the kind, not empty.
	Type string
	// Seq is the event's place in the log, from 0.
	Seq int64
	// Time is in milliseconds since the Unix epoch. It may go backwards.
	Time int64
	// Data is the event's own content: any JSON.
	Data json.RawMessage
	// SurfaceOp is, on the three message events alone, how the message enters the history: AtEnd, or
	// {"op":"replace","start":n,"end":n}. nil means that there is none.
	SurfaceOp json.RawMessage
	// Sources are, on the three message events alone, the events that the message was made of. nil means
	// that it does not say, which an empty list is not.
	Sources []int64
	// Ignorable says that a reader that does not know the kind may go on.
	Ignorable bool

	// raw is the JSON that the event was read from. sound says that it has the members of an event and no
	// others, each once and with a value of its type; bare, that these are type, seq, time and data alone.
	raw         json.RawMessage
	sound, bare bool
	// line and offset are where the event was read, for errors; 0 if it was not.
	line, offset int64
}

// AtEnd is the surface operation that puts a message at the end of the history.
func AtEnd() json.RawMessage { return json.RawMessage(`"append"`) }

// ParseEvent reads an event: a JSON object with an integer seq that is not negative. Everything else is
// for validation to judge: a member with a wrong value is empty here and survives in the JSON alone. The
// event keeps data, which must not change.
func ParseEvent(data []byte) (Event, error) {
	var p parsed
	if err := p.read(data); err != nil {
		return Event{}, err
	}
	switch {
	case p.kind != jsonspan.Object:
		return Event{}, errors.New("not an event: not a JSON object")
	case p.Seq < 0:
		return Event{}, errors.New("not an event: seq is not an integer from 0 to 2^53-1")
	}
	return p.event(data), nil
}

// parsed is any JSON document seen as an event. What is text in an event is a place here, so that
// nothing has to be copied of a document that is not wanted.
type parsed struct {
	Event // Seq is -1 if there is no integer seq
	kind  jsonspan.Kind
	// root is where the document's value is, data and surface are where these members are; empty if there
	// are none.
	root, data, surface jsonspan.Span
}

// The members of an event.
const (
	hasType = 1 << iota
	hasSeq
	hasTime
	hasData
	hasSurface
	hasSources
	hasIgnorable
	isBare = hasType | hasSeq | hasTime | hasData
)

// read fails for what is not JSON, and for nothing else.
func (p *parsed) read(line []byte) error {
	w := jsonspan.Walk(line)
	*p = parsed{kind: w.Kind()}
	p.Seq = -1
	seen, count := 0, 0
	for p.kind == jsonspan.Object && w.Next() {
		count++
		seen |= p.member(w.RawKey(), w.Raw(), w.Value())
	}
	for w.Next() {
	}
	if err := w.Err(); err != nil {
		return err
	}
	p.root = w.Value()
	p.bare = seen == isBare && count == 4
	p.sound = p.bare
	if !p.bare && seen&isBare == isBare {
		n := 4
		for _, bit := range [...]int{hasSurface, hasSources, hasIgnorable} {
			if seen&bit != 0 {
				n++
			}
		}
		p.sound = n == count
	}
	return nil
}

// member notes one member and returns its bit if its value is of the right type.
func (p *parsed) member(key, value []byte, at jsonspan.Span) int {
	ok := false
	switch string(key) {
	case `"type"`:
		if p.Type, ok = kindOf(value); ok {
			return hasType
		}
	case `"seq"`:
		if p.Seq, ok = jsonvalue.WholeOf(value); ok && p.Seq >= 0 {
			return hasSeq
		}
		p.Seq = -1
	case `"time"`:
		if p.Time, ok = jsonvalue.WholeOf(value); ok {
			return hasTime
		}
	case `"data"`:
		p.data = at
		return hasData
	case `"surfaceOp"`:
		p.surface = at
		return hasSurface
	case `"sourceEventSeqs"`:
		if p.Sources, ok = wholesOf(value); ok {
			return hasSources
		}
	case `"ignorable"`:
		if p.Ignorable = string(value) == "true"; p.Ignorable {
			return hasIgnorable
		}
	default:
		if plain := plainKey(key); !bytes.Equal(plain, key) {
			return p.member(plain, value, at)
		}
	}
	return 0
}

// plainKey spells a key without escapes that are not needed.
func plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	return wtf8.AppendQuote(nil, jsonvalue.StringOf(key))
}

// event makes an event over text, which is the document that was parsed or a copy of it.
func (p *parsed) event(text []byte) Event {
	e := p.Event
	e.raw = part(text, p.root)
	e.Data = part(text, p.data)
	e.SurfaceOp = part(text, p.surface)
	return e
}

func part(text []byte, at jsonspan.Span) json.RawMessage {
	if at.From == at.To {
		return nil
	}
	return text[at.From:at.To:at.To]
}

// kindOf reads an event's type. The common ones cost no allocation.
func kindOf(raw []byte) (string, bool) {
	switch string(raw) {
	case `"` + AssistantChunk + `"`:
		return AssistantChunk, true
	case `"` + AssistantMessage + `"`:
		return AssistantMessage, true
	case `"` + UserMessage + `"`:
		return UserMessage, true
	case `"` + ToolCall + `"`:
		return ToolCall, true
	case `"` + ToolResult + `"`:
		return ToolResult, true
	case `"` + TurnStart + `"`:
		return TurnStart, true
	case `"` + TurnEnd + `"`:
		return TurnEnd, true
	case `"` + StepStart + `"`:
		return StepStart, true
	case `"` + StepEnd + `"`:
		return StepEnd, true
	}
	kind := jsonvalue.StringOf(raw)
	return kind, kind != ""
}

// AppendJSON appends the event as JSON in one line, without a line feed.
func (e *Event) AppendJSON(dst []byte) []byte {
	if e.raw != nil {
		return appendInline(dst, e.raw)
	}
	dst = wtf8.AppendQuote(append(dst, `{"type":`...), e.Type)
	dst = strconv.AppendInt(append(dst, `,"seq":`...), e.Seq, 10)
	dst = strconv.AppendInt(append(dst, `,"time":`...), e.Time, 10)
	dst = appendInline(append(dst, `,"data":`...), e.Data)
	if e.Sources != nil {
		dst = append(dst, `,"sourceEventSeqs":[`...)
		for i, seq := range e.Sources {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, seq, 10)
		}
		dst = append(dst, ']')
	}
	if e.SurfaceOp != nil {
		dst = appendInline(append(dst, `,"surfaceOp":`...), e.SurfaceOp)
	}
	if e.Ignorable {
		dst = append(dst, `,"ignorable":true`...)
	}
	return append(dst, '}')
}

// appendInline appends JSON with its line feeds, which can only be between its tokens, as spaces.
func appendInline(dst, raw []byte) []byte {
	for {
		at := bytes.IndexByte(raw, '\n')
		if at < 0 {
			return append(dst, raw...)
		}
		dst = append(append(dst, raw[:at]...), ' ')
		raw = raw[at+1:]
	}
}

// MarshalJSON implements [json.Marshaler].
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (e *Event) UnmarshalJSON(data []byte) (err error) {
	*e, err = ParseEvent(bytes.Clone(data))
	return err
}

// wholesOf returns a list of integers, and whether the value is one; an empty one is not nil.
func wholesOf(raw []byte) ([]int64, bool) {
	w := jsonspan.Walk(raw)
	if w.Kind() != jsonspan.Array {
		return nil, false
	}
	list := make([]int64, 0, min(1+bytes.Count(raw, []byte{','}), len(raw)/2))
	for w.Next() {
		v, ok := jsonvalue.WholeOf(w.Raw())
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// describe names an event in an error. A kind is anybody's text: what is not plain in it is escaped, and
// what is long is cut, as an error can be one of very many.
func (e *Event) describe() string {
	kind := strconv.Quote(shorten(e.Type, 100))
	if plain := kind[1 : len(kind)-1]; plain == e.Type {
		kind = plain
	}
	return fmt.Sprintf("%s at seq %d", kind, e.Seq)
}
