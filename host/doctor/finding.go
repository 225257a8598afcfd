package doctor

import (
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
)

// Code is the kind of a [Finding]. A finding about the log has the code of its [session.Error].
type Code string

const (
	// InvalidState: the message goes without its replay state on every request.
	InvalidState = Code(replay.InvalidState)
	// OtherLayout: the replay state has the layout of another adapter. A note.
	OtherLayout Code = "OTHER_LAYOUT"
	// StateNotOwned: the route has no use for the message's replay state. A note.
	StateNotOwned = Code(replay.StateNotOwned)
	// AnsweredElsewhere: the replay state is that of another route than the requested one. A note.
	AnsweredElsewhere Code = "ANSWERED_ELSEWHERE"
	// CallWithoutResult: a tool call that the history goes on behind without its result.
	CallWithoutResult Code = "CALL_WITHOUT_RESULT"
	// ResultWithoutCall: a result that no tool call before it asks for.
	ResultWithoutCall Code = "RESULT_WITHOUT_CALL"
	// DuplicateCall: a call id that was there before. A note if it was in another answer.
	DuplicateCall Code = "DUPLICATE_CALL"
	// Image: an image in an answer, or, as a note, in another message.
	Image Code = "IMAGE"
	// UnknownBlock: a block of a kind that is not sent. A note.
	UnknownBlock Code = "UNKNOWN_BLOCK"
	// EmptyAnswer: an answer without content. A note.
	EmptyAnswer Code = "EMPTY_ANSWER"
	// OpenTurn: the last turn was not ended.
	OpenTurn Code = "OPEN_TURN"
	// UncommittedOutput: the model's output in a step that was not ended is not in the history. A note.
	UncommittedOutput Code = "UNCOMMITTED_OUTPUT"
	// NotAnEvent: a line that is JSON and no event.
	NotAnEvent Code = "NOT_AN_EVENT"
	// Torn: the end of the file is that of a write that was cut off.
	Torn = Code(session.Torn)
)

// Level says how much a finding matters.
type Level string

const (
	// Fault: a system is stuck, fails, or loses something without a word.
	Fault Level = "fault"
	// Note: nothing is wrong; somebody may still want to know.
	Note Level = "note"
)

// A Finding is one thing to know about a log.
type Finding struct {
	Code  Code  `json:"code"`
	Level Level `json:"level"`
	// Line is the line that it is about, counted from 1, and Offset the byte at which it starts; Line is 0
	// if it is not about a line.
	Line   int64 `json:"line,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	// Seq is the event that it is about, nil if it is not about one.
	Seq *int64 `json:"seq,omitempty"`
	// MessageID is the message, "" if it is not about one.
	MessageID string `json:"messageId,omitempty"`
	// Diagnostic is that of the next request, for InvalidState and OtherLayout.
	Diagnostic *replay.Diagnostic `json:"diagnostic,omitempty"`
	// Detail says what was found, Effect what happens to those who do not expect it, and Here what this
	// system does instead. Each is a sentence without its full stop, for people.
	Detail string `json:"detail"`
	Effect string `json:"effect"`
	Here   string `json:"here"`
	// Count is how many findings this one stands for; 0 if that is itself alone.
	Count int `json:"count,omitempty"`
	// Curable says that [Repair] can make a copy without it.
	Curable bool `json:"curable"`
}
