package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Salvage reads whatever can be read of a log, damaged or not, plain or Zstandard: the replay-state
// protocol, section "Salvage". It is for people and their tools; to take up a session, use [Open], which
// refuses a damaged log. Nothing is written, and no content makes it fail. It reads in bounded memory,
// but for the seqs that were there: they take one bit each as they stand side by side in a log, and some
// 60 bytes each in a file that was made to scatter them.
//
// What it gives is no session; see [Rebuild] for making one of it.
func Salvage(r io.ReadSeeker) *Salvaged { return &Salvaged{src: r} }

// Salvaged is a log that is being salvaged. One call at a time.
type Salvaged struct {
	// Path names the log in the entries of the report, and says what kind of file it was if its first
	// bytes are damaged: one that is named .jsonl is plain. It must be set before anything is read.
	Path string

	src       io.ReadSeeker
	lines     lineReader
	frames    *brokenFrames // nil if the log is plain
	header    *Header
	seen      seqSet
	expected  int64
	summary   SalvageSummary
	parsed    parsed
	arena     arena
	yield     func(Event, error) bool
	cancelled bool // yield has returned false
}

// A SalvageSummary says what a salvage came to.
type SalvageSummary struct {
	// Lines are those that were read, the header and an end without a line feed included. Lost are those
	// of them that gave nothing.
	Lines, Lost int64
	// Events are those that were returned.
	Events int64
}

// Events reads the log from its beginning and yields its events in the order of the file, with the seqs
// and times that they carry, packed rows unpacked: seqs may be missing, and may go back, but none occurs
// twice. Among the events it yields the entries of the report in the order of the file, as errors that
// are an *[Error]: one for each thing that was not taken or is not in order. It goes on behind them. Any
// other error, of the reader or of the context, ends it.
//
// The codes are those of [Scanner], and SeqRepeated for an event whose seq was there before, which is
// left out; Torn for an end of the file that is not complete; HeaderMissing, HeaderNotJSON,
// FormatUnsupported, HeaderInvalid and HeaderRetiredFields for a first line that is no header. An event
// behind a SeqGap is returned, unless Found is -1: the line holds no event then.
func (s *Salvaged) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		*s = Salvaged{Path: s.Path, src: s.src, yield: yield}
		err := s.begin()
		for n := 0; err == nil && !s.cancelled; n++ {
			if n%64 == 0 && ctx.Err() != nil {
				err = context.Cause(ctx)
				break
			}
			var t textLine
			t, err = s.lines.next()
			if errors.Is(err, errBreak) {
				err = nil
			}
			if err == nil || errors.Is(err, io.EOF) {
				s.notes(t.offset)
				s.line(&t)
			}
		}
		s.notes(s.lines.offset)
		switch {
		case s.cancelled:
		case !errors.Is(err, io.EOF):
			if s.Path != "" {
				err = fmt.Errorf("%s: %w", s.Path, err)
			}
			yield(Event{}, err)
		case s.summary.Lines == 0:
			s.report(headerError(HeaderMissing, "there is not one line"))
		}
	}
}

// Header returns the log's header, and whether the first line is one that can be used. It reads the
// beginning of the log if Events has not done so.
func (s *Salvaged) Header() (Header, bool) {
	if s.yield == nil {
		for range s.Events(context.Background()) {
			break
		}
	}
	if s.header == nil {
		return Header{}, false
	}
	return *s.header, true
}

// Summary says what has been read so far.
func (s *Salvaged) Summary() SalvageSummary { return s.summary }

// begin finds out what kind of file it is.
func (s *Salvaged) begin() error {
	if _, err := s.src.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sample, err := io.ReadAll(io.LimitReader(s.src, 1<<20))
	if err != nil {
		return err
	}
	if _, err := s.src.Seek(0, io.SeekStart); err != nil {
		return err
	}
	// The start may be what is damaged. A magic number is no part of any text in UTF-8.
	plain := bytes.HasPrefix(bytes.TrimLeft(sample, " \t\r\n"), []byte{'{'}) ||
		strings.HasSuffix(s.Path, ".jsonl") && !bytes.HasPrefix(sample, []byte(frameMagic))
	if plain || !bytes.Contains(sample, []byte(frameMagic)) {
		s.lines = newLineReader(s.src)
		return nil
	}
	if s.frames, err = newBrokenFrames(s.src); err != nil {
		return err
	}
	s.lines = newLineReader(s.frames)
	return nil
}

// notes reports what was found out about frames up to a place in the text.
func (s *Salvaged) notes(offset int64) {
	for s.frames != nil && len(s.frames.notes) > 0 && s.frames.notes[0].text <= offset {
		s.report(s.frames.notes[0].fault)
		s.frames.notes = s.frames.notes[1:]
	}
}

func (s *Salvaged) report(entry *Error) {
	entry.Path = s.Path
	s.cancelled = s.cancelled || !s.yield(Event{}, entry)
}

func (s *Salvaged) give(e Event, t *textLine) {
	e.line, e.offset = t.number, t.offset
	s.summary.Events++
	s.cancelled = s.cancelled || !s.yield(e, nil)
}

func entry(code Code, t *textLine, detail string) *Error {
	return &Error{Code: code, Line: t.number, Offset: t.offset, End: t.end, Detail: detail}
}

// line takes one line, or the part of one in front of a break.
func (s *Salvaged) line(t *textLine) {
	if !t.whole && t.end == t.offset {
		return
	}
	s.summary.Lines++
	reported := false
	if t.number == 1 {
		h, fault := parseHeader(t.text)
		if fault == nil {
			s.header = &h
			return
		}
		fault.End = t.end
		s.report(fault)
		reported = true // the header may be what was lost: the line may hold an event
	}
	r, fault := readLine(&s.parsed, t)
	switch {
	case r.left > 0:
		s.row(&r, t)
	case fault == "" && s.parsed.Seq >= 0:
		if s.next(s.parsed.Seq, t) {
			s.give(s.parsed.event(s.arena.copy(t.text)), t)
		} else {
			s.summary.Lost++
		}
	default:
		s.summary.Lost++
		switch {
		case reported, !t.whole && s.frames != nil: // the frame is reported instead
		case fault == "":
			e := entry(SeqGap, t, sequenceFault(s.expected, -1))
			e.Expected, e.Found = s.expected, -1
			s.report(e)
		case t.whole:
			s.report(entry(CorruptLine, t, fault))
		default:
			s.report(entry(Torn, t, "the last line is not complete: "+fault))
		}
	}
}

func (s *Salvaged) row(r *row, t *textLine) {
	given := s.summary.Events
	for repeated := false; r.left > 0 && !s.cancelled; {
		e := r.next(&s.arena)
		if s.seen.has(e.Seq) {
			if !repeated {
				s.next(e.Seq, t)
			} else if e.Seq == s.expected {
				s.expected++
			}
			repeated = true
			continue
		}
		s.next(e.Seq, t)
		s.give(e, t)
	}
	if s.summary.Events == given {
		s.summary.Lost++
	}
}

// next says whether an event is to be returned, and reports if its seq is not the expected one.
func (s *Salvaged) next(seq int64, t *textLine) bool {
	var e *Error
	fresh := s.seen.add(seq)
	switch {
	case !fresh:
		e = entry(SeqRepeated, t, fmt.Sprintf("seq %d was there before: left out", seq))
	case seq != s.expected:
		e = entry(SeqGap, t, sequenceFault(s.expected, seq))
	}
	if e != nil {
		e.Expected, e.Found = s.expected, seq
		s.report(e)
	}
	if fresh || seq == s.expected {
		s.expected = seq + 1
	}
	return fresh
}
