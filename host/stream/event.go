package stream

import (
	"encoding/json"
	"strings"
)

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

// The stop reasons of messages. They are the reasons of terminal events too.
const (
	StopStop    = "stop"
	StopLength  = "length"
	StopToolUse = "toolUse"
	StopError   = "error"
	StopAborted = "aborted"
)

// An Event is one step of an assistant message.
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
	// Reason is that of a terminal event.
	Reason string
	// Message is the message so far: one value that all events of a stream share and that grows with them.
	// Use its Snapshot to keep what it holds now. In a terminal event it is whole.
	Message *Message
}

// A Message is an assistant message of a host.
type Message struct {
	Content []*Block
	// API, Provider and Model are the host's names.
	API, Provider, Model string
	Usage                Usage
	// StopReason is "" until the end.
	StopReason string
	// ErrorMessage is that of a failed answer, "" for none.
	ErrorMessage string
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
	Input                json.RawMessage
	// Result is nil as long as there is none.
	Result  json.RawMessage
	IsError *bool
}

// The types of blocks.
const (
	BlockText     = "text"
	BlockThinking = "thinking"
	BlockToolCall = "toolCall"
	BlockImage    = "image"
)

// A Block is one piece of a message's content.
type Block struct {
	Type string
	// ID, Name and Arguments are those of a tool call.
	ID, Name  string
	Arguments json.RawMessage
	// ArgumentsError says what is wrong with the arguments, "" for nothing.
	ArgumentsError string
	// Signature is the textSignature, thinkingSignature or thoughtSignature, depending on Type: JSON text, ""
	// for none.
	Signature string
	// Redacted says that a thinking block holds nothing but what its signature hides.
	Redacted bool
	// MediaType and Data are those of an image; Data is base64.
	MediaType, Data string

	text strings.Builder
}
