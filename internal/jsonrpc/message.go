package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// maxID is how long an id may be, in bytes.
const maxID = 1 << 10

// An ID is the id of a request: a string, a number or null. Equal ids are == to each other, however they
// were escaped. The zero ID is that of a notification.
type ID struct{ json string }

// String is the id as JSON, "" for the zero ID.
func (id ID) String() string { return id.json }

// MarshalJSON writes the zero ID as null.
func (id ID) MarshalJSON() ([]byte, error) { return id.encoded(), nil }

func (id ID) encoded() []byte {
	if id.json == "" {
		return []byte("null")
	}
	return []byte(id.json)
}

func numberID(n uint64) ID { return ID{strconv.FormatUint(n, 10)} }

// ParseID reads an id from one valid JSON value. It reports whether it can be one.
func ParseID(raw []byte) (ID, bool) {
	if len(raw) == 0 || len(raw) > maxID {
		return ID{}, false
	}
	switch raw[0] {
	case '"':
		text, err := wtf8.Unquote(raw)
		return ID{string(wtf8.AppendQuote(nil, text))}, err == nil
	case '{', '[', 't', 'f':
		return ID{}, false
	}
	return ID{string(raw)}, true
}

// A message is any of the three kinds: a request or notification, an answer, or neither.
type message struct {
	id     ID
	method string // of a request or notification
	params json.RawMessage

	isAnswer bool
	result   json.RawMessage
	err      *Error // of an answer
}

// parse takes a message apart. The parts belong to body. An error comes with the id if there is one.
func parse(body []byte) (message, *Error) {
	var m message
	var version, id, method, result, fault []byte
	isObject := jsonspan.Members(body, func(key, value []byte) {
		switch {
		case jsonspan.TextIs(key, "jsonrpc"):
			version = value
		case jsonspan.TextIs(key, "id"):
			id = value
		case jsonspan.TextIs(key, "method"):
			method = value
		case jsonspan.TextIs(key, "params"):
			m.params = value
		case jsonspan.TextIs(key, "result"):
			result = value
		case jsonspan.TextIs(key, "error"):
			fault = value
		}
	})
	if !isObject {
		return message{}, notObject(body)
	}
	if !utf8.Valid(body) {
		return message{}, Errorf(CodeParse, "the message is not UTF-8")
	}
	if id != nil {
		var ok bool
		if m.id, ok = ParseID(id); !ok {
			return message{}, Errorf(CodeInvalidRequest, "id: want a string, a number or null, of at most %d bytes", maxID)
		}
	}
	m.isAnswer = method == nil && (result != nil || fault != nil)
	switch {
	case m.isAnswer && id == nil:
		return message{}, Errorf(CodeInvalidRequest, "an answer without an id")
	case m.isAnswer:
		// Whatever is wrong with an answer, nothing can be told under its id: that would look like an answer.
		m.result, m.err = result, readError(fault)
	case !isText(version) || !jsonspan.TextIs(version, "2.0"):
		return m, Errorf(CodeInvalidRequest, `jsonrpc: want "2.0"`)
	case !isText(method):
		return m, Errorf(CodeInvalidRequest, "method: want a string")
	default:
		m.method = jsonspan.Text(method)
	}
	return m, nil
}

func notObject(body []byte) *Error {
	switch {
	case !jsonspan.Valid(body):
		return Errorf(CodeParse, "the message is not JSON, or nested deeper than %d", jsonspan.MaxDepth)
	case bytes.TrimLeft(body, " \t\r\n")[0] == '[':
		return Errorf(CodeInvalidRequest, "batches are not served: send one message for each request")
	}
	return Errorf(CodeInvalidRequest, "the message is no object")
}

func isText(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// readError reads the error of an answer, nil for none.
func readError(raw []byte) *Error {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	parts := jsonvalue.Pick(raw, "code", "message", "data")
	code, known := jsonvalue.WholeOf(parts[0])
	if !known {
		code = CodeInternal
	}
	return &Error{Code: int(code), Message: jsonvalue.StringOf(parts[1]), Data: parts[2]}
}

// encode is JSON without the escapes for HTML. A json.RawMessage is taken as it is.
func encode(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok && len(raw) > 0 {
		return raw, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// The parts of messages to send.

func requestParts(id ID, method string, params json.RawMessage) [][]byte {
	head := []byte(`{"jsonrpc":"2.0"`)
	if id != (ID{}) {
		head = append(append(head, `,"id":`...), id.json...)
	}
	head = wtf8.AppendQuote(append(head, `,"method":`...), method)
	if params == nil {
		return [][]byte{append(head, '}')}
	}
	return [][]byte{append(head, `,"params":`...), params, []byte("}")}
}

func resultParts(id ID, result json.RawMessage) [][]byte {
	return [][]byte{answerHead(id, `,"result":`), result, []byte("}")}
}

func errorParts(id ID, e *Error) [][]byte {
	fault := jsonvalue.Begin(answerHead(id, `,"error":`))
	fault.Whole("code", int64(e.Code))
	fault.Text("message", e.Message) // it may be the words of a contribution, halves of surrogate pairs included
	if jsonspan.Valid(e.Data) {
		fault.Raw("data", e.Data)
	}
	return [][]byte{append(fault.End(), '}')}
}

func answerHead(id ID, then string) []byte {
	head := append([]byte(`{"jsonrpc":"2.0","id":`), id.encoded()...)
	return append(head, then...)
}
