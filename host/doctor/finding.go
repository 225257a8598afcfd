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
	// Codes of findings about session files of Pi, beside those above and those of lines and headers.

	// NotAnEntry: a line that is JSON and that Pi cannot find again.
	NotAnEntry Code = "NOT_AN_ENTRY"
	// InvalidEntry: an entry of which Pi takes nothing, as it lacks what all entries have.
	InvalidEntry Code = "INVALID_ENTRY"
	// UnknownEntry: an entry of a type that is not known. A note, at the first one of the type.
	UnknownEntry Code = "UNKNOWN_ENTRY"
	// LateHeader: the header is not the first line.
	LateHeader Code = "LATE_HEADER"
	// SecondHeader: a line is one more header. A note.
	SecondHeader Code = "SECOND_HEADER"
	// OtherVersion: the format is older than the newest one that is known, or newer. A note.
	OtherVersion Code = "OTHER_VERSION"
	// ByteOrderMark: the file begins with one.
	ByteOrderMark Code = "BYTE_ORDER_MARK"
	// NoLineFeed: the last line is whole and not ended.
	NoLineFeed Code = "NO_LINE_FEED"
	// LongLine: a line is too long to be read, or, as a note, the header to be found.
	LongLine Code = "LONG_LINE"
	// DuplicateID: an entry has the id of another one.
	DuplicateID Code = "DUPLICATE_ID"
	// ParentMissing: an entry's parent is not in the file.
	ParentMissing Code = "PARENT_MISSING"
	// ParentCycle: entries are each other's parents.
	ParentCycle Code = "PARENT_CYCLE"
	// SeveralRoots: more than one entry has no parent. A note.
	SeveralRoots Code = "SEVERAL_ROOTS"
	// TargetMissing: what a label or an edit is about is not there. A note.
	TargetMissing Code = "TARGET_MISSING"
	// KeptEntryMissing: what the last compaction keeps first is not on the branch before it.
	KeptEntryMissing Code = "KEPT_ENTRY_MISSING"
	// InvalidMessage: Pi or a provider fails on the message.
	InvalidMessage Code = "INVALID_MESSAGE"
	// UnknownRole: a message of a role that is not sent. A note.
	UnknownRole Code = "UNKNOWN_ROLE"
	// AnswerLeftOut: an answer that was cut off or failed, which Pi does not send. A note.
	AnswerLeftOut Code = "ANSWER_LEFT_OUT"
	// InvalidAudit: the data of an audit entry is not valid.
	InvalidAudit Code = "INVALID_AUDIT"
	// AuditInContext: an audit was stored as a message, which is sent.
	AuditInContext Code = "AUDIT_IN_CONTEXT"
	// StoredContext: the message of the context files was stored. A note.
	StoredContext Code = "STORED_CONTEXT"
	// InvalidDate: an entry without a date, or with one before its parent's. A note.
	InvalidDate Code = "INVALID_DATE"

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
	// EntryID is the entry of a session file of Pi that it is about, "" if it is not about one, or about
	// one that gets its id when Pi reads it.
	EntryID string `json:"entryId,omitempty"`
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
