package session

import (
	"context"
	"iter"
)

// A Store keeps the logs of sessions. Every store passes the suite of package storetest. All methods
// may be called at the same time.
type Store interface {
	// Create begins the log of a new session. Nothing is stored before the first Append. It fails with
	// ErrExists if there is one of this id, at the latest with the first Append, and for a header that
	// could not be read back, also one whose line would be longer than MaxLine.
	Create(ctx context.Context, h Header) (Log, error)
	// Open opens a log for writing, after it has been read through once: a damaged one is refused with an
	// *Error. It fails with ErrNotFound, or with ErrLocked if another writer has it, in this process or
	// in another.
	Open(ctx context.Context, id string) (Log, error)
	// View opens a log for reading, also while it is being written, and refuses a damaged one in the same
	// way. Nothing is changed.
	View(ctx context.Context, id string) (View, error)
	// List yields the headers of all sessions, in no particular order. What cannot be read is yielded as
	// an error, and the rest goes on.
	List(ctx context.Context) iter.Seq2[Header, error]
}

// A View reads one log as it was when the view was opened.
type View interface {
	Header() Header
	// Events yields the stored events from a seq on, just as they are stored, packed rows unpacked. An
	// error ends it. It uses bounded memory, however long the log is.
	Events(ctx context.Context, from int64) iter.Seq2[Event, error]
	// Next is the seq behind the last stored event.
	Next() int64
	// Tail is how many bytes lie behind the last stored event: the torn end of a write that was not
	// finished, which a View leaves out and a Log cuts (see Log.Cut).
	Tail() int64
	// Close releases the view. It can be called twice.
	Close() error
}

// A Log is a View for its session's one writer: it sees what it has appended. One call at a time.
//
// When Append has returned without an error, its events are there whatever becomes of this process, also
// if it is killed at the next instant. When Sync has returned without an error, they are also there after
// a power cut or a crash of the machine. What had not been acknowledged may be there or not, but only
// whole events, in order and without a gap.
type Log interface {
	View
	// Cut removes the torn tail, if there is one, and syncs. Append does so too, so it is for those who
	// want the tail to be gone without appending.
	Cut(ctx context.Context) error
	// Append stores events, the first of which has the seq Next, and each of which has to be an event as
	// ParseEvent reads it. When it fails, none of them is stored, and the same events can be appended
	// again.
	Append(ctx context.Context, events ...Event) error
	// Sync returns when everything appended is safe from a failure of the machine. When it fails, what
	// was appended since the last Sync is stored still, but not safe yet: Sync can be called again.
	Sync(ctx context.Context) error
}
