package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// ParsePart reads a part from a JSON object, of the language model specification V2, V3 or V4, and puts it
// in the place of what p was. It copies data. Of several members with one key the last one counts.
//
// It takes what the protocol does not know: other types, other members, and members that have another
// kind of value than they should. A text that is none is that value's JSON, and "" for null; a file whose
// media type is no text has no data. Only what is no JSON object is an error; p is empty then. The error
// is a *[Thrown] for the two records that are no parts, see [ReadParts].
func ParsePart(data []byte, p *Part) error {
	line := string(data)
	var r parser
	return r.parse(bytesOf(line), p)
}

// A parser reads parts from memory that does not change any more.
type parser struct {
	// texts has the texts that had to be decoded. It is nil for a parser that reads only one part.
	texts *arena
}

var errNoObject = errors.New("part: not a JSON object")

// parse reads a part, whose texts and JSON are in data or in r.texts.
func (r *parser) parse(data []byte, p *Part) error {
	*p = Part{}
	w := jsonspan.Walk(data)
	if w.Kind() != jsonspan.Object {
		return errNoObject
	}
	var m partMembers
	for w.Next() {
		r.member(p, &m, w.RawKey(), w.Raw())
	}
	if err := w.Err(); err != nil {
		*p = Part{}
		return fmt.Errorf("part: %w", err)
	}
	p.Raw = data[:len(data):len(data)]
	switch p.Type {
	case PartToolCall, PartToolResult:
		p.ID = m.callID
	case PartFile:
		if !m.mediaType {
			p.Data = nil
		}
	case "":
		if m.thrown != nil {
			*p = Part{}
			return thrown(m.thrown, m.rejected)
		}
	}
	return nil
}

// partMembers are members whose meaning depends on the type, which may come last.
type partMembers struct {
	callID    string
	mediaType bool
	thrown    json.RawMessage
	rejected  bool
}

func (r *parser) member(p *Part, m *partMembers, key, value []byte) {
	switch string(key) {
	case `"type"`:
		p.Type = r.typeOf(value)
	case `"id"`:
		p.ID = r.text(value)
	case `"delta"`:
		p.Delta = r.text(value)
	case `"toolCallId"`:
		m.callID = r.text(value)
	case `"toolName"`:
		p.ToolName = r.text(value)
	case `"input"`:
		p.Input = r.text(value)
	case `"providerExecuted"`:
		p.ProviderExecuted = string(value) == "true"
	case `"preliminary"`:
		p.Preliminary = string(value) == "true"
	case `"isError"`:
		p.IsError = nil
		if is := string(value) == "true"; is || string(value) == "false" {
			p.IsError = &is
		}
	case `"result"`:
		p.Result = value
	case `"mediaType"`:
		p.MediaType, m.mediaType = "", value[0] == '"'
		if m.mediaType {
			p.MediaType = r.text(value)
		}
	case `"data"`:
		p.Data = value
	case `"finishReason"`:
		p.FinishReason = value
	case `"usage"`:
		p.Usage = value
	case `"error"`:
		p.Error = value
	case `"providerMetadata"`:
		p.Metadata = value
	case `"$throw"`:
		m.thrown, m.rejected = value, false
	case `"$reject"`:
		m.thrown, m.rejected = value, true
	default:
		if bytes.IndexByte(key, '\\') >= 0 {
			if plain := jsonspan.Text(key); plainText([]byte(plain)) {
				r.member(p, m, []byte(`"`+plain+`"`), value)
			}
		}
	}
}

// typeOf reads a type, one with an effect without making a text of it.
func (r *parser) typeOf(value []byte) string {
	switch string(value) {
	case `"` + PartTextDelta + `"`:
		return PartTextDelta
	case `"` + PartToolInputDelta + `"`:
		return PartToolInputDelta
	case `"` + PartReasoningDelta + `"`:
		return PartReasoningDelta
	}
	return r.text(value)
}

// text reads a text, or what stands for one.
func (r *parser) text(value []byte) string {
	switch {
	case value[0] == '"':
		if in := value[1 : len(value)-1]; plainText(in) {
			return view(in)
		}
		if r.texts == nil {
			text, _ := wtf8.Unquote(value)
			return text
		}
		return r.texts.unquote(value)
	case value[0] == 'n':
		return ""
	}
	return view(value)
}

// plainText says whether the inside of a valid JSON string stands for itself.
func plainText(in []byte) bool { return bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) }

// Thrown is how a recording says that a stream failed with an exception of JavaScript. A recording has
// two records for that, which are no parts: {"$throw": {name, message}} where reading the stream failed,
// and {"$reject": {name, message}} where it never began.
type Thrown struct {
	// Name is the name of the exception's class, "" for none.
	Name string
	// Message is the exception's. Of an object without one that is a string it is the object as JSON, and "" of
	// one without members, which is what JSON.stringify makes of an exception.
	Message string
	// Rejected says that the stream never began.
	Rejected bool
	// Value is the whole exception as JSON.
	Value json.RawMessage
}

// Error is the exception's message.
func (e *Thrown) Error() string { return e.Message }

func thrown(raw json.RawMessage, rejected bool) *Thrown {
	e := &Thrown{Rejected: rejected, Value: keep(raw)}
	members := 0
	object := jsonspan.Members(raw, func(key, value []byte) {
		members++
		if jsonspan.Text(key) == "name" {
			e.Name = jsonvalue.StringOf(value)
		}
	})
	if !object || members > 0 { // an empty object is what JSON.stringify makes of an exception
		e.Message = errorText(raw, false)
	}
	return e
}
