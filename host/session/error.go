package session

import (
	"errors"
	"fmt"
	"strings"
)

// Code is the kind of fault of a log: the replay-state protocol, section "JSONL storage".
type Code string

// The codes of refusals, and of what a salvage reports.
const (
	// HeaderMissing: no line, or no frame, is complete.
	HeaderMissing Code = "HEADER_MISSING"
	HeaderNotJSON Code = "HEADER_NOT_JSON"
	// FormatUnsupported: a newer or older program has written the log; Detail says which.
	FormatUnsupported   Code = "FORMAT_UNSUPPORTED"
	HeaderInvalid       Code = "HEADER_INVALID"
	HeaderRetiredFields Code = "HEADER_RETIRED_FIELDS"
	// CorruptLine and SeqGap: a line in front of the end of a turn is not readable, or does not continue
	// the sequence.
	CorruptLine Code = "CORRUPT_LINE"
	SeqGap      Code = "SEQ_GAP"
	// RowMalformed is of [Unpack] alone; in a log such a row is a CorruptLine.
	RowMalformed Code = "ROW_MALFORMED"
	// FrameCorrupt: a complete frame of a Zstandard log is not readable.
	FrameCorrupt Code = "FRAME_CORRUPT"
	// IdentityMismatch: the log is of another session than its name says.
	IdentityMismatch Code = "IDENTITY_MISMATCH"
	// EventUnsupported: an event of a kind that is not known and not marked as ignorable.
	EventUnsupported Code = "EVENT_UNSUPPORTED"
	// LegacyUnsupported: an event of a kind that has been retired.
	LegacyUnsupported Code = "LEGACY_UNSUPPORTED"
	// Validation: an event that no session can have.
	Validation Code = "VALIDATION"

	// These are of [Salvage] and [Rebuild] alone. SeqRepeated: an event whose seq was there before, left
	// out. Torn: an end of a file that was cut off while it was written, lost.
	SeqRepeated Code = "SEQ_REPEATED"
	Torn        Code = "TORN"
	// CitationLost: a message that was kept without naming the events that it was made of, or without
	// replacing what it replaced, as these are lost.
	CitationLost Code = "CITATION_LOST"
)

// An Error says why a log is refused. Nothing of the log has been changed then. A salvage uses it to
// report what it could not take.
type Error struct {
	Code Code
	// Path is the file, "" if the log is not in one.
	Path string
	// Line is the line at fault, counted from 1, which is the header; 0 if no line is. Offset is the byte
	// at which it starts, in the decompressed text if the file is compressed. Of a FrameCorrupt or a Torn
	// without a line, Offset is where the frame starts in the file.
	Line   int64
	Offset int64
	// End is the byte behind what is at fault, counted as Offset is; 0 if only its start is known.
	End int64
	// Expected and Found are the seqs of a SeqGap or SeqRepeated. Found is -1 if the line holds no event:
	// it is JSON, but not an object with an integer seq.
	Expected, Found int64
	// Detail says what is wrong, for people.
	Detail string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	} else if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	fmt.Fprintf(&b, "%s (%s)", e.Detail, e.Code)
	return b.String()
}

var (
	// ErrNotFound says that the store has no such session.
	ErrNotFound = errors.New("no such session")
	// ErrExists says that a session of this id is there already.
	ErrExists = errors.New("the session exists already")
	// ErrLocked says that another writer has the session open.
	ErrLocked = errors.New("the session is open in another writer")
	// ErrClosed says that the log or session has been closed.
	ErrClosed = errors.New("the session is closed")
)
