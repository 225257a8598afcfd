package stream

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The stop reasons of messages. They are the reasons of terminal events too.
const (
	StopStop    = "stop"
	StopLength  = "length"
	StopToolUse = "toolUse"
	StopError   = "error"
	StopAborted = "aborted"
)

// A FailureKind is where the text of a failure comes from.
type FailureKind string

const (
	// Reported: the provider, or what has read the parts.
	Reported FailureKind = "reported"
	// MissingFinish: the parts have ended without a finish.
	MissingFinish FailureKind = "missing-finish"
	// UnadvertisedTool: the model has called a tool that it was not offered.
	UnadvertisedTool FailureKind = "unadvertised-tool"
	// Interrupted: the provider has finished with the reason "interrupted" (V4).
	Interrupted FailureKind = "interrupted"
)

// A Message is an assistant message of a host.
//
// The message of a stream that is under way changes with every part: it may be looked at only where the
// events are taken, between one and the next. A [Message.Snapshot], and the message of a terminal event,
// do not change and are safe for concurrent use.
type Message struct {
	Content []*Block
	// API, Provider and Model are the host's names.
	API, Provider, Model string
	Usage                Usage
	// StopReason is "" until the end.
	StopReason string
	// Failure is why there is an ErrorMessage, "" if there is none: the answer has not failed, was aborted, or
	// has failed without a word.
	Failure FailureKind
	// ErrorMessage is that of a failed answer. It may be empty if it was Reported.
	ErrorMessage string
	// ErrorTool is the tool of an UnadvertisedTool.
	ErrorTool string
	// Cause is the value of the error part or the exception that has ended the answer, JSON, nil if none has. It
	// is not part of the message's JSON.
	Cause json.RawMessage
	// Timestamp is when the answer was begun, in milliseconds of the Unix epoch.
	Timestamp int64
	// ProviderExecuted are the calls that the provider has run itself.
	ProviderExecuted []ProviderCall
}

// A ProviderCall is a call that a provider has run itself.
type ProviderCall struct {
	// At is how many blocks the message had when the call came.
	At                   int
	ToolCallID, ToolName string
	// Input is a JSON object or list.
	Input json.RawMessage
	// Result is JSON, nil as long as there is none.
	Result json.RawMessage
	// IsError says whether the result is a failure, nil if the provider does not say.
	IsError *bool
}

// Snapshot returns the message as it is now, which is not changed by what comes. It shares the texts: the
// cost is in proportion to the number of blocks, not to their length.
func (m *Message) Snapshot() *Message {
	c := *m
	blocks := make([]Block, len(m.Content))
	c.Content = make([]*Block, len(m.Content))
	for i, b := range m.Content {
		blocks[i] = *b
		c.Content[i] = &blocks[i]
	}
	c.ProviderExecuted = slices.Clone(m.ProviderExecuted)
	return &c
}

// AppendJSON appends the message as hosts have it. As long as it has no stop reason it says "stop", as the
// messages of their own providers do.
func (m *Message) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("role", "assistant")
	o.Key("content")
	o.Out = append(o.Out, '[')
	for i, b := range m.Content {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = b.AppendJSON(o.Out)
	}
	o.Out = append(o.Out, ']')
	o.Text("api", m.API)
	o.Text("provider", m.Provider)
	o.Text("model", m.Model)
	o.Key("usage")
	o.Out = m.Usage.AppendJSON(o.Out)
	stop := m.StopReason
	if stop == "" {
		stop = StopStop
	}
	o.Text("stopReason", stop)
	if m.Failure != "" {
		o.Text("errorMessage", m.ErrorMessage)
	}
	o.Whole("timestamp", m.Timestamp)
	if len(m.ProviderExecuted) > 0 {
		o.Key("providerExecuted")
		o.Out = append(o.Out, '[')
		for i := range m.ProviderExecuted {
			if i > 0 {
				o.Out = append(o.Out, ',')
			}
			o.Out = m.ProviderExecuted[i].appendJSON(o.Out)
		}
		o.Out = append(o.Out, ']')
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m *Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

func (c *ProviderCall) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Whole("at", int64(c.At))
	o.Text("toolCallId", c.ToolCallID)
	o.Text("toolName", c.ToolName)
	o.Key("input")
	o.Out = appendLine(o.Out, c.Input, "{}")
	if c.Result != nil {
		o.Key("result")
		o.Out = appendLine(o.Out, c.Result, "null")
	}
	if c.IsError != nil {
		o.Bool("isError", *c.IsError)
	}
	return o.End()
}
