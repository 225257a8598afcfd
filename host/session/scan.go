package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A Scanner reads the text of a log and says what of it is committed: the replay-state protocol, section
// "Scanning: what is committed". It goes through the log once and uses bounded memory, however long the
// log is.
//
// Only a line feed commits a line. The first line that is not readable or does not continue the sequence
// begins the torn tail, unless the end of a turn follows: what was committed has been damaged then, and
// the log is refused. So nothing is certain before the whole log has been read.
type Scanner struct {
	// Path names the log in errors. It must be set before anything is read.
	Path string

	lines  lineReader
	frames *frames // what the lines are in; nil if they are in the file itself
	begun  bool
	header Header
	next   int64
	safe   int64 // behind the last line that was taken, in the text
	// from is the first seq that is wanted. The events before it are checked all the same.
	from int64

	parsed parsed
	row    row // members of the last line that are still to come
	line   textLine
	arena  arena
	issue  *Error
	err    error // why there is no more; io.EOF at the end
}

// NewScanner returns a scanner for the text of a log.
func NewScanner(r io.Reader) *Scanner { return &Scanner{lines: newLineReader(r)} }

// Header returns the log's first line. The error is an *Error if there is none that can be used, and then
// there are no events either.
func (s *Scanner) Header() (Header, error) {
	if !s.begun {
		s.begun = true
		s.err = s.begin()
	}
	if s.err != nil && s.safe == 0 {
		return Header{}, s.err
	}
	return s.header, nil
}

func (s *Scanner) begin() error {
	t, err := s.lines.next()
	if errors.Is(err, io.EOF) {
		fault := headerError(HeaderMissing, "the log is empty, or its first line is not complete")
		fault.Path = s.Path
		return fault
	}
	if err != nil {
		return s.failed(err)
	}
	header, fault := parseHeader(t.text)
	if fault != nil {
		fault.Path, fault.End = s.Path, t.end
		return fault
	}
	s.header, s.safe = header, t.end
	return nil
}

// failed names the log in an error of reading it.
func (s *Scanner) failed(err error) error {
	var fault *Error
	if errors.As(err, &fault) {
		fault.Path = s.Path
		return fault
	}
	if s.Path == "" {
		return fmt.Errorf("reading the log: %w", err)
	}
	return fmt.Errorf("%s: %w", s.Path, err)
}

// Events yields the events of the log in order, packed rows unpacked. An error is the last thing that it
// yields: an *Error if the log is damaged, and then what was yielded must not be used as a session. Each
// event is in memory of its own. Ranging over it again goes on where the last range stopped.
func (s *Scanner) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var e Event
		for {
			switch err := s.step(&e); {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(Event{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// step reads on to the next event.
func (s *Scanner) step(e *Event) error {
	if _, err := s.Header(); err != nil {
		return err
	}
	for {
		for s.row.left > 0 {
			if s.row.seq < s.from {
				s.row.pass()
				continue
			}
			*e = s.row.next(&s.arena)
			e.line, e.offset = s.line.number, s.line.offset
			return nil
		}
		if s.err != nil {
			return s.err
		}
		if t, ok := s.advance(); ok && s.row.left == 0 && s.parsed.Seq >= s.from {
			*e = s.parsed.event(s.keep(t.text))
			e.line, e.offset = t.number, t.offset
			return nil
		}
	}
}

// advance reads the next line, and says whether it was taken.
func (s *Scanner) advance() (t textLine, ok bool) {
	t, err := s.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		s.err = io.EOF // what is left was not ended
	case err != nil:
		s.err = s.failed(err)
	case s.issue != nil:
		s.search(&t)
	default:
		return t, s.take(&t)
	}
	return t, false
}

// through reads the log to its end without making its events.
func (s *Scanner) through(ctx context.Context) error {
	if _, err := s.Header(); err != nil {
		return err
	}
	for s.err == nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.advance()
		s.row = row{}
	}
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// keep copies a line. Chunks are short, many, and seldom kept for long, so they share memory.
func (s *Scanner) keep(text []byte) []byte {
	if s.parsed.Type == AssistantChunk {
		return s.arena.copy(text)
	}
	return append(make([]byte, 0, len(text)), text...)
}

// take takes a line if it continues the sequence. A row's members are to come then.
func (s *Scanner) take(t *textLine) bool {
	r, fault := readLine(&s.parsed, t)
	if fault != "" {
		s.stop(s.fault(CorruptLine, t, fault))
		if t.long {
			s.err = s.damage() // it may be good, and then it is committed: it is not for us to cut it off
		}
		return false
	}
	first, n := s.parsed.Seq, int64(1)
	if r.left > 0 {
		first, n = r.seq, int64(r.left)
	}
	if first != s.next {
		gap := s.fault(SeqGap, t, sequenceFault(s.next, first))
		gap.Expected, gap.Found = s.next, first
		s.stop(gap)
		if s.parsed.Type == TurnEnd {
			s.err = s.damage()
		}
		return false
	}
	if s.frames != nil {
		s.frames.pass(t.offset, first)
	}
	s.row, s.line, s.line.text = r, *t, nil
	s.next += n
	s.safe = t.end
	return true
}

// stop notes the issue: nothing is taken any more.
func (s *Scanner) stop(issue *Error) {
	s.issue = issue
	if s.frames != nil {
		s.frames.settle(s.safe)
	}
}

// readLine decodes a line: into p, or into a row. What is wrong with it is the result if it is not
// decodable.
func readLine(p *parsed, t *textLine) (r row, fault string) {
	if t.long {
		*p = parsed{}
		return r, fmt.Sprintf("the line is longer than %d bytes", MaxLine)
	}
	if err := p.read(t.text); err != nil {
		return r, err.Error()
	}
	k := rowKind(p.Type)
	if k == nil {
		return r, ""
	}
	r, fault = readRow(k, t.text)
	if fault != "" {
		return row{}, "malformed row of " + k.row + ": " + fault
	}
	return r, ""
}

// search looks in a line behind the issue for the end of a turn. A row has none.
func (s *Scanner) search(t *textLine) {
	if !t.long && s.parsed.read(t.text) == nil && s.parsed.Type == TurnEnd {
		s.err = s.damage()
	}
}

// damage is what a log is refused for when it is not only its tail that is torn.
func (s *Scanner) damage() error {
	if s.frames != nil {
		if err := s.frames.sound(s.issue.Offset); err != nil {
			return s.failed(err)
		}
	}
	return s.issue
}

func (s *Scanner) fault(code Code, t *textLine, detail string) *Error {
	return &Error{Code: code, Path: s.Path, Line: t.number, Offset: t.offset, End: t.end, Detail: detail}
}

func sequenceFault(expected, found int64) string {
	switch {
	case found < 0:
		return fmt.Sprintf("the line holds no event, where seq %d should be", expected)
	case found < expected:
		return fmt.Sprintf("seq %d again, where seq %d should be", found, expected)
	}
	return fmt.Sprintf("seq %d, where seq %d should be: events are missing", found, expected)
}

// The results below are final when Events has ended without an error.

// Next is the seq behind the last event.
func (s *Scanner) Next() int64 { return s.next }

// Committed is the length, in bytes, up to which the file is kept when something is appended to it.
func (s *Scanner) Committed() int64 {
	if s.frames != nil {
		return s.frames.committed(s.safe)
	}
	return s.safe
}

// Total is the length of the file in bytes. What lies behind Committed is the torn tail.
func (s *Scanner) Total() int64 {
	if s.frames != nil {
		return s.frames.at
	}
	return s.lines.offset
}

// behind returns how much of the text lies in front of Committed, and how much behind it counts still.
func (s *Scanner) behind() (text, kept int64) {
	if s.frames != nil {
		text = s.frames.last(s.safe).text
		return text, s.safe - text
	}
	return s.safe, 0
}

// Kept is the seq of the first event that lies behind Committed although it counts: a frame of a
// Zstandard log that is not whole can hold lines that are, and who cuts it off has to write these again.
// It is Next if there is none.
func (s *Scanner) Kept() int64 {
	if s.frames != nil {
		return s.frames.kept(s.safe, s.next)
	}
	return s.next
}

// Issue says why the torn tail begins where it does, nil if it is only a line that is not complete or if
// there is none.
func (s *Scanner) Issue() *Error { return s.issue }
